/**
 * Splits texts into words. Scripts written without spaces (Han, kana, Hangul with its endings,
 * Thai, Lao, Khmer, Burmese) and emoji form runs. A run is found by its pairs of characters, and by
 * each single character.
 */

import { foldWords } from "./fold.ts";

const UNSPACED =
  "\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Hang}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}ー々〆\\p{Emoji_Presentation}";
const PARTS = new RegExp(`([${UNSPACED}]\\p{M}*)+|(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}])+`, "gu");
const WORD_CHARACTER = new RegExp(`(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}]`, "u");

/** LIMIT: characters of a word. Longer ones (base64, hashes) are cut, because nobody types them. */
const LONGEST_WORD = 64;

export type Unit = { readonly kind: "word" | "run"; readonly text: string };

/** Returns the words and runs of a text, folded, in order. */
export function unitsOf(text: string): Unit[] {
  const folded = foldWords(text);
  return Array.from(folded.matchAll(PARTS), ([part, run]) =>
    run === undefined ? { kind: "word", text: cut(part) } : { kind: "run", text: part },
  );
}

function cut(word: string): string {
  return word.length <= LONGEST_WORD ? word : [...word].slice(0, LONGEST_WORD).join("");
}

/** Returns the distinct pairs of characters of a run; for a single character, that character. */
export function pairsOf(run: string): string[] {
  const characters = [...run];
  if (characters.length === 1) return characters;
  return [...new Set(characters.slice(1).map((character, i) => characters[i]! + character))];
}

/**
 * Returns true if a folded character can be part of a word in a script with spaces; false for "".
 */
export function isOfWord(character: string): boolean {
  return WORD_CHARACTER.test(character);
}
