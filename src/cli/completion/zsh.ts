import type { DeclaredCommand, DeclaredOption, Offer } from "./declared.ts";

/** Returns the completion for zsh: a file `_mdmirror` in a folder of `$fpath`, or to be sourced. */
export function zshCompletion(commands: readonly DeclaredCommand[]): readonly string[] {
  return [
    "#compdef mdmirror",
    "# Completion of mdmirror for zsh; made by `mdmirror completion zsh`.",
    "_mdmirror_mirrors() {",
    "  local -a names",
    `  names=("\${(@f)$(mdmirror list --names 2>/dev/null)}")`,
    `  _alternative 'mirrors:mirror:compadd -a names' 'folders:folder:_directories'`,
    "}",
    "_mdmirror() {",
    "  local -a commands",
    "  commands=(",
    ...commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary.replaceAll(":", "\\:")}`)}`),
    "  )",
    "  if (( CURRENT == 2 )); then",
    "    _describe -t commands command commands",
    "    return",
    "  fi",
    "  local command=$words[2]",
    "  shift words",
    "  (( CURRENT-- ))",
    "  case $command in",
    ...commands.flatMap(commandCase),
    "    help) _describe -t commands command commands ;;",
    "  esac",
    "}",
    "# Loaded by the completion system this file is the function's body; sourced, it registers it.",
    `if [[ $funcstack[1] == _mdmirror ]]; then _mdmirror "$@"`,
    "else",
    "  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i; }",
    "  compdef _mdmirror mdmirror",
    "fi",
  ];
}

function commandCase({ name, options, first, later }: DeclaredCommand): readonly string[] {
  const specs = [...options.map(optionSpec), ...operandSpecs(first, later)];
  return [`    ${name}) _arguments -s \\`, ...specs.map((spec) => `      ${spec} \\`), "      && return ;;"];
}

function optionSpec({ name, short, help, multiple, value }: DeclaredOption): string {
  const after = `[${inBrackets(help)}]${value === null ? "" : `:${value.placeholder}:${actionOf(value.offer)}`}`;
  const long = value === null ? `--${name}` : `--${name}=`;
  if (short === null) return quoted(`${multiple ? "*" : ""}${long}${after}`);
  // The short and the long spelling exclude each other, because they are one option.
  return `${quoted(`(-${short} --${name})`)}{${quoted(`-${short}`)},${quoted(long)}}${quoted(after)}`;
}

function operandSpecs(first: Offer, later: Offer): readonly string[] {
  if (first.kind === "nothing" && later.kind === "nothing") return [];
  const specs = [quoted(`1:${messageOf(first)}:${actionOf(first)}`)];
  if (later.kind !== "nothing") specs.push(quoted(`*:${messageOf(later)}:${actionOf(later)}`));
  return specs;
}

function messageOf(offer: Offer): string {
  return offer.kind === "words" ? "what to do" : offer.kind;
}

function actionOf(offer: Offer): string {
  switch (offer.kind) {
    case "nothing":
      return " ";
    case "file":
      return "_files";
    case "folder":
      return "_directories";
    case "mirror":
      return "_mdmirror_mirrors";
    case "words":
      return `(${offer.words.join(" ")})`;
  }
}

/** Escapes a description: `_arguments` ends it at `]`, and reads `:` as the end of a part. */
function inBrackets(text: string): string {
  return text.replace(/[\\\]:[]/g, "\\$&");
}

/** Quotes text as one word of zsh. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
