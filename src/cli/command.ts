import type { SudoCaller } from "../mirror/trust/owner.ts";
import type { Clock } from "../common/clock.ts";
import type { Random } from "../common/random.ts";
import type { Stoppable } from "../mirror/ports/world.ts";
import type { ExitCode } from "./exit.ts";

/**
 * Parts of the process that a command uses, such as output and signals. Tests pass their own `Io`,
 * so they start no process.
 */
export type Io = {
  /** Prints one line of a result on standard output. Escapes line ends and control characters. */
  out(line: string): void;
  /** Prints content unchanged to a pipe or file; escapes control characters on a terminal. */
  text(text: string): void;
  /** Prints one line of an error or a hint on standard error. Escapes characters as `out` does. */
  err(line: string): void;
  /**
   * Replaces the status line on standard error; `""` removes the line. Call it only if
   * `terminal.error` is true (standard error is a terminal).
   */
  status(text: string): void;
  readonly terminal: {
    readonly input: boolean;
    readonly output: boolean;
    readonly error: boolean;
    readonly columns: number;
  };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Changes the user of this process to the user who called `sudo`. */
  become(caller: SudoCaller): void;
  /**
   * Asks on the terminal. Returns null if the input has ended. Call it only if `terminal.input` is
   * true (standard input is a terminal).
   */
  ask(question: string): Promise<string | null>;
  /** Aborts on SIGINT, SIGTERM or SIGHUP. The first read of `stop` installs the signal handlers. */
  readonly stop: AbortSignal;
  /**
   * Runs `work`. The first SIGINT, SIGTERM or SIGHUP only aborts the `AbortSignal` that `work`
   * gets. So `work` can end early and report what it did. A second signal ends the process.
   */
  readonly stoppable: Stoppable;
  /** Reads a text file; the path `-` is standard input. Throws the errors of `readFileSync`. */
  readText(path: string): string;
};

export function pickContext({ env, cwd, clock, random }: Io): Pick<Io, "env" | "cwd" | "clock" | "random"> {
  return { env, cwd, clock, random };
}

/** An option. `value` is its placeholder in the help, such as `FILE`; a flag has none. */
export type OptionSpec = {
  readonly help: string;
  readonly value?: string;
  readonly short?: string;
  readonly multiple?: boolean;
  readonly choices?: readonly string[];
  /** Smallest and largest allowed value of an option that takes a whole number. */
  readonly range?: readonly [least: number, most: number];
  /** True if the value is a duration, such as 90s. */
  readonly isTime?: boolean;
  /**
   * `isValid` checks the value. `words` describes valid values, for the message `--name takes
   * WORDS`.
   */
  readonly form?: { readonly words: string; readonly isValid: (value: string) => boolean };
};

/** The parsed and checked command line. */
export type Args = {
  readonly operands: readonly string[];
  /** Returns true if the flag is set. Throws for an undeclared flag, which is a bug. */
  flag(name: string): boolean;
  /** Returns the last value of an option; null if unset. Throws for an undeclared option. */
  text(name: string): string | null;
  number(name: string): number | null;
  /** Returns a duration in milliseconds; null if the option is not set. */
  ms(name: string): number | null;
  /** Returns how many times a repeatable flag is set, such as 2 for `-vv`. */
  count(name: string): number;
  /** Returns all values of a repeatable option, in the order of the command line. */
  texts(name: string): readonly string[];
};

export type Operands = {
  /** Operands and required options in the usage line, such as `[DIR]`; "" for none. */
  readonly usage: string;
  readonly least: number;
  readonly most: number;
  readonly words?: readonly string[];
  /**
   * Suggestions of shell completion for each operand, by position. The last member also applies to
   * all later operands. Default: file names.
   */
  readonly offers?: readonly ("mirror" | "folder" | "nothing")[];
};

/** A command. Its module exports `command`, and `src/cli/table.ts` lists the module. */
export type Command = {
  /** Paragraphs of `--help` after the summary. A paragraph with a leading space is not wrapped. */
  readonly about: readonly string[];
  readonly examples: readonly string[];
  readonly options: Readonly<Record<string, OptionSpec>>;
  readonly operands: Operands;
  /** Runs the command and returns its exit code. `table` lists every command. */
  readonly run: (io: Io, args: Args, table: readonly CommandEntry[]) => Promise<ExitCode>;
};

export type CommandGroup = "start" | "daily" | "problems" | "history" | "look" | "service";

export type CommandEntry = {
  readonly name: string;
  readonly group: CommandGroup;
  /** Summary for the list of commands: one line that begins with a verb and has no full stop. */
  readonly summary: string;
  readonly load: () => Promise<{ readonly command: Command }>;
};
