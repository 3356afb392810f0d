import { foldText } from "./fold.ts";
import { splitIntoPairs, type QueryUnit, splitIntoUnits } from "./tokens.ts";

/**
 * Query of free text, split into units: words and runs. A *run* is a sequence of characters of a
 * script without spaces.
 */
export type TextQuery = {
  readonly phrase: readonly QueryUnit[];
  readonly units: readonly QueryUnit[];
  /**
   * Words, and pairs of adjacent characters of the runs. A document that has only some pieces is a
   * weak match.
   */
  readonly pieces: readonly QueryUnit[];
  /**
   * Query as the user typed it, folded for comparison; an empty string if the query is too short.
   */
  readonly literal: string;
  /**
   * True if the query contains anything but words and spaces, such as `--no-edit`, `std::vec` or
   * `c++`.
   */
  readonly isSpelled: boolean;
};

/**
 * LIMIT: number of words and pairs of characters that are searched, so that a long query takes
 * limited time. The rest of the query is ignored.
 */
const MAX_PIECES = 24;
/**
 * LIMIT: number of characters of the typed query. A shorter query is not searched as typed, because
 * it occurs nearly everywhere. A longer query is cut, so that the search takes limited time.
 */
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

/** Returns the first units of a query, up to the limit. Cuts a run that exceeds the limit. */
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
