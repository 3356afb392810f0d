import { listOwnMirrors } from "../../mirror/trust/list.ts";
import type { Command, CommandEntry, Operands, OptionSpec } from "../command.ts";
import { SCRIPTS } from "../completion/scripts.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { optionsOf } from "../args.ts";

export const command: Command = {
  about: [
    "Prints a script that completes commands, options, names of linked folders, files and folders. For each new shell:",
    `  bash: a line in ~/.bashrc: eval "$(mdmirror completion bash)"`,
    `  zsh:  a line in ~/.zshrc:  eval "$(mdmirror completion zsh)"`,
    "  fish: mdmirror completion fish > ~/.config/fish/completions/mdmirror.fish",
    "To load it at the first TAB: save it in ~/.local/share/bash-completion/completions/ as mdmirror (bash-completion). For zsh: save it in a folder of $fpath as _mdmirror.",
    "The script calls mdmirror completion offer -- WORD…, which prints the offers after these words.",
  ],
  examples: ["mdmirror completion bash"],
  options: {},
  operands: {
    usage: "bash|zsh|fish",
    least: 1,
    most: Number.POSITIVE_INFINITY,
    words: [...Object.keys(SCRIPTS), "offer"],
  },
  async run(io, { operands: [verb, ...words] }, table): Promise<ExitCode> {
    const lines =
      verb === "offer"
        ? await offerLines(words, table, () => listOwnMirrors(io.env).mirrors.map(({ name }) => name))
        : SCRIPTS[verb as keyof typeof SCRIPTS].split("\n");
    for (const line of lines) io.out(line);
    return EXIT.inSync;
  },
};

/**
 * Finds what a shell offers for the next word of a command line. Each offer is a line with the
 * kind, the word and its description, separated by tabs.
 */

/** An offer. `file`, `folder`: the shell completes files or folders itself. */
type Offer = readonly [kind: "word" | "option" | "file" | "folder", word?: string, description?: string];

const FILE: readonly Offer[] = [["file"]];
const FOLDER: readonly Offer[] = [["folder"]];

/**
 * Returns the lines for the word after some words.
 * @param words after `mdmirror`, complete
 * @param names of the linked folders
 */
export async function offerLines(
  words: readonly string[],
  table: readonly CommandEntry[],
  names: () => readonly string[],
): Promise<readonly string[]> {
  const offers = await offersAfter(words, table);
  const shown = offers.flatMap((offer) => {
    return offer === MIRROR ? [...names().map((name): Offer => ["word", name]), ...FOLDER] : [offer];
  });
  return shown.map(([kind, word = "", description = ""]) => `${kind}\t${word}\t${description}`);
}

/** Stands for the names of linked folders, and for all other folders. */
const MIRROR: Offer = ["folder", "DIR"];

async function offersAfter([name, ...rest]: readonly string[], table: readonly CommandEntry[]) {
  if (name === undefined || (name === "help" && rest.length === 0)) {
    return [...table.map((entry): Offer => ["word", entry.name, entry.summary]), ...GLOBAL];
  }
  const entry = table.find((one) => one.name === name);
  if (entry === undefined) return [];
  const { command } = await entry.load();
  const options = Object.entries(optionsOf(command));
  const named = (word: string | undefined) =>
    options.find(([option, { short }]) => word === `--${option}` || word === `-${short}`)?.[1];
  const spec = named(rest.at(-1));
  if (spec?.value !== undefined) return offersForValue(spec);
  const operands = rest.filter((word, at) => !word.startsWith("-") && named(rest[at - 1])?.value === undefined);
  return [...options.flatMap(offersOfOption), ...offersForOperand(command.operands, operands.length)];
}

const GLOBAL: readonly Offer[] = [
  ["word", "help", "show help"],
  ["option", "--help", "list the commands"],
  ["option", "--version", "print the version"],
];

function offersOfOption([name, { short, help }]: readonly [string, OptionSpec]): readonly Offer[] {
  const long: Offer = ["option", `--${name}`, help];
  return short === undefined ? [long] : [long, ["option", `-${short}`, help]];
}

/** Returns what to offer for the value of an option, by the placeholder in the help. */
function offersForValue({ value, choices }: OptionSpec): readonly Offer[] {
  if (choices !== undefined) return wordsOf(choices);
  if (value === "DIR") return FOLDER;
  return value === "FILE" || value === "PATH" ? FILE : [];
}

function wordsOf(words: readonly string[]): readonly Offer[] {
  return words.map((word) => ["word", word]);
}

const OPERANDS = { mirror: [MIRROR], folder: FOLDER, nothing: [] } as const;

/**
 * Returns what to offer for an operand.
 * @param at number of the operand, from 0
 */
function offersForOperand({ most, words, offers = [] }: Operands, at: number): readonly Offer[] {
  if (at >= most) return [];
  if (at === 0 && words !== undefined) return wordsOf(words);
  const kind = offers[at] ?? offers.at(-1);
  return kind === undefined ? FILE : OPERANDS[kind];
}
