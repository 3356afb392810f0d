/** Limits of the API (`src/contract/README.md`, "Limits"). `test/contract` tests each limit. */

export const MAX_CONTENT_CHARACTERS = 51_200;
export const MAX_NAME_CHARACTERS = 255;
export const MIN_PAGE_LIMIT = 1;
export const MAX_PAGE_LIMIT = 1_000;
export const DEFAULT_PAGE_LIMIT = 100;
export const SEARCH_HYBRID = { min: 1, max: 500, default: 10 } as const;
export const SEARCH_REGEX = { min: 1, max: 500, default: 50 } as const;
export const SEARCH_REGEX_PATTERN_CHARACTERS = 1_024;
/**
 * LIMIT: in each file, a regex search skips lines of more than 4,096 characters and shows 50 lines
 * at most, so that no file makes a search slow or an answer large.
 */
export const SEARCH_REGEX_LINES = { lines: 50, characters: 4_096 } as const;
// ASSUMES: the query of a hybrid search may have as many characters as the pattern of a regex
// search (contract test "bounds the query of a hybrid search").
export const SEARCH_QUERY_CHARACTERS = SEARCH_REGEX_PATTERN_CHARACTERS;

/**
 * Returns the length of a string in Unicode code points, the unit of all limits.
 * ASSUMES: "characters" are code points, as in JSON Schema's `maxLength`. A limit in bytes would
 * refuse 51,200 CJK characters, and UTF-16 units depend on the programming language (contract tests
 * "takes a text of exactly 51,200 characters", "counts an astral character as one"). No other unit
 * gives a smaller number. So a client may refuse to send content that is over a limit.
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
// cannot create a tree of any depth. The path of a folder is shorter, so that the longest legal
// file name still fits below it (contract test "bounds the length and the depth of a path").
export const MAX_PATH_CHARACTERS = { file: 4_096, folder: 4_096 - 1 - MAX_NAME_CHARACTERS } as const;
export const MAX_PATH_NAMES = { file: 128, folder: 127 } as const;

/** Reason why a file's content cannot be the content of a document. */
export type TextFault = "not-utf-8" | "contains-nul" | "too-large";
