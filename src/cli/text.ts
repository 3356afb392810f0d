import type { Io } from "./command.ts";
import { shownWords, toEscapeSequence } from "../common/shown-words.ts";
import { once } from "../common/once.ts";
import { count, formatAge } from "../common/quantities.ts";

/** Functions that colour a string, or return it unchanged. `asks`: colour for "action required". */
export type Paint = Readonly<Record<keyof typeof COLOUR_CODES, (text: string) => string>>;

const COLOUR_CODES = { added: 32, removed: 31, place: 36, dim: 2, strong: 1, good: 32, bad: 31, asks: 33 } as const;

/**
 * Returns true if output to a stream is coloured. The first of these rules that applies decides:
 * - `FORCE_COLOR`: no colours for `0` and `false`, otherwise colours
 * - `NO_COLOR` (no-color.org) with any value, or `TERM=dumb`: no colours
 * - otherwise: colours only on a terminal
 */
export function isColoured({ env, terminal }: Pick<Io, "env" | "terminal">, stream: "output" | "error"): boolean {
  const forcedColour = env["FORCE_COLOR"];
  if (forcedColour !== undefined) return forcedColour !== "0" && forcedColour !== "false";
  if ((env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb") return false;
  return terminal[stream];
}

export const PLAIN_PAINT: Paint = makePaint((text) => text);

function makePaint(brush: (text: string, code: number) => string): Paint {
  const colourFunctions = Object.entries(COLOUR_CODES).map(([name, code]) => [
    name,
    (text: string) => brush(text, code),
  ]);
  return Object.fromEntries(colourFunctions) as Paint;
}

export function choosePaint(io: Pick<Io, "env" | "terminal">, stream: "output" | "error" = "output"): Paint {
  // The check runs on first use, because the check opens the stream, and most commands never print
  // to the stream.
  const isPaintOn = once(() => isColoured(io, stream));
  return makePaint((text, code) => (text !== "" && isPaintOn() ? `\u001b[${code}m${text}\u001b[0m` : text));
}

/** Escapes control characters, except tabs, if standard output is a terminal. */
export function escapeForTerminal(io: Io, text: string): string {
  return io.terminal.output ? escapeLine(text, false) : text;
}

/**
 * Escapes all characters in a line that end the line or control a terminal.
 * @param coloured true to leave mdmirror's own colour codes unescaped
 */
export function escapeLine(line: string, coloured: boolean): string {
  return line.replace(coloured ? CONTROLS_EXCEPT_COLOURS : CONTROL_CHARACTERS, toEscapeSequence);
}

/** Escapes the control characters of a document for a terminal. Keeps line feeds and tabs. */
export function escapeLines(text: string): string {
  return text.replace(CONTROLS_EXCEPT_LINE_ENDS, toEscapeSequence);
}

const CONTROL_CHARACTERS = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/gu;
const CONTROLS_EXCEPT_LINE_ENDS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/gu;
const CONTROLS_EXCEPT_COLOURS =
  /[\u0000-\u0008\u000a-\u001a\u001c-\u001f\u007f-\u009f\u2028\u2029\p{Bidi_Control}]|\u001b(?!\[\d{1,2}(?:;\d{1,3})*m|\[0?m)/gu;

/** Returns the age of a moment in words, such as `3 h`. `since`: milliseconds since the epoch. */
export function formatTimeSince(io: Io, since: number): string {
  return formatAge(io.clock.now() - since);
}

/** Returns the counts above zero with their words, such as `3 in review, 2 differ`. */
export function formatCounts(counts: readonly (readonly [n: number, words: string])[]): string {
  return counts.flatMap(([n, words]) => (n === 0 ? [] : [`${count(n)} ${words}`])).join(", ");
}

/** Joins cells to lines of aligned columns. Does not pad the last column. */
export function formatColumns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, countCells(cell));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : padToCells(cell, widths[column]!)))
      .join("  ")
      .trimEnd(),
  );
}

/** Entry of a printed list: its line or lines. */
type ListEntry = string | readonly string[];

/**
 * Returns the lines of the first entries of a long list, then a line with the number of entries
 * that are not shown.
 * @param indent beginning of the last line
 * @param ending end of the last line, such as the command that shows the whole list
 */
export function cutLines(entries: readonly ListEntry[], most: number, indent: string, ending = ""): string[] {
  const leftOutCount = entries.length - most;
  const lines = entries.slice(0, most).flat();
  return leftOutCount <= 0 ? lines : [...lines, `${indent}… and ${count(leftOutCount)} more${ending}`];
}

/** Joins the first names of a long list in one line: `a.md, b.md and 3 more`. */
export function joinNames(names: readonly string[], most: number): string {
  const moreClause = names.length > most ? ` and ${count(names.length - most)} more` : "";
  return `${names.slice(0, most).join(", ")}${moreClause}`;
}

const WIDE_CHARACTERS =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f1e6}-\u{1f1ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const ZERO_WIDTH_CHARACTERS = /^[\p{Mark}\p{Default_Ignorable_Code_Point}]*$/u;
const ONLY_ASCII = /^[\u0020-\u007e]*$/;
const COLOUR_SEQUENCES = /\u001b\[[\d;]*m/g;

let graphemeSegmenter: Intl.Segmenter | null = null;

/** Splits a text into graphemes, which are characters as people see them. */
function splitGraphemes(text: string): Iterable<string> {
  graphemeSegmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return Array.from(graphemeSegmenter.segment(text), ({ segment }) => segment);
}

export function countCells(text: string): number {
  const uncolouredText = text.replace(COLOUR_SEQUENCES, "");
  if (ONLY_ASCII.test(uncolouredText)) return uncolouredText.length;
  let cells = 0;
  for (const character of splitGraphemes(uncolouredText)) cells += countGraphemeCells(character);
  return cells;
}

function countGraphemeCells(character: string): number {
  if (ZERO_WIDTH_CHARACTERS.test(character)) return 0;
  return WIDE_CHARACTERS.test(character) ? 2 : 1;
}

/** Cuts an uncoloured string after the last grapheme that fits into `cells` cells of a terminal. */
export function cutToCells(text: string, cells: number): string {
  let [fitting, used] = ["", 0];
  for (const character of splitGraphemes(text)) {
    used += countGraphemeCells(character);
    if (used > cells) break;
    fitting += character;
  }
  return fitting;
}

export function padToCells(text: string, cells: number): string {
  return text + " ".repeat(Math.max(0, cells - countCells(text)));
}

/** Returns one line of JSON, with escapes for all characters that could control a terminal. */
export function formatJsonLine(value: unknown): string {
  return JSON.stringify(value).replace(CONTROL_CHARACTERS, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

export function printNotes(io: Io, notes: readonly string[]): void {
  for (const note of notes) io.err(`mdmirror: ${shownWords(note)}`);
}
