import { escaped } from "../common/shown-name.ts";
import { once } from "../common/once.ts";
import type { Io } from "./command.ts";

/**
 * Colours on a terminal, plain text elsewhere. `good`, `bad` and `asks` are the possible results of
 * a command.
 */
export type Paint = Readonly<Record<keyof typeof CODES, (text: string) => string>>;

const CODES = { added: 32, removed: 31, place: 36, dim: 2, strong: 1, good: 32, bad: 31, asks: 33 } as const;

/**
 * Returns true if output is coloured. `FORCE_COLOR` decides if set (`0` and `false`: never; else
 * always, also in a pipe). Then `NO_COLOR` decides (no-color.org: any value), then the stream: a
 * terminal with colours.
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
export function shown(io: Io, text: string): string {
  return io.terminal.output
    ? text.replace(CONTROL, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`)
    : text;
}

const CONTROL = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/g;

/**
 * Makes one safe line for a terminal, a pipe or a file. `shownName` escapes names; this function
 * escapes what is left.
 * @param coloured true if `paintFor` may have coloured the line; colours stay only then
 */
export function oneLine(line: string, coloured: boolean): string {
  return line.replace(coloured ? BUT_COLOURS : STEERING, escaped);
}

/** Returns the lines of a document in the form that a terminal may receive. */
export function linesForTerminal(text: string): string {
  return text.replace(BUT_LINES, escaped);
}

const STEERING = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/gu;
const BUT_LINES = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/gu;
const BUT_COLOURS =
  /[\u0000-\u0008\u000a-\u001a\u001c-\u001f\u007f-\u009f\u2028\u2029\p{Bidi_Control}]|\u001b(?!\[\d{1,2}(?:;\d{1,3})*m|\[0?m)/gu;
