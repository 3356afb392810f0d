/**
 * Measures text in terminal cells: East Asian characters and most emoji take two, combining marks
 * none.
 */

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f1e6}-\u{1f1ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const NOTHING = /^[\p{Mark}\p{Default_Ignorable_Code_Point}]*$/u;
const PLAIN = /^[\u0020-\u007e]*$/;
/** Matches colour codes, which take no cells. */
const COLOURS = /\u001b\[[\d;]*m/g;

let segmenter: Intl.Segmenter | null = null;

/** Splits text into characters as a person sees them. */
function charactersOf(text: string): Iterable<string> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

export function cellsOf(text: string): number {
  const bare = text.replace(COLOURS, "");
  if (PLAIN.test(bare)) return bare.length;
  let cells = 0;
  for (const character of charactersOf(bare)) cells += cellsOfOne(character);
  return cells;
}

function cellsOfOne(character: string): number {
  if (NOTHING.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/**
 * Returns the beginning of a text that fits into `cells`, without half a character.
 * @param text without colours
 */
export function fitTo(text: string, cells: number): string {
  let [fitting, used] = ["", 0];
  for (const character of charactersOf(text)) {
    used += cellsOfOne(character);
    if (used > cells) break;
    fitting += character;
  }
  return fitting;
}

/** Pads a text with spaces to a width in cells. */
export function padTo(text: string, cells: number): string {
  return text + " ".repeat(Math.max(0, cells - cellsOf(text)));
}
