import { optionsOf } from "./args.ts";
import type { Command, Entry } from "./command.ts";
import { COMMANDS } from "./table.ts";

/** The texts of `--help`: plain lines of at most 100 columns. */

export function overview(version: string): string[] {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  return [
    `mdmirror ${version}: edit a workspace of Markdown files in any editor.`,
    "",
    "usage: mdmirror COMMAND [DIR] [options]",
    "",
    ...COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    "",
    "DIR is the mirrored folder; without it, the nearest folder up that holds .mdmirror/.",
    "mdmirror COMMAND --help explains one command; mdmirror --version names this one.",
    "Exit codes: 0 in sync, 1 a fault of mdmirror, 2 usage or configuration, 3 done, but something needs you,",
    "4 halted by a guard, 5 service unreachable or key refused, 6 locked by another process, 7 in review, 8 too slow,",
    "9 the disk is full.",
  ];
}

export function commandHelp(entry: Entry, command: Command): string[] {
  const specs = Object.entries(optionsOf(command));
  const heads = specs.map(([name, { short, value }]) => {
    return `${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`;
  });
  const width = Math.max(...heads.map((head) => head.length));
  return [
    `usage: mdmirror ${command.usage}`,
    "",
    `${entry.summary[0]!.toUpperCase()}${entry.summary.slice(1)}.`,
    ...command.about,
    "",
    ...specs.map(([, { help }], index) => `  ${heads[index]!.padEnd(width)}  ${help}`),
  ];
}
