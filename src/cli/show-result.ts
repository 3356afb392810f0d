import { shownWords } from "../common/shown-name.ts";
import type { Io } from "./command.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { jsonLine } from "./text.ts";

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
