/**
 * Pattern for the `v` flag: a character of a script that is written without spaces between words.
 */
export const UNSPACED = "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}]";
/** Pattern for a letter, digit or mark of any other script. */
export const LETTER = `[[\\p{L}\\p{N}\\p{M}]--${UNSPACED}]`;

const WORD = new RegExp(`${UNSPACED}|${LETTER}+`, "gv");
/** Matches words in plain ASCII text, faster than the general pattern. */
const ASCII_WORD = /[A-Za-z0-9]+/g;
const OTHER = /[^\0-\x7F]/;

/** Returns true if a text is plain ASCII. */
function isAscii(text: string): boolean {
  return !OTHER.test(text);
}

/**
 * Returns the words of a text: runs of letters, digits and marks. In scripts without spaces, each
 * character is a word.
 */
export function wordsOf(text: string): string[] {
  return text.match(isAscii(text) ? ASCII_WORD : WORD) ?? [];
}
