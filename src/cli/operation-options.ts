import type { Field } from "../mirror/operations/read-input.ts";
import type { Args, OptionSpec } from "./command.ts";
import { REACH_OPTIONS } from "./use-mirror.ts";

/** Makes options from the fields of an operation. */

type Options = Readonly<Record<string, OptionSpec>>;

export function optionsOf(fields: readonly Field[]): Options {
  return Object.fromEntries(fields.map((field) => [optionName(field.name), optionOf(field)]));
}

/** Returns the values of the fields that the options give. */
export function givenFields(fields: readonly Field[], args: Args): object {
  return Object.fromEntries(fields.map((field) => [field.name, givenValue(field, args)]));
}

/** Returns the options in the form of a usage line, without those that every such command has. */
export function usageOf(options: Options): string {
  const shown = Object.entries(options).filter(([name]) => !(name in REACH_OPTIONS));
  return shown.map(([name, { value }]) => (value === undefined ? `[--${name}]` : `[--${name} ${value}]`)).join(" ");
}

/** Derives the name of an option from the name of a field: `asOf` is `--as-of`. */
function optionName(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function optionOf({ help, type, value, short, choices }: Field): OptionSpec {
  return {
    help,
    ...(value === null ? {} : { value }),
    ...(short === null ? {} : { short }),
    ...(choices === null ? {} : { choices }),
    ...(type === "list" ? { multiple: true } : {}),
  };
}

function givenValue({ name, type }: Field, args: Args): unknown {
  const option = optionName(name);
  if (type === "flag") return args.flag(option) || undefined;
  if (type === "list") return args.texts(option).length === 0 ? undefined : args.texts(option);
  const text = args.text(option) ?? undefined;
  return type === "number" && text !== undefined ? Number(text) : text;
}
