import { listOwnMirrors } from "../../mirror/trust/list.ts";
import type { Command, CommandEntry } from "../command.ts";
import { SCRIPTS } from "../completion/scripts.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { listOptions } from "../args.ts";

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
        ? await formatOffers(words, table, () => listOwnMirrors(io.env).mirrors.map(({ name }) => name))
        : SCRIPTS[verb as keyof typeof SCRIPTS].split("\n");
    for (const line of lines) io.out(line);
    return EXIT.inSync;
  },
};

/**
 * A suggestion of shell completion for the next word. For `file` and `folder`, the shell itself
 * lists the names on the disk.
 */
type CompletionOffer = readonly [kind: "word" | "option" | "file" | "folder", word?: string, description?: string];

/**
 * Returns one line for each suggestion: its kind, word and description, separated by tabs.
 * @param words complete words after `mdmirror`
 * @param names returns the names of the linked folders
 */
async function formatOffers(
  words: readonly string[],
  table: readonly CommandEntry[],
  names: () => readonly string[],
): Promise<readonly string[]> {
  const offers = await findOffersAfter(words, table);
  const expandedOffers = offers.flatMap((offer) => {
    return offer === MIRROR_OFFER ? [...(toWordOffers(names()) ?? []), ...FOLDER_OFFERS] : [offer];
  });
  return expandedOffers.map(([kind, word = "", description = ""]) => `${kind}\t${word}\t${description}`);
}

/** Offers the folders on the disk, in addition to the names of all linked folders. */
const MIRROR_OFFER: CompletionOffer = ["folder", "DIR"];

async function findOffersAfter([name, ...rest]: readonly string[], table: readonly CommandEntry[]) {
  if (name === undefined || (name === "help" && rest.length === 0))
    return [...table.map((entry): CompletionOffer => ["word", entry.name, entry.summary]), ...GLOBAL_COMPLETIONS];
  const entry = table.find((candidate) => candidate.name === name);
  if (entry === undefined) return [];
  const { command } = await entry.load();
  const options = Object.entries(listOptions(command));
  const findOption = (word: string | undefined) =>
    options.find(([option, { short }]) => word === `--${option}` || word === `-${short}`)?.[1];
  const spec = findOption(rest.at(-1));
  if (spec?.value !== undefined) return toWordOffers(spec.choices) ?? OFFERS_BY_VALUE[spec.value] ?? [];
  const { most, words, offers = [] } = command.operands;
  const operandIndex = rest.filter(
    (word, i) => !word.startsWith("-") && findOption(rest[i - 1])?.value === undefined,
  ).length;
  const operands =
    toWordOffers(operandIndex === 0 ? words : undefined) ??
    OFFERS_BY_OPERAND[offers[operandIndex] ?? offers.at(-1) ?? "file"];
  const names = options.flatMap(([option, { short, help }]) =>
    [`--${option}`, ...(short === undefined ? [] : [`-${short}`])].map(
      (word): CompletionOffer => ["option", word, help],
    ),
  );
  return [...names, ...(operandIndex < most ? operands : [])];
}

const GLOBAL_COMPLETIONS: readonly CompletionOffer[] = [
  ["word", "help", "show help"],
  ["option", "--help", "list the commands"],
  ["option", "--version", "print the version"],
];

function toWordOffers(words: readonly string[] | undefined): readonly CompletionOffer[] | undefined {
  return words?.map((word) => ["word", word]);
}

const FILE_OFFERS: readonly CompletionOffer[] = [["file"]];
const FOLDER_OFFERS: readonly CompletionOffer[] = [["folder"]];

const OFFERS_BY_VALUE: Readonly<Record<string, readonly CompletionOffer[]>> = {
  DIR: FOLDER_OFFERS,
  FILE: FILE_OFFERS,
  PATH: FILE_OFFERS,
};

const OFFERS_BY_OPERAND = { mirror: [MIRROR_OFFER], folder: FOLDER_OFFERS, nothing: [], file: FILE_OFFERS } as const;
