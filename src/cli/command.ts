import type { SudoCaller } from "../mirror/trust/owner.ts";
import type { ProcessContext } from "../mirror/folder/open-mirror.ts";
import type { Stoppable } from "../mirror/ports/world.ts";
import type { ExitCode } from "./exit.ts";
import { parseArgs } from "node:util";
import { parseAge } from "../common/quantities.ts";
import { nearestWord } from "../common/nearest-word.ts";

/**
 * Parts of the process that a command uses, such as output and signals. Tests pass an `Io` of their
 * own, and so start no process.
 */
export type Io = ProcessContext & {
  /** Prints one line of a result on standard output. Escapes line ends and control characters. */
  out(line: string): void;
  /** Prints content unchanged to a pipe or file; escapes control characters on a terminal. */
  text(text: string): void;
  /** Prints one line of an error or a hint on standard error. Escapes characters as `out` does. */
  err(line: string): void;
  /**
   * Replaces the status line on standard error; `""` removes the status line. Call only if
   * `terminal.error` is true (standard error is a terminal).
   */
  status(text: string): void;
  readonly terminal: {
    readonly input: boolean;
    readonly output: boolean;
    readonly error: boolean;
    readonly columns: number;
  };
  become(caller: SudoCaller): void;
  /**
   * Asks on the terminal. Returns null if the input has ended. Call only if `terminal.input` is
   * true (standard input is a terminal).
   */
  ask(question: string): Promise<string | null>;
  /** Aborts on SIGINT, SIGTERM or SIGHUP. The first read of `stop` installs the signal handlers. */
  readonly stop: AbortSignal;
  /**
   * Runs `work`. The first SIGINT, SIGTERM or SIGHUP only aborts the `AbortSignal` that `work`
   * gets, so that `work` can end early and report its results. A second signal ends the process.
   */
  readonly stoppable: Stoppable;
  /** Reads a text file; the path `-` is standard input. Throws the errors of `readFileSync`. */
  readText(path: string): string;
};

export function pickContext({ env, cwd, clock, random }: Io): ProcessContext {
  return { env, cwd, clock, random };
}

/** An option. `value`: placeholder of the option's value in the help; undefined for a flag. */
export type OptionSpec = {
  readonly help: string;
  readonly value?: string;
  readonly short?: string;
  readonly multiple?: boolean;
  readonly choices?: readonly string[];
  /** Smallest and largest value of an option that takes a whole number. */
  readonly range?: readonly [least: number, most: number];
  /** True if the value is a duration, such as 90s. */
  readonly isTime?: boolean;
  /**
   * `isValid` checks the option's value. `words` describes valid values, for the message `--name
   * takes WORDS`.
   */
  readonly form?: { readonly words: string; readonly isValid: (value: string) => boolean };
};

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
   * Kinds of words that shell completion suggests for each operand, by position. The last kind also
   * applies to all later operands. Default: file names.
   */
  readonly offers?: readonly ("mirror" | "folder" | "nothing")[];
};

/** A command. A module in `commands/` exports the command, and `table.ts` names the module. */
export type Command = {
  /** Paragraphs of `--help` after the summary. A paragraph with a leading space is not wrapped. */
  readonly about: readonly string[];
  readonly examples: readonly string[];
  readonly options: Readonly<Record<string, OptionSpec>>;
  readonly operands: Operands;
  /** Runs the command. `table` lists all commands of mdmirror. */
  readonly run: (io: Io, args: Args, table: readonly CommandEntry[]) => Promise<CommandEnd>;
};

/** Result to print, or the exit code of a command that has printed its output itself. */
export type CommandEnd = CommandResult | ExitCode;

/** Result of a command: lines for people, or one object for `--json`. */
export type CommandResult = {
  readonly lines: readonly string[];
  /** Undefined for a command without `--json`. */
  readonly json?: object;
  /** Lines for standard error, which `--json` omits. */
  readonly hints?: readonly string[];
  /** Warnings for standard error, one line each, also with `--json`. */
  readonly warnings?: readonly string[];
  /** Exit code; undefined for success. */
  readonly exit?: ExitCode;
};

export type CommandGroup = "start" | "daily" | "problems" | "history" | "look" | "service";

export type CommandEntry = {
  readonly name: string;
  readonly group: CommandGroup;
  /** Summary for the list of commands. Begins with a verb and has no full stop. */
  readonly summary: string;
  readonly load: () => Promise<{ readonly command: Command }>;
};

const SERVE_SUBCOMMANDS: ReadonlySet<string | undefined> = new Set(["admin", "backup", "restore"]);

/** Joins the two words of a command name: `serve admin` becomes `serve-admin`. */
export function joinCommandWords(argv: readonly string[]): readonly string[] {
  return argv[0] === "serve" && SERVE_SUBCOMMANDS.has(argv[1]) ? [`serve-${argv[1]}`, ...argv.slice(2)] : argv;
}

type ParsedArgs =
  | { readonly kind: "parsed"; readonly args: Args }
  | { readonly kind: "help" }
  | { readonly kind: "bad"; readonly why: string };

type OptionSpecs = Readonly<Record<string, OptionSpec>>;

/** Returns the options that a command accepts, including `--help`, which every command has. */
export function listOptions(command: Command): OptionSpecs {
  return { ...command.options, help: { help: "show this help", short: "h" } };
}

export function readArgs(command: Command, argv: readonly string[]): ParsedArgs {
  const specs = listOptions(command);
  const parseableOptions = toParseOptions(specs);
  const parserConfig = { options: parseableOptions, allowPositionals: true, strict: false, tokens: true } as const;
  const { values, positionals, tokens } = parseArgs({ args: [...argv], ...parserConfig });
  for (const token of tokens) {
    const optionError = token.kind === "option" ? findOptionFault(specs, token) : null;
    if (optionError !== null) return { kind: "bad", why: optionError };
  }
  if (values["help"] === true) return { kind: "help" };
  const fault = findOperandFault(command.operands, positionals) ?? findValueFault(specs, values);
  return fault === null ? { kind: "parsed", args: makeArgs(specs, values, positionals) } : { kind: "bad", why: fault };
}

type OptionToken = Extract<NonNullable<ReturnType<typeof parseArgs>["tokens"]>[number], { kind: "option" }>;

/**
 * Returns a clause that says why the command refuses an option; null if the command accepts the
 * option.
 */
function findOptionFault(specs: OptionSpecs, { name, rawName, value, inlineValue }: OptionToken): string | null {
  const spec = Object.hasOwn(specs, name) ? specs[name]! : null;
  if (spec === null) {
    const nearestName = nearestWord(name, Object.keys(specs));
    return `there is no option ${rawName}${nearestName === null ? "" : `; did you mean --${nearestName}?`}`;
  }
  if (spec.value === undefined) return value === undefined ? null : `--${name} takes no value`;
  if (value === undefined) return `--${name} takes ${spec.value}`;
  // A user may forget the value of an option. The next option must not become that value.
  const isUnclear = inlineValue === false && value.length > 1 && value.startsWith("-");
  return isUnclear ? `--${name} takes ${spec.value}; a value that begins with a dash: --${name}=${value}` : null;
}

/** Returns a clause that says why the operands are not valid; null if they are valid. */
function findOperandFault({ least, most, words = [] }: Operands, operands: readonly string[]): string | null {
  const [first] = operands;
  if (operands.length < least) return "an operand is missing";
  if (operands.length > most) return `"${operands[most]}" is one operand too many`;
  // An unset variable in a script gives an empty operand. An empty operand must not mean the whole
  // folder.
  if (operands.includes("")) return "an operand is empty";
  return words.length === 0 || first === undefined || words.includes(first)
    ? null
    : describeUnknownWord(`"${first}"`, first, words);
}

/**
 * Returns a clause that says why the value of an option is not allowed; null if all values are
 * allowed.
 */
function findValueFault(specs: OptionSpecs, values: Readonly<Record<string, unknown>>): string | null {
  for (const [name, spec] of Object.entries(specs)) {
    for (const value of [values[name]].flat()) {
      if (value === "") return `--${name} is empty`;
      const fault = typeof value === "string" ? checkValue(name, spec, value) : null;
      if (fault !== null) return fault;
    }
  }
  return null;
}

function checkValue(name: string, { choices, range, form, isTime = false }: OptionSpec, value: string): string | null {
  if (choices !== undefined && !choices.includes(value))
    return describeUnknownWord(`--${name} ${value}`, value, choices);
  if (isTime && parseAge(value) === null) return `--${name} takes a time such as 90s, 15m or 2d`;
  if (form !== undefined && !form.isValid(value)) return `--${name} takes ${form.words}`;
  if (range === undefined) return null;
  const [least, most] = range;
  const isInRange = /^\d{1,10}$/.test(value) && Number(value) >= least && Number(value) <= most;
  return isInRange ? null : `--${name} takes a whole number from ${least} to ${most}`;
}

/**
 * Returns a clause about an unknown word. The clause suggests the nearest known word. If no known
 * word is near, the clause lists all known words.
 * @param shown the unknown word as the message shows it
 */
export function describeUnknownWord(shown: string, word: string, words: readonly string[]): string {
  const nearWord = nearestWord(word, words);
  return `${shown} is unknown; ${nearWord === null ? `choose ${words.join(", ")}` : `did you mean ${nearWord}?`}`;
}

type ParseOptions = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>["options"]>;

function toParseOptions(specs: OptionSpecs): ParseOptions {
  return Object.fromEntries(
    Object.entries(specs).map(([name, { value, short, multiple = false }]) => {
      const type = value === undefined ? ("boolean" as const) : ("string" as const);
      return [name, { type, multiple, ...(short === undefined ? {} : { short }) }];
    }),
  );
}

function makeArgs(specs: OptionSpecs, values: Readonly<Record<string, unknown>>, operands: readonly string[]): Args {
  const readDeclared = (name: string, takesValue: boolean) => {
    const spec = specs[name];
    if (spec === undefined || (spec.value !== undefined) !== takesValue)
      throw new Error(`--${name} is not declared so`);
    return values[name];
  };
  const text = (name: string) => (readDeclared(name, true) as string | undefined) ?? null;
  return {
    operands,
    flag: (name) => readDeclared(name, false) === true,
    count: (name) => (readDeclared(name, false) as readonly true[] | undefined)?.length ?? 0,
    text,
    number: (name) => (text(name) === null ? null : Number(text(name))),
    ms: (name) => (text(name) === null ? null : parseAge(text(name)!)),
    texts: (name) => (readDeclared(name, true) as readonly string[] | undefined) ?? [],
  };
}
