import { foldText } from "./fold.ts";
import { splitIntoPairs, type QueryUnit, splitIntoUnits } from "./tokens.ts";

/**
 * A query of free text, split into words. A *run* is a sequence of characters of a script without
 * spaces.
 */
export type TextQuery = {
  readonly phrase: readonly QueryUnit[];
  /** Words and runs of the query, each once. */
  readonly units: readonly QueryUnit[];
  /**
   * Words, and pairs of adjacent characters of the runs. A document that has only some of them is a
   * weak match.
   */
  readonly pieces: readonly QueryUnit[];
  /** The query as it was typed, folded for comparison; an empty string if it is too short. */
  readonly literal: string;
  /** True if the query has more than words and spaces, such as `--no-edit`, `std::vec` or `c++`. */
  readonly isSpelled: boolean;
};

/** LIMIT: words and pairs of characters that are searched. The rest of a long query is ignored. */
const MAX_PIECES = 24;
/** LIMIT: characters of the typed query. A shorter one is not searched, and a longer one is cut. */
const LITERAL_LENGTH = { min: 3, max: 64 } as const;

export function parseQuery(text: string): TextQuery {
  const allUnits = splitIntoUnits(text);
  const phrase = limitUnits(allUnits);
  const units = removeDuplicates(phrase);
  const pieces = removeDuplicates(units.flatMap(splitIntoPieces));
  const spelled = [...foldText(text.trim())].slice(0, LITERAL_LENGTH.max);
  const literal = spelled.length < LITERAL_LENGTH.min ? "" : spelled.join("");
  const words = allUnits.map((unit) => foldText(unit.text)).join(" ");
  const isSpelled = !words.startsWith(literal);
  return { phrase, units, pieces, literal, isSpelled };
}

/** Returns the first units of a query, up to the limit. A run that exceeds the limit is cut. */
function limitUnits(units: readonly QueryUnit[]): QueryUnit[] {
  const limitedUnits: QueryUnit[] = [];
  let remainingPieces = MAX_PIECES;
  for (const unit of units) {
    if (remainingPieces === 0) break;
    const characters = unit.kind === "word" ? [] : [...unit.text];
    const cost = Math.max(1, characters.length - 1);
    limitedUnits.push(
      cost <= remainingPieces ? unit : { kind: "run", text: characters.slice(0, remainingPieces + 1).join("") },
    );
    remainingPieces -= Math.min(cost, remainingPieces);
  }
  return limitedUnits;
}

function splitIntoPieces(unit: QueryUnit): QueryUnit[] {
  return unit.kind === "word" ? [unit] : splitIntoPairs(unit.text).map((text) => ({ kind: "run", text }));
}

function removeDuplicates(units: readonly QueryUnit[]): QueryUnit[] {
  return [...new Map(units.map((unit) => [unit.text, unit])).values()];
}
