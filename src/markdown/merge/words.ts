/** Pattern for the `v` flag: a character of a script that has no spaces between words. */
export const UNSPACED = "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}]";
/** Pattern for a letter, digit or mark that `UNSPACED` does not match. */
export const LETTER = `[[\\p{L}\\p{N}\\p{M}]--${UNSPACED}]`;

const WORD = new RegExp(`${UNSPACED}|${LETTER}+`, "gv");

/**
 * Returns the words of a text: runs of letters, digits and marks. In scripts without spaces, each
 * character is a word.
 */
export function wordsOf(text: string): string[] {
  return text.match(WORD) ?? [];
}
