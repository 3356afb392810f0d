import type { SudoCaller } from "../mirror/trust/owner.ts";
import type { Clock } from "../common/clock.ts";
import type { Random } from "../common/random.ts";
import type { Stoppable } from "../mirror/ports/world.ts";
import type { ExitCode } from "./exit.ts";

/**
 * The environment of a command: output, questions, clock, files. Tests pass their own, so that
 * commands run in process.
 */
export type Io = {
  /**
   * Prints one line of results on standard output. Escapes characters that would end the line or
   * control a terminal.
   */
  out(line: string): void;
  /**
   * Prints the content of a document on standard output: byte for byte, except on a terminal. Adds
   * no line end.
   */
  text(text: string): void;
  /** Prints one line of an error or a hint on standard error. Escapes characters as `out` does. */
  err(line: string): void;
  /**
   * Replaces the status line of the terminal (standard error); `""` removes it. Call it only if
   * `terminal.error` is true.
   */
  status(text: string): void;
  readonly terminal: {
    readonly input: boolean;
    readonly output: boolean;
    readonly error: boolean;
    readonly columns: number;
  };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute path. */
  readonly cwd: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Drops the rights of `sudo` for the rest of the process. */
  become(caller: SudoCaller): void;
  /**
   * Asks on the terminal. Returns null if the input ended. Only callable if `terminal.input` is
   * true.
   */
  ask(question: string): Promise<string | null>;
  /** Aborted when the user or the system ends the process (SIGINT, SIGTERM, SIGHUP). */
  readonly stop: AbortSignal;
  /**
   * Runs `work`. Meanwhile, the first SIGINT or SIGTERM only aborts the signal of `work`, so that
   * `work` can report what it did. The next one ends the process.
   */
  readonly stoppable: Stoppable;
  /**
   * Reads a text file by its absolute path, or standard input for `-`.
   * @throws as node:fs does
   */
  readText(path: string): string;
};

/** Returns the members of `Io` that operations of the client need. */
export function contextOf({ env, cwd, clock, random }: Io): Pick<Io, "env" | "cwd" | "clock" | "random"> {
  return { env, cwd, clock, random };
}

/** One option. `value` is the placeholder for its value; an option without `value` is a flag. */
export type OptionSpec = {
  readonly help: string;
  readonly value?: string;
  readonly short?: string;
  readonly multiple?: boolean;
  /** Possible values, if there are only a few. */
  readonly choices?: readonly string[];
  /** Least and greatest value, if the value is a whole number. */
  readonly range?: readonly [least: number, most: number];
  /** True if the value is a length of time, such as 90s. */
  readonly isTime?: boolean;
  /** Form of the value. `words`: the form, for the message `--name takes WORDS`. */
  readonly form?: { readonly words: string; readonly isValid: (value: string) => boolean };
};

/** The parsed command line, checked against the options of the command. */
export type Args = {
  /** Operands in their order, within the command's limits. */
  readonly operands: readonly string[];
  /** @throws if the command does not declare this flag: a bug */
  flag(name: string): boolean;
  /**
   * Returns the last value of the option, or null.
   * @throws if the command declares no such option with a value: a bug
   */
  text(name: string): string | null;
  /** Returns the value of an option with a range, or null. */
  number(name: string): number | null;
  /** Returns the value of an option for a time in milliseconds, or null. */
  ms(name: string): number | null;
  /** Returns how often a flag declared `multiple` was set, such as 2 for `-vv`. */
  count(name: string): number;
  /** Returns every value of an option that may be repeated, in order. */
  texts(name: string): readonly string[];
};

export type Operands = {
  /** Form of the operands and of required options in the usage, such as `[DIR]`; may be empty. */
  readonly usage: string;
  readonly least: number;
  readonly most: number;
  /** Possible values of the first operand, if there are only a few. */
  readonly words?: readonly string[];
  /**
   * Kind of names that a shell offers for each operand, by position. The last entry also applies to
   * all further operands. Default: files.
   */
  readonly offers?: readonly ("mirror" | "folder" | "nothing")[];
};

/**
 * One command. Its module exports it as `command`, and `src/cli/table.ts` lists the module. A
 * module is loaded when its command is called.
 */
export type Command = {
  /**
   * Paragraphs of `--help` after the summary. A paragraph that begins with a space is printed
   * unchanged; the others are wrapped.
   */
  readonly about: readonly string[];
  /** Whole command lines, as users type them. */
  readonly examples: readonly string[];
  readonly options: Readonly<Record<string, OptionSpec>>;
  readonly operands: Operands;
  /** Runs the command. `table` has every command, for commands that show all of them. */
  readonly run: (io: Io, args: Args, table: readonly CommandEntry[]) => Promise<ExitCode>;
};

/** A group of commands in the help. */
export type Group = "start" | "daily" | "problems" | "history" | "look" | "service";

/** A row of the table of commands. A module is loaded when its command is called. */
export type CommandEntry = {
  readonly name: string;
  readonly group: Group;
  /** One line for the list of commands. Begins with a verb and has no full stop. */
  readonly summary: string;
  readonly load: () => Promise<{ readonly command: Command }>;
};
