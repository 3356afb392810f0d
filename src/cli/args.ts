import { parseArgs } from "node:util";
import { parseAge } from "../common/age.ts";
import { nearestWord } from "../common/nearest-word.ts";
import type { Args, Command, OptionSpec } from "./command.ts";

export type ParsedArgs =
  | { readonly kind: "parsed"; readonly args: Args }
  | { readonly kind: "help" }
  | { readonly kind: "bad"; readonly why: string };

const HELP: OptionSpec = { help: "show this help", short: "h" };

/** Returns the options of a command, with those that every command has. */
export function optionsOf(command: Command): Readonly<Record<string, OptionSpec>> {
  return { ...command.options, help: HELP };
}

/**
 * Reads the arguments of one command: unknown options, missing values and too many operands are
 * `bad`.
 */
export function readArgs(command: Command, argv: readonly string[]): ParsedArgs {
  const specs = optionsOf(command);
  const unknown = unknownOption(specs, argv);
  if (unknown !== null) return { kind: "bad", why: unknown };
  let parsed: ReturnType<typeof parseArgs>;
  try {
    parsed = parseArgs({ args: [...argv], options: parseOptions(specs), allowPositionals: true, strict: true });
  } catch (error) {
    if (!(error instanceof TypeError) || !("code" in error)) throw error;
    // Node's message contains the option. Its second sentence explains `--`, which few users need.
    // If a value begins with a dash, the first line of Node's message is a question and the last
    // line gives the answer.
    const words = error.message
      .replace(/\.\n(?:.*\n)?/, ": ")
      .split(/\. /)[0]!
      .replaceAll("-XYZ", "-…");
    return { kind: "bad", why: words.replace(/\.$/, "") };
  }
  const { values, positionals } = parsed;
  if (values["help"] === true) return { kind: "help" };
  const { least, most } = command.operands;
  if (positionals.length < least) return { kind: "bad", why: "an operand is missing" };
  if (positionals.length > most) return { kind: "bad", why: `"${positionals[most]}" is one operand too many` };
  // An unset variable in a script gives an empty operand, which must not mean the whole folder.
  if (positionals.includes("")) return { kind: "bad", why: "an operand is empty" };
  const empty = Object.entries(values).find(([, value]) => isEmpty(value));
  if (empty !== undefined) return { kind: "bad", why: `--${empty[0]} is empty` };
  const wrong = unknownWord(command, specs, values, positionals);
  return wrong === null ? { kind: "parsed", args: argsOver(specs, values, positionals) } : { kind: "bad", why: wrong };
}

type Specs = Readonly<Record<string, OptionSpec>>;

function unknownOption(specs: Specs, argv: readonly string[]): string | null {
  const lax = { args: [...argv], options: parseOptions(specs), strict: false, allowPositionals: true } as const;
  const { tokens } = parseArgs({ ...lax, tokens: true });
  const names = new Set(Object.keys(specs));
  const token = tokens.find((one) => one.kind === "option" && !names.has(one.name));
  if (token?.kind !== "option") return null;
  const near = nearestWord(token.name, [...names]);
  return `there is no option ${token.rawName}${near === null ? "" : `; did you mean --${near}?`}`;
}

/** Checks the first operand, and the values of options that declare how their values look. */
function unknownWord(
  { operands: { words = [] } }: Command,
  specs: Specs,
  values: Readonly<Record<string, unknown>>,
  [first]: readonly string[],
): string | null {
  if (words.length > 0 && first !== undefined && !words.includes(first)) return notAmong(`"${first}"`, first, words);
  for (const [name, spec] of Object.entries(specs)) {
    for (const value of [values[name]].flat()) {
      const wrong = typeof value === "string" ? wrongValue(name, spec, value) : null;
      if (wrong !== null) return wrong;
    }
  }
  return null;
}

function wrongValue(name: string, { choices, range, form, isTime = false }: OptionSpec, value: string): string | null {
  if (choices !== undefined && !choices.includes(value)) return notAmong(`--${name} ${value}`, value, choices);
  if (isTime && parseAge(value) === null) return `--${name} takes a time such as 90s, 15m or 2d`;
  if (form !== undefined && !form.isFit(value)) return `--${name} takes ${form.words}`;
  if (range === undefined) return null;
  const [least, most] = range;
  const isFit = /^\d{1,10}$/.test(value) && Number(value) >= least && Number(value) <= most;
  return isFit ? null : `--${name} takes a whole number from ${least} to ${most}`;
}

/**
 * Returns a clause: the word is unknown. Adds the word that is probably meant, or all possible
 * words.
 */
export function notAmong(shown: string, word: string, words: readonly string[]): string {
  const near = nearestWord(word, words);
  return `${shown} is unknown; ${near === null ? `choose ${words.join(", ")}` : `did you mean ${near}?`}`;
}

function isEmpty(value: unknown): boolean {
  return value === "" || (Array.isArray(value) && value.includes(""));
}

type ParseOptions = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>["options"]>;

function parseOptions(specs: Specs): ParseOptions {
  const options: ParseOptions = {};
  for (const [name, { value, short, multiple }] of Object.entries(specs)) {
    options[name] = {
      type: value === undefined ? "boolean" : "string",
      ...(short === undefined ? {} : { short }),
      ...(multiple === undefined ? {} : { multiple }),
    };
  }
  return options;
}

function argsOver(
  specs: Readonly<Record<string, OptionSpec>>,
  values: Readonly<Record<string, unknown>>,
  operands: readonly string[],
): Args {
  const declared = (name: string, takesValue: boolean) => {
    const spec = specs[name];
    if (spec === undefined || (spec.value !== undefined) !== takesValue)
      throw new Error(`--${name} is not declared so`);
    return values[name];
  };
  const text = (name: string) => (declared(name, true) as string | undefined) ?? null;
  return {
    operands,
    flag: (name) => declared(name, false) === true,
    count: (name) => (declared(name, false) as readonly true[] | undefined)?.length ?? 0,
    text,
    number: (name) => (text(name) === null ? null : Number(text(name))),
    ms: (name) => (text(name) === null ? null : parseAge(text(name)!)),
    texts: (name) => (declared(name, true) as readonly string[] | undefined) ?? [],
  };
}
