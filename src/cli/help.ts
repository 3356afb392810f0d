import { listOptions } from "./args.ts";
import type { Command, CommandEntry, CommandGroup } from "./command.ts";
import { EXIT_MEANINGS } from "./exit.ts";
import { COMMANDS } from "./table.ts";

/** Width of the `--help` text in columns. Only a single longer word may exceed it. */
const HELP_COLUMNS = 100;

const GROUP_TITLES: Readonly<Record<CommandGroup, string>> = {
  start: "Start",
  daily: "Sync",
  problems: "Solve problems",
  history: "History",
  look: "Look up and change",
  service: "Run a service",
};

export function formatOverview(version: string): string[] {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  return [
    `mdmirror ${version}: edit an online workspace of Markdown files with any editor.`,
    "",
    "usage: mdmirror COMMAND [DIR] [options]",
    ...Object.entries(GROUP_TITLES).flatMap(([group, title]) => [
      "",
      `${title}:`,
      ...COMMANDS.filter((entry) => entry.group === group).map(
        ({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`,
      ),
    ]),
    "",
    ...wrapLine("DIR is a linked folder or its name (default: the nearest folder with .mdmirror/)."),
    "Help on one command: mdmirror COMMAND --help. Version: mdmirror --version.",
    "",
    "Exit codes:",
    ...Object.entries(EXIT_MEANINGS).map(([code, meaning]) => `  ${code}  ${meaning}`),
  ];
}

export function formatCommandHelp(entry: CommandEntry, command: Command): string[] {
  const specs = Object.entries(listOptions(command));
  const optionHeads = specs.map(([name, { short, value }]) => {
    return `${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`;
  });
  const width = Math.max(...optionHeads.map((head) => head.length));
  return [
    ...wrapLine(`usage: ${formatUsage(entry, command)}`, "       "),
    "",
    `${entry.summary[0]!.toUpperCase()}${entry.summary.slice(1)}.`,
    ...command.about.flatMap((paragraph) => (paragraph.startsWith(" ") ? [paragraph] : wrapLine(paragraph))),
    "",
    "Options:",
    ...specs.flatMap(([, { help }], index) =>
      wrapLine(`  ${optionHeads[index]!.padEnd(width)}  ${help}`, " ".repeat(width + 4)),
    ),
    "",
    command.examples.length === 1 ? "Example:" : "Examples:",
    ...command.examples.map((example) => `  ${example}`),
  ];
}

export function formatUsage({ name }: Pick<CommandEntry, "name">, { operands, options }: Command): string {
  const usageWords = ["mdmirror", name, operands.usage, Object.keys(options).length === 0 ? "" : "[options]"];
  return usageWords.filter((part) => part !== "").join(" ");
}

function wrapLine(text: string, indent = ""): string[] {
  const lines: string[] = [];
  let line = text;
  while (line.length > HELP_COLUMNS) {
    const lastSpace = line.lastIndexOf(" ", HELP_COLUMNS);
    const breakAt = lastSpace > indent.length ? lastSpace : line.indexOf(" ", HELP_COLUMNS);
    if (breakAt === -1) break;
    lines.push(line.slice(0, breakAt).trimEnd());
    line = indent + line.slice(breakAt + 1);
  }
  return [...lines, line];
}
