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

const NOTHING: Offer = { kind: "nothing" };
const FILE: Offer = { kind: "file" };

/** Commands whose folder need not be a mirror yet: no names of mirrors are offered. */
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
  if (operands.most === 0) return { first: NOTHING, later: NOTHING };
  const [first, later] = operandKinds(usage);
  const rest = operands.most === 1 ? NOTHING : later;
  return operands.words === undefined
    ? { first, later: rest }
    : { first: { kind: "words", words: operands.words }, later: rest };
}

/** What placeholders of operands stand for; each other one is a file. */
const OPERANDS: Readonly<Record<string, Offer>> = {
  DIR: { kind: "mirror" },
  NEWDIR: { kind: "folder" },
  NAME: NOTHING,
  QUERY: NOTHING,
  RUN: NOTHING,
};

/**
 * Of a usage without alternatives, each operand by its place; else a mirror where only `DIR` is
 * named, and files and folders for every other.
 */
function operandKinds(usage: string): readonly [first: Offer, later: Offer] {
  if (TAKES_NO_NAME.has(usage.split(" ")[0]!)) return [{ kind: "folder" }, NOTHING];
  const bare = usage.replace(/\[?--?[a-z][^[\]|]*\]?/g, " ");
  const offers = (bare.match(/\b[A-Z]{2,}\b/g) ?? []).map((word) => OPERANDS[word] ?? FILE);
  if (!bare.includes("|") && offers.length > 0) return [offers[0]!, offers[1] ?? offers[0]!];
  const one = offers.every(({ kind }) => kind === "mirror") ? OPERANDS["DIR"]! : FILE;
  return [one, one];
}
