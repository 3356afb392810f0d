import type { Io } from "./command.ts";

/** Colours of a terminal; plain text in a pipe, and where `NO_COLOR` is set (no-color.org: to anything but nothing). */
export type Paint = Readonly<Record<"added" | "removed" | "place" | "dim" | "strong", (text: string) => string>>;

const CODES = { added: 32, removed: 31, place: 36, dim: 2, strong: 1 } as const;

export function paintFor(io: Io): Paint {
  const on = io.terminal.output && (io.env["NO_COLOR"] ?? "") === "";
  const brush = (code: number) => (text: string) => (on && text !== "" ? `\u001b[${code}m${text}\u001b[0m` : text);
  return {
    added: brush(CODES.added),
    removed: brush(CODES.removed),
    place: brush(CODES.place),
    dim: brush(CODES.dim),
    strong: brush(CODES.strong),
  };
}

/** A text of a document as a terminal may show it: no control characters but tabs, so that none can move the cursor or colour the rest. */
export function shown(io: Io, text: string): string {
  return io.terminal.output
    ? text.replace(CONTROL, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`)
    : text;
}

const CONTROL = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/g;

/**
 * A line as a terminal may be given it: names come from the service and the disk, and none may move the cursor, or show itself in another
 * order than it has (`a\u202egnp.md`). What `paintFor` adds stays.
 */
export function forTerminal(line: string): string {
  return line.replace(STEERING, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

const STEERING =
  /[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f\u2028\u2029\p{Bidi_Control}]|\u001b(?!\[\d{1,2}(?:;\d{1,3})*m|\[0?m)/gu;
