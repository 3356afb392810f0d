import { titlesOf, pathFieldsOf } from "./fields.ts";
import { foldText } from "./fold.ts";
import type { Need } from "./literals.ts";
import { pairsOf, type Unit, unitsOf } from "./tokens.ts";

/**
 * What an index holds of a document: keys, which are hashes. A document has a key for every three
 * characters that stand side by side in its folded path or text, for every shorter word, and for
 * every character and pair of a script without spaces. Words of the path and of headings have a
 * second key, so that what is called by a word is found however many documents contain the word.
 *
 * Keys narrow a search down, in any script. What is found by keys is read and judged.
 */

/**
 * Documents by their keys. The set may hold more documents than can be found, since two hashes may
 * be equal, and never fewer. `any`: nothing can be told, each document may be in the set.
 */
export type KeySet =
  | { readonly kind: "any" }
  | { readonly kind: "with"; readonly keys: readonly number[] }
  | { readonly kind: "each" | "one"; readonly of: readonly KeySet[] };

const ANY: KeySet = { kind: "any" };
/** Characters of a key. */
const GRAM = 3;
/** LIMIT: keys that one word or literal is looked up by; they narrow it down far enough. */
const MOST_KEYS = 12;

/** FNV-1a. */
const TEXT_SEED = 0x811c9dc5;
const TITLE_SEED = 0x01000193;
const PRIME = 0x01000193;

/** Returns all keys of a document. */
export function keysOf(path: string, text: string): Set<number> {
  const all = new Set<number>();
  for (const { keys } of keysInParts(path, text)) for (const key of keys) all.add(key);
  return all;
}

/** Keys of some characters of a document, three for each character at most. */
type Part = { readonly keys: ReadonlySet<number>; readonly characters: number };

/** Yields all keys of a document in bounded parts. Two parts may have a key in common. */
export function* keysInParts(path: string, text: string): Generator<Part, void> {
  const { name, folders } = pathFieldsOf(path);
  const called = `${folders}\n${name}`;
  yield* eachPart(path, addGrams);
  yield* eachPart(called, addUnits, addTitles);
  yield* eachPart(text, addGrams, addUnits);
  yield* eachPart(titlesOf(text), addTitles);
}

type AddKeys = (keys: Set<number>, text: string) => void;

/** LIMIT: UTF-16 units of a text that are made into keys at a time. */
const PART = 2_000;
/**
 * UTF-16 units that a part has in common with the next one. The longest thing that has a key, a
 * word of a heading, is whole in one of both. A word that is cut has keys of its beginning and of
 * its end as well, which only widens what is found by keys.
 */
const OVERLAP = 256;

function* eachPart(text: string, ...adds: readonly AddKeys[]): Generator<Part, void> {
  for (let from = 0; from === 0 || from + OVERLAP < text.length; from += PART) {
    const part = text.slice(from, from + PART + OVERLAP);
    const keys = new Set<number>();
    for (const add of adds) add(keys, part);
    yield { keys, characters: part.length };
  }
}

function addGrams(keys: Set<number>, text: string): void {
  addSpans(keys, foldText(text), GRAM);
}

function addUnits(keys: Set<number>, text: string): void {
  for (const unit of unitsOf(text)) {
    if (unit.kind === "run") addRun(keys, unit.text, TEXT_SEED);
    // A longer word is found by its grams.
    else if (isShort(unit.text)) keys.add(keyOf(unit.text));
  }
}

function addTitles(keys: Set<number>, text: string): void {
  for (const unit of unitsOf(text)) {
    if (unit.kind === "run") addRun(keys, unit.text, TITLE_SEED);
    else keys.add(keyOf(unit.text, TITLE_SEED));
  }
}

/** A run has keys of its pairs, and of its characters. */
function addRun(keys: Set<number>, run: string, seed: number): void {
  addSpans(keys, run, 1, seed);
  addSpans(keys, run, 2, seed);
}

/** Adds a key for every span of so many code points. */
function addSpans(keys: Set<number>, text: string, length: number, seed: number = TEXT_SEED): void {
  const isAstral = /[\ud800-\udfff]/.test(text);
  const after = (at: number) => at + (isAstral && text.codePointAt(at)! > 0xffff ? 2 : 1);
  let to = 0;
  for (let n = 0; n < length; n++) to = after(to);
  for (let from = 0; to <= text.length; from = after(from)) {
    keys.add(hashOf(text, from, to, seed));
    to = after(to);
  }
}

function keyOf(token: string, seed: number = TEXT_SEED): number {
  return hashOf(token, 0, token.length, seed);
}

function hashOf(text: string, from: number, to: number, seed: number = TEXT_SEED): number {
  let hash = seed;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME);
  return hash | 0;
}

/** Whether a word is found only where it stands alone: as a part, it is in everything. */
export function isShort(word: string): boolean {
  return word.length < 2 * GRAM && [...foldText(word)].length < GRAM;
}

/**
 * Returns the documents in each of the sets. Keys of several sets become one set: a database takes
 * the rare keys of a set first, and does not scan the documents of the common ones.
 */
export function inEach(sets: readonly KeySet[]): KeySet {
  const keys = new Set(sets.flatMap((set) => (set.kind === "with" ? set.keys : [])));
  const others = sets.filter(({ kind }) => kind === "each" || kind === "one");
  const known: KeySet[] = keys.size === 0 ? others : [{ kind: "with", keys: [...keys] }, ...others];
  return known.length > 1 ? { kind: "each", of: known } : (known[0] ?? ANY);
}

/** The documents in one of the sets. */
function inOne(sets: readonly KeySet[]): KeySet {
  if (sets.some(({ kind }) => kind === "any")) return ANY;
  return sets.length === 1 ? sets[0]! : { kind: "one", of: sets };
}

/** Those with a word, or a part of one, or a run. */
export function withUnit({ kind, text }: Unit): KeySet {
  if (kind === "run") return withKeys(pairsOf(text).map((token) => keyOf(token)));
  return isShort(text) ? withKeys([keyOf(text)]) : withLiteral(text);
}

/** Those with a word or run in their path or in a heading. */
export function withTitle({ kind, text }: Unit): KeySet {
  const tokens = kind === "word" ? [text] : pairsOf(text);
  return withKeys(tokens.map((token) => keyOf(token, TITLE_SEED)));
}

/** Those with a text as it is spelled, but for case and marks. */
export function withLiteral(literal: string): KeySet {
  const keys = new Set<number>();
  addSpans(keys, foldText(literal), GRAM);
  return withKeys([...keys]);
}

/** LIMIT: how deep a need is followed; the indexes take no deeper expression. */
const DEEPEST = 16;

/** Those with what every match of a regex contains. */
export function withNeed(need: Need, depth = 0): KeySet {
  if (depth === DEEPEST) return ANY;
  const within = (each: Need) => withNeed(each, depth + 1);
  switch (need.kind) {
    case "anything":
      return ANY;
    case "literal":
      return withLiteral(need.text);
    case "all":
      return inEach(need.needs.map(within));
    case "any":
      return inOne(need.needs.map(within));
  }
}

function withKeys(keys: readonly number[]): KeySet {
  if (keys.length === 0) return ANY;
  const step = Math.max(1, keys.length / MOST_KEYS);
  const chosen = Array.from({ length: Math.min(keys.length, MOST_KEYS) }, (_, i) => keys[Math.floor(i * step)]!);
  return { kind: "with", keys: chosen };
}
