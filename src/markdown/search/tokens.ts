/**
 * Splits strings into words. Chinese, Japanese, Thai and some other scripts have no spaces between
 * words; for these, for Korean and for emoji, finds runs of characters instead. A run is searched
 * by its characters and by pairs of them.
 */

import { foldWords } from "./fold.ts";

const UNSPACED_CHARACTERS =
  "\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Hang}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}ー々〆\\p{Emoji_Presentation}";
const WORD_OR_RUN = new RegExp(
  `([${UNSPACED_CHARACTERS}]\\p{M}*)+|(?:(?![${UNSPACED_CHARACTERS}])[\\p{L}\\p{N}\\p{M}])+`,
  "gu",
);
const WORD_CHARACTER = new RegExp(`(?![${UNSPACED_CHARACTERS}])[\\p{L}\\p{N}\\p{M}]`, "u");

/**
 * LIMIT: characters of a word, because nobody types longer words in a query. Longer words, such as
 * base64, are cut.
 */
const MAX_WORD_LENGTH = 64;

export type QueryUnit = { readonly kind: "word" | "run"; readonly text: string };

export function splitIntoUnits(text: string): QueryUnit[] {
  const folded = foldWords(text);
  return Array.from(folded.matchAll(WORD_OR_RUN), ([part, run]) =>
    run === undefined ? { kind: "word", text: cutWord(part) } : { kind: "run", text: part },
  );
}

function cutWord(word: string): string {
  return word.length <= MAX_WORD_LENGTH ? word : [...word].slice(0, MAX_WORD_LENGTH).join("");
}

/** If a run has only one character, returns that character. */
export function splitIntoPairs(run: string): string[] {
  const characters = [...run];
  if (characters.length === 1) return characters;
  return [...new Set(characters.slice(1).map((character, i) => characters[i]! + character))];
}

/**
 * Returns true if a folded character can be part of a word in a script with spaces; false for an
 * empty string.
 */
export function isWordCharacter(character: string): boolean {
  return WORD_CHARACTER.test(character);
}
