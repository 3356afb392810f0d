import { foldText } from "./fold.ts";
import { pairsOf, type Unit, unitsOf } from "./tokens.ts";

/** A parsed query of free text. */
export type Query = {
  /** Words and runs in the order of the query. */
  readonly phrase: readonly Unit[];
  /** Distinct units of `phrase`. */
  readonly units: readonly Unit[];
  /** Parts for the loose search: each word, and each pair of neighbouring characters of a run. */
  readonly pieces: readonly Unit[];
  /** The query as typed, with its case folded; "" if it is too short to search. */
  readonly literal: string;
  /** True if the query has more than its words: `--no-edit`, `std::vec`, `c++`. */
  readonly isSpelled: boolean;
};

/** LIMIT: words and pairs of runs that are used: the first ones of a long, pasted query. */
const MAX_PIECES = 24;
/** LIMIT: characters of a literal. Shorter ones are not searched, longer ones are cut. */
const LITERAL = { min: 3, max: 64 } as const;

export function readQuery(text: string): Query {
  const all = unitsOf(text);
  const phrase = bounded(all);
  const units = distinct(phrase);
  const pieces = distinct(units.flatMap(piecesOf));
  const spelled = [...foldText(text.trim())].slice(0, LITERAL.max);
  const literal = spelled.length < LITERAL.min ? "" : spelled.join("");
  const words = all.map((unit) => foldText(unit.text)).join(" ");
  const isSpelled = !words.startsWith(literal);
  return { phrase, units, pieces, literal, isSpelled };
}

/**
 * Returns the first units of a query within the limit. Cuts the last run if it has too many pairs.
 */
function bounded(units: readonly Unit[]): Unit[] {
  const taken: Unit[] = [];
  let left = MAX_PIECES;
  for (const unit of units) {
    if (left === 0) break;
    const characters = unit.kind === "word" ? [] : [...unit.text];
    const cost = Math.max(1, characters.length - 1);
    taken.push(cost <= left ? unit : { kind: "run", text: characters.slice(0, left + 1).join("") });
    left -= Math.min(cost, left);
  }
  return taken;
}

function piecesOf(unit: Unit): Unit[] {
  return unit.kind === "word" ? [unit] : pairsOf(unit.text).map((text) => ({ kind: "run", text }));
}

function distinct(units: readonly Unit[]): Unit[] {
  return [...new Map(units.map((unit) => [unit.text, unit])).values()];
}
