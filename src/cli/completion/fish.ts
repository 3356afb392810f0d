import type { DeclaredCommand, DeclaredOption, Offer } from "./declared.ts";

/**
 * Returns the completion for fish, from 3.0 on: one `complete` for each command, option and
 * operand.
 */
export function fishCompletion(commands: readonly DeclaredCommand[]): readonly string[] {
  return [
    "# Completion of mdmirror for fish; made by `mdmirror completion fish`.",
    "complete -c mdmirror -e",
    "complete -c mdmirror -n __fish_use_subcommand -f",
    "complete -c mdmirror -n __fish_use_subcommand -l version -s V -d 'name the version'",
    "complete -c mdmirror -n __fish_use_subcommand -l help -s h -d 'list the commands'",
    ...commands.flatMap(linesOf),
  ];
}

function linesOf(command: DeclaredCommand): readonly string[] {
  const { name, summary, options, first, later } = command;
  const seen = `-n ${quoted(`__fish_seen_subcommand_from ${name}`)}`;
  return [
    `complete -c mdmirror -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
    ...options.map((option) => `complete -c mdmirror ${seen} ${optionOf(option)}`),
    ...operandLines(name, first, later),
  ];
}

function optionOf({ name, short, help, value }: DeclaredOption): string {
  const spelled = short === null ? `-l ${name}` : `-s ${short} -l ${name}`;
  return `${spelled}${value === null ? "" : ` ${takenValue(value.offer)}`} -d ${quoted(help)}`;
}

/** Returns how fish completes a value: `-x` for a value that is no file, `-r -F` for a file. */
function takenValue(offer: Offer): string {
  return offer.kind === "file" ? "-r -F" : `-x${candidates(offer)}`;
}

function operandLines(name: string, first: Offer, later: Offer): readonly string[] {
  const seen = `__fish_seen_subcommand_from ${name}`;
  if (first.kind !== "words") return byPlace(seen, first, later);
  const verbs = first.words.join(" ");
  const chosen = `__fish_seen_subcommand_from ${verbs}`;
  return [
    `complete -c mdmirror -n ${quoted(`${seen}; and not ${chosen}`)} ${operandOf(first)}`,
    `complete -c mdmirror -n ${quoted(`${seen}; and ${chosen}`)} ${operandOf(later)}`,
  ];
}

/**
 * Returns the lines for the operands of a command. If there is no second operand, the first is
 * offered everywhere.
 */
function byPlace(seen: string, first: Offer, later: Offer): readonly string[] {
  if (first === later || later.kind === "nothing")
    return [`complete -c mdmirror -n ${quoted(seen)} ${operandOf(first)}`];
  // Words before the cursor that are no options: the program, the command, its operands.
  const before = "count (string match -v -- '-*' (commandline -poc))";
  return [
    `complete -c mdmirror -n ${quoted(`${seen}; and test (${before}) -le 2`)} ${operandOf(first)}`,
    `complete -c mdmirror -n ${quoted(`${seen}; and test (${before}) -gt 2`)} ${operandOf(later)}`,
  ];
}

function operandOf(offer: Offer): string {
  return offer.kind === "file" ? "-F" : `-f${candidates(offer)}`;
}

function candidates(offer: Offer): string {
  if (offer.kind === "folder") return ` -a '(__fish_complete_directories)'`;
  if (offer.kind === "mirror") return ` -a '(mdmirror list --names 2>/dev/null; __fish_complete_directories)'`;
  return offer.kind === "words" ? ` -a ${quoted(offer.words.join(" "))}` : "";
}

/** Quotes text as one word of fish. */
function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
