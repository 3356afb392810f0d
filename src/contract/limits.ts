/** Limits of `src/contract/README.md`, "Limits". `test/contract` tests each at n-1, n and n+1. */

export const MAX_CONTENT_CHARACTERS = 51_200;
export const MAX_NAME_CHARACTERS = 255;
export const MIN_PAGE_LIMIT = 1;
export const MAX_PAGE_LIMIT = 1_000;
export const DEFAULT_PAGE_LIMIT = 100;
export const SEARCH_HYBRID = { min: 1, max: 500, default: 10 } as const;
export const SEARCH_REGEX = { min: 1, max: 500, default: 50 } as const;
export const SEARCH_REGEX_PATTERN_CHARACTERS = 1_024;
/** Lines of a file that are shown, and characters of the longest line that is searched. */
export const SEARCH_REGEX_LINES = { lines: 50, characters: 4_096 } as const;
// ASSUMES: a hybrid query has at most as many characters as a regex query (contract test "bounds
// the query of a hybrid search").
export const SEARCH_QUERY_CHARACTERS = SEARCH_REGEX_PATTERN_CHARACTERS;

/**
 * Returns the length of a text in the unit of the limits: Unicode code points. ASSUMES:
 * "characters" are code points, as in JSON Schema's `maxLength`. They are not bytes: a limit in
 * bytes would refuse 51,200 CJK characters. They are not UTF-16 units, which depend on the
 * programming language. An emoji outside the BMP is one character (contract tests "takes a text of
 * exactly 51,200 characters", "counts an astral character as one"). Code points are also the
 * smallest sensible count. A text over this limit is over the limit in every unit, so a client may
 * refuse to send it.
 */
export function countCharacters(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit <= 0xdbff) {
      const next = text.charCodeAt(i + 1);
      if (next >= 0xdc00 && next <= 0xdfff) {
        count--;
        i++;
      }
    }
  }
  return count;
}

// ASSUMES: a file's path has at most 4,096 characters and 128 names, so that one small request
// cannot create an unbounded tree. A folder's path has fewer, so that any legal file name fits in
// the folder (contract test "bounds the length and the depth of a path").
export const MAX_PATH_CHARACTERS = { file: 4_096, folder: 4_096 - 1 - MAX_NAME_CHARACTERS } as const;
export const MAX_PATH_NAMES = { file: 128, folder: 127 } as const;

/** Reasons why a file's content cannot become a document, with any name. */
export type TextFault = "not-utf-8" | "contains-nul" | "too-large";
