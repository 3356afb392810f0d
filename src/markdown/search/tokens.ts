/**
 * Splits strings into units: words and runs of characters. Runs are used for Chinese, Japanese,
 * Thai and some other scripts, which have no spaces between words, and also for Korean and emoji. A
 * run is searched by its characters and by pairs of them.
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
 * LIMIT: number of characters in a word. Longer words, such as base64, are cut, because nobody
 * types them in a query.
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

/**
 * Returns the pairs of adjacent characters in a run. If the run has only one character, returns
 * that character.
 */
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
