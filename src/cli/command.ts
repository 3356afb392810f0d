import type { SudoCaller } from "../app/trust/owner.ts";
import type { Clock, Random } from "../ports/world.ts";
import type { ExitCode } from "./exit.ts";

/**
 * The world of a command: everything that it may say, ask or read. A test makes its own, so that
 * commands run in process.
 */
export type Io = {
  /**
   * One line on standard output: results. What of it would end the line or steer a terminal is
   * escaped.
   */
  out(line: string): void;
  /**
   * The text of a document on standard output: byte for byte, but on a terminal. It ends its own
   * lines.
   */
  text(text: string): void;
  /** One line on standard error: errors, hints; as `out`. */
  err(line: string): void;
  /**
   * Replaces the status line of the terminal (standard error); `""` takes it away. Only where
   * `terminal.error`.
   */
  status(text: string): void;
  readonly terminal: {
    readonly input: boolean;
    readonly output: boolean;
    readonly error: boolean;
    readonly columns: number;
  };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly cwd: string;
  readonly home: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Gives the rights of `sudo` back, for the rest of the process. */
  become(caller: SudoCaller): void;
  /** Asks on the terminal. null: no answer (the input ended). Only where `terminal.input`. */
  ask(question: string): Promise<string | null>;
  /** Aborted when the user or the system wants the process to end (SIGINT, SIGTERM, SIGHUP). */
  readonly stop: AbortSignal;
  /** Reads an absolute text file, or `-` for standard input. @throws as node:fs does */
  readText(path: string): string;
};

/** One option. `value` is the placeholder of what follows it; without one it is a flag. */
export type OptionSpec = {
  readonly help: string;
  readonly value?: string;
  readonly short?: string;
  readonly multiple?: boolean;
};

/** What was given on the command line, judged against the command's own table. */
export type Args = {
  /** Operands in their order; as many as the command allows. */
  readonly operands: readonly string[];
  /** @throws for a name that the command did not declare as a flag: a bug */
  flag(name: string): boolean;
  /** The last value given, or null. @throws for a name that was not declared with a value: a bug */
  text(name: string): string | null;
  /** Every value given, in order, of an option declared `multiple`. */
  texts(name: string): readonly string[];
};

/**
 * One command. Its module exports it as `command`; `src/cli/table.ts` names the module. `run` loads
 * what it needs (`await import`) when it runs, so that help and usage errors load nothing.
 */
export type Command = {
  /** What follows `mdmirror`, one line. */
  readonly usage: string;
  /** What it does, for `--help`, after the summary of the table: whole lines. */
  readonly about: readonly string[];
  readonly options: Readonly<Record<string, OptionSpec>>;
  readonly operands: { readonly least: number; readonly most: number };
  readonly run: (io: Io, args: Args) => Promise<ExitCode>;
};
