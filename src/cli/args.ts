import { parseArgs } from "node:util";
import { parseAge } from "../common/age.ts";
import { nearestWord } from "../common/nearest-word.ts";
import type { Args, Command, Operands, OptionSpec } from "./command.ts";

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
 * Returns as a clause why the command does not accept an option; null if the command accepts it.
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

/** Returns as a clause why the operands are not valid; null if they are valid. */
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
 * Returns as a clause why the value of an option is not allowed; null if all values are allowed.
 */
function findValueFault(specs: OptionSpecs, values: Readonly<Record<string, unknown>>): string | null {
  for (const [name, spec] of Object.entries(specs)) {
    for (const value of [values[name]].flat()) {
      if (value === "") return `--${name} is empty`;
      const fault = typeof value === "string" ? describeWrongValue(name, spec, value) : null;
      if (fault !== null) return fault;
    }
  }
  return null;
}

function describeWrongValue(
  name: string,
  { choices, range, form, isTime = false }: OptionSpec,
  value: string,
): string | null {
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
 * Returns a clause about an unknown word. The clause contains the nearest known word or, if no
 * known word is near, all known words.
 * @param shown the unknown word as the message shows it
 */
export function describeUnknownWord(shown: string, word: string, words: readonly string[]): string {
  const near = nearestWord(word, words);
  return `${shown} is unknown; ${near === null ? `choose ${words.join(", ")}` : `did you mean ${near}?`}`;
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
