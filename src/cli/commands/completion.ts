import { listOwnMirrors } from "../../mirror/trust/list.ts";
import { type Command, type CommandEntry, joinCommandWords, listOptions } from "../command.ts";

/**
 * Shell scripts that complete command lines. A script asks `mdmirror completion offer` for
 * suggestions, so a new mdmirror needs no new script.
 */
export const SCRIPTS = {
  // Works with bash 3.2 (on macOS) and later. The script evaluates nothing that the user typed.
  bash: String.raw`# Completion of mdmirror for bash; made by "mdmirror completion bash".
_mdmirror() {
  local cur=${"$"}{COMP_WORDS[COMP_CWORD]} before=() kind word rest i
  COMPREPLY=()
  # Bash takes --option=value for three words.
  for (( i = 1; i < COMP_CWORD; i++ )); do
    [[ ${"$"}{COMP_WORDS[i]} == "=" ]] || before+=("${"$"}{COMP_WORDS[i]}")
  done
  [[ $cur == "=" ]] && cur=""
  while IFS=$'\t' read -r kind word rest; do
    case "$kind $cur" in
      option\ -*|word*) [[ $word == "$cur"* ]] && COMPREPLY+=("$(printf %q "$word")") ;;
      option*|*\ -*) ;;
      file*) compopt -o default 2>/dev/null ;;
      folder*) compopt -o plusdirs 2>/dev/null ;;
    esac
  done < <(mdmirror completion offer -- ${"$"}{before[@]+"${"$"}{before[@]}"} 2>/dev/null)
}
# Bash 3.2 has no compopt: its files are completed wherever nothing else is.
if type compopt >/dev/null 2>&1; then complete -F _mdmirror mdmirror
else complete -o default -F _mdmirror mdmirror; fi`,
  zsh: String.raw`#compdef mdmirror
# Completion of mdmirror for zsh; made by "mdmirror completion zsh".
_mdmirror() {
  local kind word help ret=1
  local -a before options offered
  local -A places
  before=("${"$"}{(@Q)words[2,CURRENT-1]}")
  if [[ $PREFIX == --*=* ]]; then before+=("${"$"}{PREFIX%%=*}"); compset -P '*='; fi
  while IFS=$'\t' read -r kind word help; do
    case $kind in
      word) offered+=("${"$"}{word//:/\\:}:$help") ;;
      option) options+=("$word:$help") ;;
      *) places[$kind]=1 ;;
    esac
  done < <(mdmirror completion offer -- "${"$"}{before[@]}" 2>/dev/null)
  if [[ $PREFIX == -* ]]; then _describe option options; return; fi
  (( $#offered )) && _describe word offered && ret=0
  (( ${"$"}{+places[file]} )) && _files && ret=0
  (( ${"$"}{+places[folder]} )) && _directories && ret=0
  return ret
}
# Loaded by the completion system this file is the function's body; sourced, it registers it.
if [[ $funcstack[1] == _mdmirror ]]; then _mdmirror "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i; }
  compdef _mdmirror mdmirror
fi`,
  // Works with fish 3.0 and later.
  fish: String.raw`# Completion of mdmirror for fish; made by "mdmirror completion fish".
function __mdmirror_offers
  set -l before (commandline -opc)
  set -e before[1]
  set -l current (commandline -ct | string unescape)
  set -l head (string match -r -- '^--[^=]+=' "$current")
  test -n "$head"; and set -a before (string trim -r -c = -- $head)
  mdmirror completion offer -- $before 2>/dev/null | while read -d \t -l kind word help
    switch $kind
      case word
        printf '%s%s\t%s\n' "$head" $word $help
      case option
        string match -q -- '-*' "$current"; and printf '%s\t%s\n' $word $help
      case file
        __fish_complete_path "$current"
      case folder
        __fish_complete_directories "$current"
    end
  end
end
complete -c mdmirror -e
complete -c mdmirror -f -a '(__mdmirror_offers)'`,
} as const;

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
  async run(io, { operands: [verb, ...words] }, table) {
    if (verb !== "offer") return { lines: SCRIPTS[verb as keyof typeof SCRIPTS].split("\n") };
    return { lines: await formatOffers(words, table, () => listOwnMirrors(io.env).mirrors.map(({ name }) => name)) };
  },
};

/**
 * A suggestion of shell completion for the next word. For `file` and `folder`, the shell itself
 * lists the names on the disk.
 */
type Offer = readonly [kind: "word" | "option" | "file" | "folder", word?: string, description?: string];

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

/** Suggests the folders on the disk, in addition to the names of all linked folders. */
const MIRROR_OFFER: Offer = ["folder", "DIR"];

async function findOffersAfter(words: readonly string[], table: readonly CommandEntry[]) {
  const [name, ...rest] = joinCommandWords(words);
  if (name === undefined || (name === "help" && rest.length === 0))
    return [...table.map((entry): Offer => ["word", entry.name, entry.summary]), ...GLOBAL_COMPLETIONS];
  const entry = table.find((candidate) => candidate.name === name);
  if (entry === undefined) return [];
  const { command } = await entry.load();
  const options = Object.entries(listOptions(command));
  const findOption = (word: string | undefined) =>
    options.find(([option, { short }]) => word === `--${option}` || word === `-${short}`)?.[1];
  const spec = findOption(rest.at(-1));
  if (spec?.value !== undefined) return toWordOffers(spec.choices) ?? OFFERS_BY_VALUE[spec.value] ?? [];
  const { most, words: firstWords, offers = [] } = command.operands;
  const index = rest.filter((word, i) => !word.startsWith("-") && findOption(rest[i - 1])?.value === undefined).length;
  const operands =
    toWordOffers(index === 0 ? firstWords : undefined) ?? OFFERS_BY_OPERAND[offers[index] ?? offers.at(-1) ?? "file"];
  const names = options.flatMap(([option, { short, help }]) =>
    [`--${option}`, ...(short === undefined ? [] : [`-${short}`])].map((word): Offer => ["option", word, help]),
  );
  return [...names, ...(index < most ? operands : [])];
}

const GLOBAL_COMPLETIONS: readonly Offer[] = [
  ["word", "help", "show help"],
  ["option", "--help", "list the commands"],
  ["option", "--version", "print the version"],
];

function toWordOffers(words: readonly string[] | undefined): readonly Offer[] | undefined {
  return words?.map((word) => ["word", word]);
}

const FILE_OFFERS: readonly Offer[] = [["file"]];
const FOLDER_OFFERS: readonly Offer[] = [["folder"]];

const OFFERS_BY_VALUE: Readonly<Record<string, readonly Offer[]>> = {
  DIR: FOLDER_OFFERS,
  FILE: FILE_OFFERS,
  PATH: FILE_OFFERS,
};

const OFFERS_BY_OPERAND = { mirror: [MIRROR_OFFER], folder: FOLDER_OFFERS, nothing: [], file: FILE_OFFERS } as const;
