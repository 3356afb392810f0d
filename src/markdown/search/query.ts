import { foldText } from "./fold.ts";
import { pairsOf, type Unit, unitsOf } from "./tokens.ts";

/** A query of free text, as it is looked for. */
export type Query = {
  /** Its words and runs in their order. */
  readonly phrase: readonly Unit[];
  /** The same, each once. */
  readonly units: readonly Unit[];
  /** What may stand alone where not all units are in one document: words, and the pairs of runs. */
  readonly pieces: readonly Unit[];
  /** The query as it is spelled, folded; "" where it is too short to be looked for. */
  readonly literal: string;
  /** Whether the query says more than its words: `--no-edit`, `std::vec`, `c++`. */
  readonly isSpelled: boolean;
};

/**
 * LIMIT: words, and pairs of runs, that count; of a longer query (a pasted paragraph) the first.
 */
const MOST_PIECES = 24;
/** LIMIT: characters of a literal: no document is found by fewer, and no more of them count. */
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

/** The first units of a query, the last one cut where it has more pairs than are left. */
function bounded(units: readonly Unit[]): Unit[] {
  const taken: Unit[] = [];
  let left = MOST_PIECES;
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
