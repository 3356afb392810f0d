/**
 * The numbers of `src/contract/README.md`, "Limits". Every one is tested at n-1, n and n+1 by
 * `test/contract`.
 */

export const MAX_CONTENT_CHARACTERS = 51_200;
export const MAX_NAME_CHARACTERS = 255;
export const MIN_PAGE_LIMIT = 1;
export const MAX_PAGE_LIMIT = 1_000;
export const DEFAULT_PAGE_LIMIT = 100;
export const SEARCH_HYBRID = { min: 1, max: 500, default: 10 } as const;
export const SEARCH_REGEX = { min: 1, max: 500, default: 50 } as const;
export const SEARCH_REGEX_PATTERN_CHARACTERS = 1_024;
/** How many lines of a file are shown, and the characters of the longest line that is searched. */
export const SEARCH_REGEX_LINES = { lines: 50, characters: 4_096 } as const;
// ASSUMES: a hybrid query has at most as many characters as a regex's (contract test "bounds the
// query of a hybrid search").
export const SEARCH_QUERY_CHARACTERS = SEARCH_REGEX_PATTERN_CHARACTERS;

/**
 * The length of a text in the unit of the limits: Unicode code points.
 *
 * ASSUMES: "characters" are code points, as JSON Schema's `maxLength` counts them: neither bytes (a
 * limit in bytes would call 51,200 CJK characters too long) nor UTF-16 units (an artefact of some
 * languages), so an emoji outside the BMP is one (contract tests "takes a text of exactly 51,200
 * characters", "counts an astral character as one"). Code points are also the smallest of the
 * sensible counts: what is over the limit here is over it in every unit, so a client may hold it
 * unsent.
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
// cannot make an unbounded tree; a folder's stops early enough for any legal file name in it
// (contract test "bounds the length and the depth of a path").
export const MAX_PATH_CHARACTERS = { file: 4_096, folder: 4_096 - 1 - MAX_NAME_CHARACTERS } as const;
export const MAX_PATH_NAMES = { file: 128, folder: 127 } as const;

/** Reasons for which a file's content cannot become a document, whatever its name. */
export type TextFault = "not-utf-8" | "contains-nul" | "too-large";
