import type { SudoCaller } from "../mirror/trust/owner.ts";
import type { Clock } from "../common/clock.ts";
import type { Random } from "../common/random.ts";
import type { Stoppable } from "../mirror/ports/world.ts";
import type { ExitCode } from "./exit.ts";

/**
 * Everything outside that a command may use: what it prints, asks or reads. A test makes its own,
 * so that commands run in process.
 */
export type Io = {
  /**
   * Prints one line on standard output: results. Characters that would end the line or steer a
   * terminal are escaped.
   */
  out(line: string): void;
  /**
   * Prints the text of a document on standard output: byte for byte, except on a terminal. It has
   * its own line ends.
   */
  text(text: string): void;
  /** Prints one line on standard error: errors and hints. Escaped as by `out`. */
  err(line: string): void;
  /**
   * Replaces the status line of the terminal (standard error); `""` removes it. Only where
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
  /**
   * While this runs, the first such signal only aborts what `work` is given, so that it can say
   * what it did; the next one ends the process.
   */
  readonly stoppable: Stoppable;
  /**
   * Reads a text file by its absolute path, or standard input for `-`.
   * @throws as node:fs does
   */
  readText(path: string): string;
};

/** One option. `value` is the placeholder of what follows it; without one it is a flag. */
export type OptionSpec = {
  readonly help: string;
  readonly value?: string;
  readonly short?: string;
  readonly multiple?: boolean;
  /** The words that the value can be, where they are few. */
  readonly choices?: readonly string[];
};

/** What was given on the command line, checked against the command's own options. */
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
  /**
   * Paragraphs of `--help` after the summary. A paragraph that begins with a space is printed as it
   * is; the others are wrapped.
   */
  readonly about: readonly string[];
  /** Whole command lines, as a user types them. */
  readonly examples: readonly string[];
  readonly options: Readonly<Record<string, OptionSpec>>;
  /** How many there may be; `words`: what the first one can be, where those are few. */
  readonly operands: { readonly least: number; readonly most: number; readonly words?: readonly string[] };
  /** `table` has every command, for commands that show all of them. */
  readonly run: (io: Io, args: Args, table: readonly Entry[]) => Promise<ExitCode>;
};

/** A group of commands in the help. */
export type Group = "start" | "daily" | "problems" | "history" | "look" | "service";

/** A row of the table of commands. A module is loaded when its command is named. */
export type Entry = {
  readonly name: string;
  readonly group: Group;
  /** Begins with a verb and has no full stop. */
  readonly summary: string;
  readonly load: () => Promise<{ readonly command: Command }>;
};
