import { countCharacters, SEARCH_QUERY_CHARACTERS, SEARCH_REGEX_PATTERN_CHARACTERS } from "../../../contract/limits.ts";
import type { FoundLine } from "../search.ts";

/** Words for a search, and the lines that the search found. */

export function queryFault(query: string, regex: boolean): string | null {
  if (query.trim() === "" && !regex) return "QUERY is blank";
  if (query === "") return "QUERY is empty";
  if (regex && /[\n\r]/.test(query)) return "a pattern is one line";
  const most = regex ? SEARCH_REGEX_PATTERN_CHARACTERS : SEARCH_QUERY_CHARACTERS;
  return countCharacters(query) > most ? `QUERY has more than ${most} characters` : null;
}

/** Splits a line into non-empty pieces: the matches, and the characters between them. */
export function foundPieces({ text, ranges }: Pick<FoundLine, "text" | "ranges">): readonly FoundPiece[] {
  const characters = [...text];
  const pieces: FoundPiece[] = [];
  let at = 0;
  for (const [start, end] of ranges) {
    pieces.push(pieceOf(characters.slice(at, start), false), pieceOf(characters.slice(start, end), true));
    at = end;
  }
  return [...pieces, pieceOf(characters.slice(at), false)].filter((piece) => piece.text !== "");
}

type FoundPiece = { readonly text: string; readonly isMatch: boolean };

/**
 * Returns a piece of a line without control characters of the document, which could control a
 * terminal; tabs stay.
 */
function pieceOf(characters: readonly string[], isMatch: boolean): FoundPiece {
  const text = characters.join("").replace(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/g, "\ufffd");
  return { text, isMatch };
}
