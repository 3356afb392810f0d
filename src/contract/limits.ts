/** Limits of the API (`src/contract/README.md`, "Limits"); `test/contract` tests each. */

export const MAX_CONTENT_CHARACTERS = 51_200;
export const MAX_NAME_CHARACTERS = 255;
export const MIN_PAGE_LIMIT = 1;
export const MAX_PAGE_LIMIT = 1_000;
export const DEFAULT_PAGE_LIMIT = 100;
export const SEARCH_HYBRID = { min: 1, max: 500, default: 10 } as const;
export const SEARCH_REGEX = { min: 1, max: 500, default: 50 } as const;
export const SEARCH_REGEX_PATTERN_CHARACTERS = 1_024;
/**
 * LIMIT: of a file, a regex search shows this number of lines, and searches lines with up to this
 * number of characters.
 */
export const SEARCH_REGEX_LINES = { lines: 50, characters: 4_096 } as const;
// ASSUMES: the query of a hybrid search has the same limit of characters as that of a regex search
// (contract test "bounds the query of a hybrid search").
export const SEARCH_QUERY_CHARACTERS = SEARCH_REGEX_PATTERN_CHARACTERS;

/**
 * Returns the length of a string in the unit of the limits: Unicode code points.
 * ASSUMES: "characters" are code points, as in JSON Schema's `maxLength`. They are not bytes,
 * because a limit in bytes would refuse 51,200 CJK characters. They are not UTF-16 units either,
 * because those depend on the programming language. So an emoji outside the BMP is one character
 * (contract tests "takes a text of exactly 51,200 characters", "counts an astral character as
 * one"). Of these units, code points give the smallest number. So content over this limit is over
 * it in every unit, and a client may refuse to send it.
 */
export function countCharacters(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    const codeUnit = text.charCodeAt(i);
    if (codeUnit >= 0xd800 && codeUnit <= 0xdbff) {
      const nextUnit = text.charCodeAt(i + 1);
      if (nextUnit >= 0xdc00 && nextUnit <= 0xdfff) {
        count--;
        i++;
      }
    }
  }
  return count;
}

// ASSUMES: the path of a file has at most 4,096 characters and 128 names, so that one small request
// cannot create a tree of any depth. The limits for a folder's path are lower, so that any legal
// file name still fits into the folder (contract test "bounds the length and the depth of a path").
export const MAX_PATH_CHARACTERS = { file: 4_096, folder: 4_096 - 1 - MAX_NAME_CHARACTERS } as const;
export const MAX_PATH_NAMES = { file: 128, folder: 127 } as const;

/** Reason why the content of a file cannot become a document, whatever its name. */
export type TextFault = "not-utf-8" | "contains-nul" | "too-large";
