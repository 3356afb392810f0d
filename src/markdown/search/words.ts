/**
 * Returns a string in the form in which search compares strings. The form of a string contains the
 * form of each part of the string. With this rule, the search index finds documents that may match
 * a regex.
 * - Letters are in lower case.
 * - Differences in Unicode form are removed (`ﬁ` becomes `fi`).
 * - Marks that people omit when they type are removed: accents of Latin, Greek and Cyrillic
 *   letters, vowel points of Arabic and Hebrew. Marks that distinguish words in other scripts stay.
 * LIMIT: the rule about parts fails for letters with several marks, because Unicode sorts the
 * marks.
 */
export function foldText(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return text.normalize("NFKD").toLowerCase().replace(DROPPED_MARKS, "").replaceAll("ς", "σ");
}

export function foldWords(text: string): string {
  return composeText(foldText(text));
}

/**
 * Joins letters and their marks if Unicode has one character for both. A Korean syllable, or a
 * Japanese character with a mark, is then one character.
 */
export function composeText(folded: string): string {
  return isAscii(folded) ? folded : folded.normalize("NFC");
}

const DROPPED_MARKS = /[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0640]/g;
const BEYOND_ASCII = /[^\u0000-\u007f]/;

export function isAscii(text: string): boolean {
  return !BEYOND_ASCII.test(text);
}

export type FoldedLine = {
  readonly folded: string;
  /**
   * Function that converts a range of `folded` (in UTF-16 units) to a range of the line (in code
   * points). The new range also includes marks after the range that `folded` lacks.
   */
  readonly toCharacters: (start: number, end: number) => readonly [number, number];
};

export function foldLine(line: string): FoldedLine {
  let folded = "";
  // `characterIndexes`: for each UTF-16 unit of `folded`, the index of its character in the line.
  // `silentFlags`: for each character of the line, true if nothing of the character is in `folded`.
  const characterIndexes: number[] = [];
  const silentFlags: boolean[] = [];
  for (const character of line) {
    const foldedCharacter = foldText(character);
    for (let i = 0; i < foldedCharacter.length; i++) characterIndexes.push(silentFlags.length);
    folded += foldedCharacter;
    silentFlags.push(foldedCharacter === "");
  }
  const toCharacters = (start: number, end: number): readonly [number, number] => {
    let nextCharacter = characterIndexes[end - 1]! + 1;
    while (silentFlags[nextCharacter] === true) nextCharacter++;
    return [characterIndexes[start]!, nextCharacter];
  };
  return { folded, toCharacters };
}

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

/**
 * A word, or a run of characters. Text in Chinese, Japanese, Thai and some other scripts has no
 * spaces between words, and is split into runs. Korean and emoji also become runs. A search looks
 * for the characters of a run, and for pairs of adjacent characters.
 */
export type QueryUnit = { readonly kind: "word" | "run"; readonly text: string };

export function splitIntoUnits(text: string): QueryUnit[] {
  const foldedText = foldWords(text);
  return Array.from(foldedText.matchAll(WORD_OR_RUN), ([part, run]) =>
    run === undefined ? { kind: "word", text: cutWord(part) } : { kind: "run", text: part },
  );
}

function cutWord(word: string): string {
  return word.length <= MAX_WORD_LENGTH ? word : [...word].slice(0, MAX_WORD_LENGTH).join("");
}

/** Returns the pairs of adjacent characters in a run, or the only character of a run. */
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
