/**
 * Returns a string in the form in which search compares strings. The form of a string contains the
 * form of each part of the string. The index depends on this rule when it looks for documents that
 * may match a regex.
 * - Letters are in lower case.
 * - Differences in Unicode form are removed (`ﬁ` becomes `fi`).
 * - Marks that people omit when they type are removed: accents of Latin, Greek and Cyrillic
 *   letters, vowel points of Arabic and Hebrew. Marks that distinguish words in other scripts stay.
 * LIMIT: the rule fails for letters with several marks, because Unicode sorts the marks.
 */
export function foldText(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return text.normalize("NFKD").toLowerCase().replace(DROPPED_MARKS, "").replaceAll("ς", "σ");
}

export function foldWords(text: string): string {
  return composeText(foldText(text));
}

/**
 * Joins letters and their marks where Unicode has one character for both. A Korean syllable, or a
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
   * points). The result also includes the following marks that `folded` lacks.
   */
  readonly toCharacters: (start: number, end: number) => readonly [number, number];
};

export function foldLine(line: string): FoldedLine {
  let folded = "";
  // `origins`: for each UTF-16 unit of `folded`, the index of its character in the line. `silent`:
  // for each character of the line, true if nothing of it is in `folded`.
  const origins: number[] = [];
  const silent: boolean[] = [];
  for (const character of line) {
    const part = foldText(character);
    for (let i = 0; i < part.length; i++) origins.push(silent.length);
    folded += part;
    silent.push(part === "");
  }
  const toCharacters = (start: number, end: number): readonly [number, number] => {
    let nextCharacter = origins[end - 1]! + 1;
    while (silent[nextCharacter] === true) nextCharacter++;
    return [origins[start]!, nextCharacter];
  };
  return { folded, toCharacters };
}
