/**
 * A character of a script that is written without spaces between words, as a pattern for the `v`
 * flag.
 */
export const UNSPACED = "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}]";
/** A letter, digit or mark of any other script. */
export const LETTER = `[[\\p{L}\\p{N}\\p{M}]--${UNSPACED}]`;

const WORD = new RegExp(`${UNSPACED}|${LETTER}+`, "gv");
/** The same in a text of ASCII alone, where it is found sooner. */
const ASCII_WORD = /[A-Za-z0-9]+/g;
const OTHER = /[^\0-\x7F]/;

/** Whether a text is ASCII alone. */
function isAscii(text: string): boolean {
  return !OTHER.test(text);
}

/**
 * The words of a text: runs of letters, digits and marks; scripts written without spaces go
 * character by character.
 */
export function wordsOf(text: string): string[] {
  return text.match(isAscii(text) ? ASCII_WORD : WORD) ?? [];
}
