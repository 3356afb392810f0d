// The man pages, made from the declared commands: `node scripts/build/man-pages.ts FOLDER` writes
// `mdmirror.1` and one page for each command there.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { optionsOf } from "../../src/cli/args.ts";
import type { Command, Entry } from "../../src/cli/command.ts";
import { EXIT_MEANINGS } from "../../src/cli/exit.ts";
import { COMMANDS } from "../../src/cli/table.ts";

export const ENVIRONMENT: readonly (readonly [name: string, what: string])[] = [
  ["MDMIRROR_API_KEY", "The API key, where no --key-file is given. It goes to the mirror's own address alone."],
  ["MDMIRROR_URL", "The service's base URL, where no --url is given; the key may go there."],
  ["MDMIRROR_DATABASE_URL", "The database of mdmirror serve, where no --database is given; it is never shown."],
  ["MDMIRROR_MERGETOOL", "The command of resolve --tool, instead of git's merge.tool."],
  ["MDMIRROR_NOTIFY", "off: no notes on the desktop."],
  ["MDMIRROR_HOOK", "In a hook, the event; a sync where it is set tells no hooks."],
  ["MDMIRROR_HOOK_TEXT", "In a hook, what has happened, as a sentence."],
  ["MDMIRROR_HOOK_FOLDER", "In a hook, the mirrored folder."],
  ["MDMIRROR_LOG", "debug: a log with every step."],
  ["MDMIRROR_DEBUG", "Anything: a fault of mdmirror itself is shown with the place where it happened."],
  ["NO_COLOR", "Anything: no colours."],
  ["XDG_STATE_HOME", "The folder of the list of your linked folders (else ~/.local/state)."],
  ["XDG_CACHE_HOME", "The folder of what is only kept for speed (else ~/.cache)."],
  ["XDG_CONFIG_HOME", "The folder of your hooks, and of the units of systemd (else ~/.config)."],
  ["XDG_RUNTIME_DIR", "The folder of the daemons' sockets."],
];

const FILES: readonly (readonly [name: string, what: string])[] = [
  [".mdmirror/", "In the mirrored folder, for you alone: configuration, state, texts, trash, log, key."],
  [".mdmirror/config.json", "The configuration."],
  [".mdmirror/log/mdmirror.log", "What happened; mdmirror log shows it. Never a text, never the key."],
  [".mdmirrorignore", "Files and folders that stay out of the mirror, in the form of .gitignore."],
  ["~/.config/mdmirror/hooks.json", "What is run or posted when something happens to a mirror."],
  ["~/.local/state/mdmirror/mirrors/", "The list of your mirrors: which folder sends to which address."],
];

const EXIT_STATUS = Object.entries(EXIT_MEANINGS).map(([code, meaning]) => [code, sentence(meaning)] as const);

/** Every page by its file name, as text for man(1). */
export async function manPages(version: string): Promise<ReadonlyMap<string, string>> {
  const pages = new Map([["mdmirror.1", overviewPage(version)]]);
  for (const entry of COMMANDS) {
    const { command } = await entry.load();
    pages.set(`mdmirror-${entry.name}.1`, commandPage(version, entry, command));
  }
  return pages;
}

function overviewPage(version: string): string {
  return page("mdmirror", version, [
    section("NAME"),
    "mdmirror \\- edit a workspace of Markdown files in any editor",
    section("SYNOPSIS"),
    ".B mdmirror",
    escaped("COMMAND [DIR] [options]"),
    section("DESCRIPTION"),
    escaped("Mirrors a workspace of Markdown files, kept by an HTTP service, to a folder on this disk, both ways."),
    escaped("DIR is the mirrored folder; without it, the nearest folder up that holds .mdmirror/."),
    escaped("It sends nothing but the documents of your mirrors to their own addresses: there is no telemetry."),
    section("COMMANDS"),
    ...definitions(COMMANDS.map(({ name, summary }) => [`mdmirror-${name}(1)`, sentence(summary)])),
    ...commonSections(),
    section("SEE ALSO"),
    escaped("The README and the contract of the service lie in the package's folder."),
  ]);
}

function commandPage(version: string, { name, summary }: Entry, command: Command): string {
  const heads = Object.entries(optionsOf(command)).map(([option, { short, value, help }]) => {
    const spelled = `${short === undefined ? "" : `-${short}, `}--${option}`;
    return [`${spelled}${value === undefined ? "" : ` ${value}`}`, sentence(help)] as const;
  });
  return page(`mdmirror-${name}`, version, [
    section("NAME"),
    escaped(`mdmirror-${name}`).concat(" \\- ", escaped(summary)),
    section("SYNOPSIS"),
    ...command.usage
      .split(/ \| (?=[a-z])/)
      .flatMap((usage) => [...usageLines(usage), ".br"])
      .slice(0, -1),
    section("DESCRIPTION"),
    escaped(sentence(summary)),
    ...command.about.flatMap(aboutLine),
    section("OPTIONS"),
    ...definitions(heads),
    section("EXAMPLES"),
    ...command.examples.flatMap((example) => [".br", escaped(example)]),
    section("EXIT STATUS"),
    ...definitions(EXIT_STATUS),
    section("SEE ALSO"),
    ".BR mdmirror (1)",
  ]);
}

function usageLines(usage: string): readonly string[] {
  const [name, ...rest] = usage.split(" ");
  return [`.B mdmirror ${escaped(name!)}`, ...(rest.length === 0 ? [] : [escaped(rest.join(" "))])];
}

/** Each paragraph begins a line of its own; an indented one stays as it is. */
function aboutLine(line: string): readonly string[] {
  return [line.startsWith(" ") ? ".br" : ".PP", escaped(line)];
}

function commonSections(): readonly string[] {
  return [
    section("EXIT STATUS"),
    ...definitions(EXIT_STATUS),
    section("FILES"),
    ...definitions(FILES),
    section("ENVIRONMENT"),
    ...definitions(ENVIRONMENT),
  ];
}

function page(name: string, version: string, lines: readonly string[]): string {
  // Names, paths and options are not hyphenated, and lines are not stretched.
  const head = [`.TH ${escaped(name.toUpperCase())} 1 "" "mdmirror ${version}" "mdmirror"`, ".nh", ".ad l"];
  return `${[...head, ...lines].join("\n")}\n`;
}

function section(name: string): string {
  return `.SH ${name}`;
}

function definitions(rows: readonly (readonly [string, string])[]): readonly string[] {
  return rows.flatMap(([term, what]) => [".TP", `.B ${escaped(term)}`, escaped(what)]);
}

function sentence(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
}

/** Text as roff reads it: nothing of it is a request, and each hyphen can be copied as one. */
function escaped(text: string): string {
  const plain = text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replaceAll("…", "\\&...");
  return /^[.']/.test(plain) ? `\\&${plain}` : plain;
}

if (import.meta.main) {
  const folder = process.argv[2];
  if (folder === undefined) throw new Error("usage: node scripts/build/man-pages.ts FOLDER");
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of await manPages(version)) writeFileSync(join(folder, name), text);
}
