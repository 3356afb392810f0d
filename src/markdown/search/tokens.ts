import { foldWords, isAscii } from "./fold.ts";

/**
 * How texts become words. Scripts that are written without spaces (Han, kana, Hangul with its
 * endings, Thai, Lao, Khmer, Burmese) and emoji come in runs: a run is found by its pairs of
 * characters, and by each character alone.
 */

const UNSPACED =
  "\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Hang}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}ー々〆\\p{Emoji_Presentation}";
const PARTS = new RegExp(`([${UNSPACED}]\\p{M}*)+|(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}])+`, "gu");
const ASCII_WORDS = /[a-z0-9]+/g;
const WORD_CHARACTER = new RegExp(`(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}]`, "u");
const ASCII_WORD_CHARACTER = /[A-Za-z0-9]/;

/** LIMIT: characters of a word. A longer one (base64, a hash) is cut: nobody types it. */
const LONGEST_WORD = 64;

export type Unit = { readonly kind: "word" | "run"; readonly text: string };

/** Returns the words and runs of a text, folded, in their order. */
export function unitsOf(text: string): Unit[] {
  const folded = foldWords(text);
  if (isAscii(folded)) return Array.from(folded.matchAll(ASCII_WORDS), ([word]) => ({ kind: "word", text: cut(word) }));
  return Array.from(folded.matchAll(PARTS), ([part, run]) =>
    run === undefined ? { kind: "word", text: cut(part) } : { kind: "run", text: part },
  );
}

function cut(word: string): string {
  return word.length <= LONGEST_WORD ? word : [...word].slice(0, LONGEST_WORD).join("");
}

/** Returns the pairs of characters of a run, each once; of a run of one character, that one. */
export function pairsOf(run: string): string[] {
  const characters = [...run];
  if (characters.length === 1) return characters;
  return [...new Set(characters.slice(1).map((character, i) => characters[i]! + character))];
}

/** Whether a folded character belongs to a word of a script with spaces. "" does not. */
export function isOfWord(character: string): boolean {
  return isAscii(character) ? ASCII_WORD_CHARACTER.test(character) : WORD_CHARACTER.test(character);
}
