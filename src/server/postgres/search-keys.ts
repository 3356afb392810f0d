import { foldText } from "../../search/fold.ts";
import { boundedTerm, gramsOf, runTokens, type Unit, unitsOf } from "../../search/tokens.ts";

/** The keys of `migrations/0002-search.ts`. */

/** Shorter ones are found whole, longer ones are no words that people mistype. */
const TERM_CHARACTERS = { min: 3, max: 40 } as const;
/** LIMIT: so many keys of one word narrow it down far enough; each costs a look. */
const MOST_ASKED = 12;

/** All keys of a document. */
export function keysOf(workspace: number, name: string, text: string): number[] {
  const whole = `${name}\n${text}`.replaceAll("\0", " ");
  const keys = new Set<number>();
  for (const gram of gramsOf(foldText(whole))) keys.add(keyOf(workspace, gram));
  for (const unit of unitsOf(whole)) {
    if (unit.kind === "word") {
      if (isShort(unit.text)) keys.add(keyOf(workspace, unit.text));
    } else {
      for (const token of runTokens(unit.text)) keys.add(keyOf(workspace, token));
      for (const character of unit.text) keys.add(keyOf(workspace, character));
    }
  }
  return [...keys];
}

/** The words of a document that typing errors may be near. */
export function termsOf(name: string, text: string): string[] {
  const { min, max } = TERM_CHARACTERS;
  const words = unitsOf(`${name}\n${text}`).filter(({ kind }) => kind === "word");
  return [...new Set(words.map((word) => word.text))].filter(({ length }) => length >= min && length <= max);
}

export function keysOfTerm(workspace: number, term: string): number[] {
  return gramsOf(boundedTerm(term)).map((gram) => keyOf(workspace, gram));
}

/** The keys that every document has which holds a unit of a query. */
export function keysOfUnit(workspace: number, { kind, text }: Unit): number[] {
  if (kind === "word") return isShort(text) ? [keyOf(workspace, text)] : keysOfLiteral(workspace, text);
  const tokens = runTokens(text);
  return (tokens.length === 1 ? tokens : tokens.slice(0, -1)).map((token) => keyOf(workspace, token));
}

/** The same of a literal; none, where it is too short to narrow anything down. */
export function keysOfLiteral(workspace: number, literal: string): number[] {
  const grams = gramsOf(foldText(literal));
  const step = Math.max(1, grams.length / MOST_ASKED);
  const asked = Array.from({ length: Math.min(grams.length, MOST_ASKED) }, (_, i) => grams[Math.floor(i * step)]!);
  return asked.map((gram) => keyOf(workspace, gram));
}

function isShort(word: string): boolean {
  return [...foldText(word)].length < TERM_CHARACTERS.min;
}

/** FNV-1a. Two that are equal by chance cost a look at a document that holds nothing. */
function keyOf(workspace: number, token: string): number {
  let hash = 0x811c9dc5 ^ workspace;
  for (let i = 0; i < token.length; i++) hash = Math.imul(hash ^ token.charCodeAt(i), 0x01000193);
  return hash | 0;
}
