import { ftsString, type Part, unitExpression } from "./match.ts";
import { type Needle, needleOf } from "./snippets.ts";
import type { Terms } from "./terms.ts";
import { runTokens, type Unit } from "./tokens.ts";
import { MOST_RANKED } from "./word-queries.ts";

/**
 * The ways to loosen a query: each unit or, for it, words that contain it; words near it; either.
 * Only those that add anything.
 */
type Loosened = {
  readonly ways: readonly { readonly kind: "parts" | "near" | "both"; readonly parts: readonly Part[] }[];
  /** By unit: itself, or what may stand for it when it is in no document. */
  readonly units: readonly Part[];
  readonly needles: readonly Needle[];
};

export function loosen(terms: Terms, units: readonly Unit[]): Loosened {
  const wide = units.map((unit) => widened(terms, unit));
  const hasParts = wide.some(({ parts }) => parts.length > 0);
  const hasNear = wide.some(({ near }) => near.length > 0);
  const ways: Loosened["ways"][number][] = [];
  if (hasParts) ways.push({ kind: "parts", parts: wide.map(({ exact, parts }) => anyOfWords(exact, parts)) });
  if (hasNear) ways.push({ kind: "near", parts: wide.map(({ exact, near }) => anyOfWords(exact, near)) });
  if (hasParts && hasNear)
    ways.push({ kind: "both", parts: wide.map(({ exact, parts, near }) => anyOfWords(exact, [...parts, ...near])) });
  return {
    ways,
    units: wide.map(({ exact, parts, near }) => anyOfWords(exact, near.length > 0 ? [...parts, ...near] : [])),
    needles: wide.flatMap(({ near }) => near.map((text) => needleOf(text, text.length < 4))),
  };
}

/** A unit, the words that contain it, and the words near it. */
function widened(terms: Terms, unit: Unit) {
  const exact = unitExpression(unit);
  if (unit.kind === "run") return { exact, parts: [], near: [] };
  const parts = terms.containing(unit.text).map(({ text }) => text);
  // What is a word already was meant, unless nobody can say.
  const near = terms.documents(unit.text) === 0 ? terms.near(unit.text).map(({ text }) => text) : [];
  return { exact, parts, near };
}

function anyOfWords(exact: string, words: readonly string[]): Part {
  return [exact, ...words.map(ftsString)];
}

/**
 * A word that is in more than one of so many documents tells little; of few documents, no word is
 * common, and of many what cannot be ranked is.
 */
const COMMON_SHARE = 5;
const COMMON_LEAST = 50;

/**
 * Of several units, those of which one must be there: not the common words, unless there are no
 * others. Of a run, any pair.
 */
export function telling(terms: Terms, units: readonly Unit[], loose: Loosened, documents: number): Part {
  const [only] = units;
  if (units.length === 1 && only!.kind === "word") return [];
  const least = Math.min(Math.max(documents / COMMON_SHARE, COMMON_LEAST), MOST_RANKED);
  const all = units.map((unit, i) => {
    const holding = unit.kind === "word" ? terms.documents(unit.text) : 1;
    const part = loose.units[i]!;
    return {
      tells: holding < least && (holding > 0 || part.length > 1),
      part: pairsOf(unit).length > 0 ? pairsOf(unit).map(ftsString) : part,
    };
  });
  const rare = all.filter(({ tells }) => tells);
  return (rare.length > 0 ? rare : all).flatMap(({ part }) => part);
}

/** LIMIT: with so many documents, what cannot be ranked is the rarer of the two. */
export const MOST_TELLING = COMMON_SHARE * MOST_RANKED;

/** The pairs of characters of a run; a word has none. */
export function pairsOf(unit: Unit): string[] {
  return unit.kind === "run" ? runTokens(unit.text).filter((token) => [...token].length > 1) : [];
}
