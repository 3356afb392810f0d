/** Limits of the API (`src/contract/README.md`, "Limits"). `test/contract` tests each limit. */

export const MAX_CONTENT_CHARACTERS = 51_200;
export const MAX_NAME_CHARACTERS = 255;
export const MIN_PAGE_LIMIT = 1;
export const MAX_PAGE_LIMIT = 1_000;
export const DEFAULT_PAGE_LIMIT = 100;
export const HYBRID_SEARCH_LIMITS = { min: 1, max: 500, default: 10 } as const;
export const REGEX_SEARCH_LIMITS = { min: 1, max: 500, default: 50 } as const;
export const SEARCH_REGEX_PATTERN_CHARACTERS = 1_024;
/**
 * LIMIT: a regex search skips lines of more than 4,096 characters, because a long line makes a
 * search slow. The search returns at most 50 lines of each file, so that answers stay small.
 */
export const SEARCH_REGEX_LINES = { lines: 50, characters: 4_096 } as const;
// ASSUMES: the query of a hybrid search has the same limit as the pattern of a regex search
// (contract test "bounds the query of a hybrid search").
export const SEARCH_QUERY_CHARACTERS = SEARCH_REGEX_PATTERN_CHARACTERS;

/**
 * Returns the number of Unicode code points in a string. All limits are in this unit.
 * ASSUMES: "characters" are code points, as in JSON Schema's `maxLength`. A limit in bytes would
 * refuse 51,200 CJK characters. Not every programming language uses UTF-16 units (contract tests
 * "takes a text of exactly 51,200 characters", "counts an astral character as one"). A string never
 * has fewer bytes or UTF-16 units than code points. So content with too many code points is too
 * long in each of these units, and a client need not send such content.
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

// ASSUMES: the path of a file has at most 4,096 characters and 128 names. Otherwise one small
// request could create a very deep tree. The limit for folders is lower, so that a file with the
// longest legal name still fits into each folder (contract test "bounds the length and the depth of
// a path").
export const MAX_PATH_CHARACTERS = { file: 4_096, folder: 4_096 - 1 - MAX_NAME_CHARACTERS } as const;
export const MAX_PATH_NAMES = { file: 128, folder: 127 } as const;

/** Reason why the content of a file cannot be stored as a document. */
export type TextFault = "not-utf-8" | "contains-nul" | "too-large";
