import { EXIT, type ExitCode } from "./exit.ts";
import { escaped, shownWords } from "../common/shown-name.ts";
import { once } from "../common/once.ts";
import type { Io } from "./command.ts";
import { count } from "../common/count.ts";
import { ageText } from "../common/age.ts";

/**
 * Colours on a terminal, plain text elsewhere. `good`, `bad` and `asks` are the possible results of
 * a command.
 */
export type Paint = Readonly<Record<keyof typeof CODES, (text: string) => string>>;

const CODES = { added: 32, removed: 31, place: 36, dim: 2, strong: 1, good: 32, bad: 31, asks: 33 } as const;

/**
 * Returns true if output is coloured. `FORCE_COLOR` decides if set (`0` and `false`: never;
 * otherwise always, also in a pipe). Then `NO_COLOR` decides (no-color.org: any value), then the
 * stream: a terminal with colours.
 */
export function isColoured({ env, terminal }: Pick<Io, "env" | "terminal">, stream: "output" | "error"): boolean {
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  if ((env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb") return false;
  return terminal[stream];
}

/** Leaves text as it is, for output without colours. */
export const PLAIN: Paint = paintBy((text) => text);

function paintBy(brush: (text: string, code: number) => string): Paint {
  const colours = Object.entries(CODES).map(([name, code]) => [name, (text: string) => brush(text, code)]);
  return Object.fromEntries(colours) as Paint;
}

/**
 * Returns the colours for a stream.
 * @param stream where the lines are printed
 */
export function paintFor(io: Pick<Io, "env" | "terminal">, stream: "output" | "error" = "output"): Paint {
  // Evaluated on first use, because this opens the stream, and most commands never write to it.
  const isOn = once(() => isColoured(io, stream));
  return paintBy((text, code) => (text !== "" && isOn() ? `\u001b[${code}m${text}\u001b[0m` : text));
}

/**
 * Returns content for a terminal: no control characters but tabs, so that nothing moves the cursor
 * or changes colours.
 */
export function clean(io: Io, text: string): string {
  return io.terminal.output ? oneLine(text, false) : text;
}

/**
 * Makes one safe line for a terminal, a pipe or a file. `shownName` escapes names; this function
 * escapes all other characters.
 * @param coloured true if `paintFor` may have coloured the line; colours stay only then
 */
export function oneLine(line: string, coloured: boolean): string {
  return line.replace(coloured ? CONTROLS_EXCEPT_COLOURS : STEERING, escaped);
}

/** Returns the lines of a document in the form that a terminal may receive. */
export function linesForTerminal(text: string): string {
  return text.replace(CONTROLS_EXCEPT_LINE_ENDS, escaped);
}

const STEERING = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/gu;
const CONTROLS_EXCEPT_LINE_ENDS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/gu;
const CONTROLS_EXCEPT_COLOURS =
  /[\u0000-\u0008\u000a-\u001a\u001c-\u001f\u007f-\u009f\u2028\u2029\p{Bidi_Control}]|\u001b(?!\[\d{1,2}(?:;\d{1,3})*m|\[0?m)/gu;

/** Returns the age of a time, such as `3 h`. */
export function age(io: Io, since: number): string {
  return ageText(io.clock.now() - since);
}

/** Returns `3 in review, 2 differ`: the counts above zero with their words. */
export function countWords(counts: readonly (readonly [n: number, words: string])[]): string {
  return counts.flatMap(([n, words]) => (n === 0 ? [] : [`${count(n)} ${words}`])).join(", ");
}

/** Aligns columns with two spaces between them; the last column is not padded. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cellsOf(cell));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : padTo(cell, widths[column]!)))
      .join("  ")
      .trimEnd(),
  );
}

/**
 * Returns the first lines of a long list, and how many were left out.
 * @param indent text before the line with that number
 * @param ending text after it, such as the command that shows all of them
 */
export function firstLines(lines: readonly string[], most: number, indent: string, ending = ""): readonly string[] {
  const more = lines.length - most;
  return more <= 0 ? lines : [...lines.slice(0, most), `${indent}… and ${count(more)} more${ending}`];
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f1e6}-\u{1f1ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const NO_WIDTH = /^[\p{Mark}\p{Default_Ignorable_Code_Point}]*$/u;
const ASCII = /^[\u0020-\u007e]*$/;
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
  if (ASCII.test(bare)) return bare.length;
  let cells = 0;
  for (const character of charactersOf(bare)) cells += cellsOfOne(character);
  return cells;
}

function cellsOfOne(character: string): number {
  if (NO_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/**
 * Returns the beginning of a text that fits into `cells`, without half a character.
 * @param text a text without colours
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

/**
 * Returns a JSON value on one line that cannot control a terminal: also escapes characters that
 * JSON does not escape.
 */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(STEERING, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** Result of a command: one JSON object, or lines for people. */
export type CommandResult = {
  readonly json: object;
  readonly lines: readonly string[];
  /** Warnings, as lines for standard error. They are printed with `--json`, too. */
  readonly warnings?: readonly string[];
  /** Exit code. Undefined: the exit code for success. */
  readonly exit?: ExitCode;
};

/** Prints the result of a command, and returns its exit code. */
export function showResult(
  io: Io,
  isJson: boolean,
  { json, lines, warnings = [], exit = EXIT.inSync }: CommandResult,
): ExitCode {
  for (const line of isJson ? [jsonLine(json)] : lines) io.out(line);
  for (const line of warnings) io.err(line);
  return exit;
}

/** Prints messages for the user. */
export function printNotes(io: Io, notes: readonly string[]): void {
  for (const note of notes) io.err(`mdmirror: ${shownWords(note)}`);
}
