import { optionsOf } from "../args.ts";
import type { Command, CommandEntry, OptionSpec } from "../command.ts";

/** Kind of words that the completion of a shell offers at one place. */
export type Offer =
  | { readonly kind: "nothing" }
  | { readonly kind: "file" }
  | { readonly kind: "folder" }
  /** A folder, or the name of a mirror. */
  | { readonly kind: "mirror" }
  | { readonly kind: "words"; readonly words: readonly string[] };

/** One option, as the completions of all three shells need it. `value`: null for a flag. */
export type DeclaredOption = {
  readonly name: string;
  readonly short: string | null;
  readonly help: string;
  readonly multiple: boolean;
  readonly value: { readonly placeholder: string; readonly offer: Offer } | null;
};

/**
 * One command, as the completions of all three shells need it. `later`: what follows the first
 * operand.
 */
export type DeclaredCommand = {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly DeclaredOption[];
  readonly first: Offer;
  readonly later: Offer;
};

const NOTHING: Offer = { kind: "nothing" };
const FILE: Offer = { kind: "file" };

/** Commands whose folder need not be linked yet, so names of linked folders are not offered. */
const TAKES_NO_NAME: ReadonlySet<string> = new Set(["init", "trust"]);

/** Returns every command of the table with its options. Loads the modules of all commands. */
export async function declaredCommands(table: readonly CommandEntry[]): Promise<readonly DeclaredCommand[]> {
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
 * Returns what to offer for an option, by the placeholder in the help: `FILE` is a file, `DIR` a
 * folder.
 */
function offerFor(placeholder: string, choices: readonly string[] | undefined): Offer {
  if (choices !== undefined) return { kind: "words", words: choices };
  if (placeholder === "DIR") return { kind: "folder" };
  return placeholder === "FILE" || placeholder === "PATH" ? { kind: "file" } : { kind: "nothing" };
}

function operandsOf({ usage, operands }: Command): Pick<DeclaredCommand, "first" | "later"> {
  if (operands.most === 0) return { first: NOTHING, later: NOTHING };
  const [first, later] = operandKinds(usage);
  const rest = operands.most === 1 ? NOTHING : later;
  return operands.words === undefined
    ? { first, later: rest }
    : { first: { kind: "words", words: operands.words }, later: rest };
}

/** Offers for placeholders of operands; every other placeholder is a file. */
const OPERANDS: Readonly<Record<string, Offer>> = {
  DIR: { kind: "mirror" },
  NEWDIR: { kind: "folder" },
  NAME: NOTHING,
  QUERY: NOTHING,
  RUN: NOTHING,
};

/**
 * Returns what to offer for the operands of a usage. Without alternatives, each operand counts by
 * its position. Otherwise: a linked folder if only `DIR` is named, else files and folders.
 */
function operandKinds(usage: string): readonly [first: Offer, later: Offer] {
  if (TAKES_NO_NAME.has(usage.split(" ")[0]!)) return [{ kind: "folder" }, NOTHING];
  const bare = usage.replace(/\[?--?[a-z][^[\]|]*\]?/g, " ");
  const offers = (bare.match(/\b[A-Z]{2,}\b/g) ?? []).map((word) => OPERANDS[word] ?? FILE);
  if (!bare.includes("|") && offers.length > 0) return [offers[0]!, offers[1] ?? offers[0]!];
  const one = offers.every(({ kind }) => kind === "mirror") ? OPERANDS["DIR"]! : FILE;
  return [one, one];
}
