/**
 * Folds a text for comparison: compatibility forms decomposed (`ﬁ` is `fi`, full width is half),
 * lower case, without marks that people omit when they type. These are Latin, Greek and Cyrillic
 * diacritics, Arabic and Hebrew points. Other marks (Devanagari, Thai, kana's voicing) distinguish
 * words and stay. Folding works by code point: a folded text contains the folded form of each of
 * its parts. The keys by which an index narrows down a regex depend on this rule.
 * LIMIT: the rule fails for several marks on one letter, because Unicode's decomposition sorts
 * them.
 */
export function foldText(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return text.normalize("NFKD").toLowerCase().replace(DROPPED, "").replaceAll("ς", "σ");
}

/** Returns the folded text in the form in which words are compared. */
export function foldWords(text: string): string {
  return composed(foldText(text));
}

/** Returns folded text in composed form, so that a syllable of Hangul or kana is one character. */
export function composed(folded: string): string {
  return isAscii(folded) ? folded : folded.normalize("NFC");
}

const DROPPED = /[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0640]/g;
const BEYOND_ASCII = /[^\u0000-\u007f]/;

export function isAscii(text: string): boolean {
  return !BEYOND_ASCII.test(text);
}

/** A line with its folded form, and the mapping back to the line. */
export type FoldedLine = {
  readonly folded: string;
  /**
   * Maps a half-open range of UTF-16 units of `folded` to a half-open range of code points of the
   * line. The result includes removed marks that follow.
   */
  readonly toCharacters: (start: number, end: number) => readonly [number, number];
};

export function foldLine(line: string): FoldedLine {
  let folded = "";
  // `origins`: for each unit of `folded`, the index of its code point in the line. `silent`: for
  // each code point of the line, true if folding removes it.
  const origins: number[] = [];
  const silent: boolean[] = [];
  for (const character of line) {
    const part = foldText(character);
    for (let i = 0; i < part.length; i++) origins.push(silent.length);
    folded += part;
    silent.push(part === "");
  }
  const toCharacters = (start: number, end: number): readonly [number, number] => {
    let last = origins[end - 1]! + 1;
    while (silent[last] === true) last++;
    return [origins[start]!, last];
  };
  return { folded, toCharacters };
}
