import type { DeclaredCommand, Offer } from "./declared.ts";

/**
 * Returns the completion for bash from 3.2 on (macOS). The script evaluates nothing that the user
 * typed, and needs no other package.
 */
export function bashCompletion(commands: readonly DeclaredCommand[]): readonly string[] {
  return [
    "# Completion of mdmirror for bash; made by `mdmirror completion bash`.",
    "_mdmirror_offer() {",
    "  local line",
    "  COMPREPLY=()",
    `  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$@" -- "$cur")`,
    "}",
    "# Files and folders are completed by readline itself, which knows ~ and how to quote.",
    "_mdmirror_files() { compopt -o default 2>/dev/null; }",
    "_mdmirror_folders() { compopt -o dirnames 2>/dev/null; }",
    "# This function compares and quotes names: compgen -W would evaluate it.",
    "_mdmirror_mirrors() {",
    "  local name",
    "  while IFS= read -r name; do",
    `    [[ $name == "$cur"* ]] && COMPREPLY+=("$(printf %q "$name")")`,
    "  done < <(mdmirror list --names 2>/dev/null)",
    "  compopt -o plusdirs 2>/dev/null",
    "}",
    "_mdmirror() {",
    `  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} options="" first="" later="" i operands=0`,
    "  COMPREPLY=()",
    `  if (( COMP_CWORD == 1 )); then _mdmirror_offer -W "${commandWords(commands)}"; return; fi`,
    "  # Bash takes --option=value for three words.",
    `  if [[ $cur == "=" ]]; then cur=""`,
    `  elif [[ $prev == "=" ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi`,
    `  case "\${COMP_WORDS[1]}" in`,
    ...commands.map(commandCase),
    `    help) first="-W ${commands.map(({ name }) => name).join(" ")}" ;;`,
    "    *) return ;;",
    "  esac",
    `  case "\${COMP_WORDS[1]} $prev" in`,
    ...commands.flatMap(valueCases),
    "  esac",
    `  if [[ $cur == -* ]]; then _mdmirror_offer -W "$options"; return; fi`,
    `  for (( i = 2; i < COMP_CWORD; i++ )); do [[ \${COMP_WORDS[i]} == -* ]] || operands=$(( operands + 1 )); done`,
    '  (( operands == 0 )) || first="$later"',
    `  case "$first" in`,
    `    -W*) _mdmirror_offer -W "\${first#-W }" ;;`,
    "    files) _mdmirror_files ;;",
    "    folders) _mdmirror_folders ;;",
    "    mirrors) _mdmirror_mirrors ;;",
    "  esac",
    "}",
    "# Bash 3.2 has no compopt: its files are completed wherever nothing else is.",
    "if type compopt >/dev/null 2>&1; then complete -F _mdmirror mdmirror",
    "else complete -o default -F _mdmirror mdmirror; fi",
  ];
}

function commandWords(commands: readonly DeclaredCommand[]): string {
  return [...commands.map(({ name }) => name), "help", "--help", "--version"].join(" ");
}

function commandCase({ name, options, first, later }: DeclaredCommand): string {
  const words = options.flatMap((option) => [
    ...(option.short === null ? [] : [`-${option.short}`]),
    `--${option.name}`,
  ]);
  return `    ${name}) options="${words.join(" ")}"; first="${wordOf(first)}"; later="${wordOf(later)}" ;;`;
}

/** Returns the word that stands for an offer in the script. */
function wordOf(offer: Offer): string {
  switch (offer.kind) {
    case "nothing":
      return "";
    case "file":
      return "files";
    case "folder":
      return "folders";
    case "mirror":
      return "mirrors";
    case "words":
      return `-W ${offer.words.join(" ")}`;
  }
}

function valueCases({ name, options }: DeclaredCommand): readonly string[] {
  return options.flatMap(({ name: option, short, value }) => {
    if (value === null) return [];
    const heads = [`"${name} --${option}"`, ...(short === null ? [] : [`"${name} -${short}"`])].join("|");
    return [`    ${heads}) ${offerCommand(value.offer)}return ;;`];
  });
}

function offerCommand(offer: Offer): string {
  switch (offer.kind) {
    case "nothing":
      return "";
    case "words":
      return `_mdmirror_offer -W "${offer.words.join(" ")}"; `;
    case "file":
    case "folder":
    case "mirror":
      return `_mdmirror_${wordOf(offer)}; `;
  }
}
