/** Pattern (flag `v`) for a character of a script without spaces between words. */
export const UNSPACED_CHARACTER = "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}]";
/** Pattern (flag `v`) for a letter, digit or combining mark of any other script. */
export const LETTER = `[[\\p{L}\\p{N}\\p{M}]--${UNSPACED_CHARACTER}]`;

const WORD = new RegExp(`${UNSPACED_CHARACTER}|${LETTER}+`, "gv");

/** Splits a string into words. In scripts without spaces, each character is a word. */
export function splitIntoWords(text: string): string[] {
  return text.match(WORD) ?? [];
}
