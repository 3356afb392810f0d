/**
 * The form in which texts are compared: compatibility forms taken apart (`ﬁ` is `fi`, full width is
 * half), lower case, without the marks that people leave out when they type (Latin, Greek and
 * Cyrillic diacritics, Arabic and Hebrew points). Other marks (Devanagari, Thai, kana's voicing)
 * tell words apart and stay.
 *
 * Folding goes code point by code point: what a text contains, its folded form contains folded. The
 * trigrams that stand before a regex depend on that.
 * LIMIT: but for the order of several marks on one letter, which Unicode's decomposition sorts.
 */
export function foldText(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return text.normalize("NFKD").toLowerCase().replace(DROPPED, "").replaceAll("ς", "σ");
}

/**
 * Composed again after folding, so that a syllable of Hangul or kana is one character: the form of
 * words.
 */
export function foldWords(text: string): string {
  const folded = foldText(text);
  return isAscii(folded) ? folded : folded.normalize("NFC");
}

const DROPPED = /[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0640]/g;
const BEYOND_ASCII = /[^\u0000-\u007f]/;

export function isAscii(text: string): boolean {
  return !BEYOND_ASCII.test(text);
}

/** A line with its folded form, and the way back. */
export class FoldedLine {
  readonly folded: string;
  /** For each unit of `folded`, the code point that it comes from. null: its own. */
  readonly #origins: readonly number[] | null;
  /** The code points of the line that leave nothing in `folded`. */
  readonly #silent: readonly boolean[];

  constructor(folded: string, origins: readonly number[] | null, silent: readonly boolean[]) {
    this.folded = folded;
    this.#origins = origins;
    this.#silent = silent;
  }

  /**
   * Half-open range of UTF-16 units of `folded` → half-open range of code points of the line, whole
   * with the marks that follow.
   */
  toCharacters(start: number, end: number): readonly [number, number] {
    if (this.#origins === null) return [start, end];
    let last = this.#origins[end - 1]! + 1;
    while (this.#silent[last] === true) last++;
    return [this.#origins[start]!, last];
  }
}

export function foldLine(line: string): FoldedLine {
  if (isAscii(line)) return new FoldedLine(line.toLowerCase(), null, []);
  let folded = "";
  const origins: number[] = [];
  const silent: boolean[] = [];
  for (const character of line) {
    const part = foldText(character);
    for (let i = 0; i < part.length; i++) origins.push(silent.length);
    folded += part;
    silent.push(part === "");
  }
  return new FoldedLine(folded, origins, silent);
}
