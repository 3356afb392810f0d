import { optionsOf } from "../args.ts";
import type { Command, Entry, OptionSpec } from "../command.ts";

/** What the completion of a shell offers at one place. */
export type Offer =
  | { readonly kind: "nothing" }
  | { readonly kind: "file" }
  | { readonly kind: "folder" }
  /** A folder, or the name of a mirror. */
  | { readonly kind: "mirror" }
  | { readonly kind: "words"; readonly words: readonly string[] };

/** One option as the three shells need it. `value` is null for a flag. */
export type DeclaredOption = {
  readonly name: string;
  readonly short: string | null;
  readonly help: string;
  readonly multiple: boolean;
  readonly value: { readonly placeholder: string; readonly offer: Offer } | null;
};

/** One command as the three shells need it. `later` is what follows the first operand. */
export type DeclaredCommand = {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly DeclaredOption[];
  readonly first: Offer;
  readonly later: Offer;
};

/** They take a folder that need not be a mirror yet. */
const TAKES_NO_NAME: ReadonlySet<string> = new Set(["init", "trust"]);

/** Every command of the table with its options; this loads all their modules. */
export async function declaredCommands(table: readonly Entry[]): Promise<readonly DeclaredCommand[]> {
  return Promise.all(
    table.map(async ({ name, summary, load }) => {
      const { command } = await load();
      const options = Object.entries(optionsOf(command)).map(([option, spec]) => declaredOption(option, spec));
      return { name, summary, options, ...operandsOf(command) };
    }),
  );
}

function declaredOption(name: string, spec: OptionSpec): DeclaredOption {
  const { value, short, help, multiple } = spec;
  const taken = value === undefined ? null : { placeholder: value, offer: offerFor(value, spec.choices) };
  return { name, short: short ?? null, help, multiple: multiple === true, value: taken };
}

/**
 * What to offer for an option, by the placeholder that the help shows: `FILE` is a file, `DIR` a
 * folder.
 */
function offerFor(placeholder: string, choices: readonly string[] | undefined): Offer {
  if (choices !== undefined) return { kind: "words", words: choices };
  if (placeholder === "DIR") return { kind: "folder" };
  return placeholder === "FILE" || placeholder === "PATH" ? { kind: "file" } : { kind: "nothing" };
}

function operandsOf({ usage, operands }: Command): Pick<DeclaredCommand, "first" | "later"> {
  const nothing: Offer = { kind: "nothing" };
  if (operands.most === 0) return { first: nothing, later: nothing };
  const offers = operandKinds(usage);
  const { words } = operands;
  if (words !== undefined) return { first: { kind: "words", words }, later: operands.most === 1 ? nothing : offers };
  return { first: offers, later: operands.most === 1 ? nothing : offers };
}

/** A command whose usage names only `DIR` takes mirrors; every other takes files and folders. */
function operandKinds(usage: string): Offer {
  if (TAKES_NO_NAME.has(usage.split(" ")[0]!)) return { kind: "folder" };
  const others = usage.replace(/\[?--?[a-z][^[\]|]*\]?/g, " ").match(/\b[A-Z]{2,}\b/g) ?? [];
  return { kind: others.every((word) => word === "DIR") ? "mirror" : "file" };
}
