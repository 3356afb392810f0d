import type { SudoCaller } from "../mirror/trust/owner.ts";
import type { Clock } from "../common/clock.ts";
import type { Random } from "../common/random.ts";
import type { Stoppable } from "../mirror/ports/world.ts";
import type { ExitCode } from "./exit.ts";

/**
 * What a command uses of its process: output, questions, clock, environment. Tests pass an object
 * of their own to run commands without a new process.
 */
export type Io = {
  /** Prints one line of a result on standard output. Escapes line ends and control characters. */
  out(line: string): void;
  /**
   * Prints the content of a document on standard output without adding a line end. A terminal gets
   * control characters escaped; a pipe or file gets every byte unchanged.
   */
  text(text: string): void;
  /** Prints one line of an error or a hint on standard error. Escapes characters as `out` does. */
  err(line: string): void;
  /**
   * Replaces the status line of the terminal on standard error; `""` removes the line. May be
   * called only if `terminal.error` is true.
   */
  status(text: string): void;
  readonly terminal: {
    readonly input: boolean;
    readonly output: boolean;
    readonly error: boolean;
    readonly columns: number;
  };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the working folder. */
  readonly cwd: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Continues the process as the user who called `sudo`. */
  become(caller: SudoCaller): void;
  /**
   * Asks a question on the terminal. Returns the answer, or null if the input has ended. May be
   * called only if `terminal.input` is true.
   */
  ask(question: string): Promise<string | null>;
  /** Signal that aborts when the user or the system ends the process (SIGINT, SIGTERM, SIGHUP). */
  readonly stop: AbortSignal;
  /**
   * Runs `work` so that the first signal (SIGINT, SIGTERM or SIGHUP) does not end the process. The
   * signal only aborts the `AbortSignal` of `work`, so that `work` can report what it did. A second
   * signal ends the process.
   */
  readonly stoppable: Stoppable;
  /**
   * Reads a text file by its absolute path. The path `-` is standard input.
   * @throws the same errors as `readFileSync` of node:fs
   */
  readText(path: string): string;
};

/** Returns the members of `Io` that the operations in `mirror/` need. */
export function pickContext({ env, cwd, clock, random }: Io): Pick<Io, "env" | "cwd" | "clock" | "random"> {
  return { env, cwd, clock, random };
}

/**
 * An option of a command. `value` is the placeholder for the option's value in the help, such as
 * `FILE`; without a placeholder, the option is a flag.
 */
export type OptionSpec = {
  readonly help: string;
  readonly value?: string;
  readonly short?: string;
  readonly multiple?: boolean;
  /** All allowed values, if there are only a few. */
  readonly choices?: readonly string[];
  /** Smallest and largest allowed value of an option that takes a whole number. */
  readonly range?: readonly [least: number, most: number];
  /** True if the value is a duration, such as 90s. */
  readonly isTime?: boolean;
  /** Check of the value. `words` describes an allowed value in the message `--name takes WORDS`. */
  readonly form?: { readonly words: string; readonly isValid: (value: string) => boolean };
};

/** The parsed command line. Its options, operands and values are already checked. */
export type Args = {
  /** Operands in the order in which the user typed them. */
  readonly operands: readonly string[];
  /**
   * Returns true if the flag is set.
   * @throws if the command declares no such flag, which is a bug
   */
  flag(name: string): boolean;
  /**
   * Returns the last value of an option; null if the option is not set.
   * @throws if the command declares no such option with a value, which is a bug
   */
  text(name: string): string | null;
  /** Returns the value of an option that takes a whole number; null if the option is not set. */
  number(name: string): number | null;
  /**
   * Returns the value of an option that takes a duration, in milliseconds; null if it is not set.
   */
  ms(name: string): number | null;
  /** Returns how many times a repeatable flag is set, such as 2 for `-vv`. */
  count(name: string): number;
  /** Returns all values of a repeatable option, in the order of the command line. */
  texts(name: string): readonly string[];
};

export type Operands = {
  /**
   * Operands and required options as the usage line of the help shows them, such as `[DIR]`; "" if
   * the command has none.
   */
  readonly usage: string;
  readonly least: number;
  readonly most: number;
  /** All allowed values of the first operand, if there are only a few. */
  readonly words?: readonly string[];
  /**
   * Kind of names that shell completion offers for each operand, by position. The last kind also
   * applies to all later operands. Default: names of files.
   */
  readonly offers?: readonly ("mirror" | "folder" | "nothing")[];
};

/**
 * A command of the command line. Its module exports the command as `command`, and
 * `src/cli/table.ts` lists the module.
 */
export type Command = {
  /**
   * Paragraphs that `--help` prints after the summary. A paragraph that begins with a space is
   * printed unchanged; all other paragraphs are wrapped.
   */
  readonly about: readonly string[];
  /** Example command lines, complete as a user types them. */
  readonly examples: readonly string[];
  readonly options: Readonly<Record<string, OptionSpec>>;
  readonly operands: Operands;
  /** Runs the command and returns its exit code. `table` lists every command. */
  readonly run: (io: Io, args: Args, table: readonly CommandEntry[]) => Promise<ExitCode>;
};

export type CommandGroup = "start" | "daily" | "problems" | "history" | "look" | "service";

/** A row of the table of commands. `load` imports the module when the command is called. */
export type CommandEntry = {
  readonly name: string;
  readonly group: CommandGroup;
  /** Summary for the list of commands: one line that begins with a verb and has no full stop. */
  readonly summary: string;
  readonly load: () => Promise<{ readonly command: Command }>;
};
