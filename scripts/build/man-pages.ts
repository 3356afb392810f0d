// `node scripts/build/man-pages.ts FOLDER`: writes the man pages `mdmirror.1` and one for each
// command into the folder. They are made from the declarations of the commands.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Command, type CommandEntry, listOptions } from "../../src/cli/command.ts";
import { EXIT_MEANINGS } from "../../src/cli/exit.ts";
import { COMMANDS, formatUsage } from "../../src/cli/table.ts";

export const ENVIRONMENT: readonly (readonly [name: string, what: string])[] = [
  ["MDMIRROR_API_KEY", "The API key, if you do not give --key-file. It goes only to the linked folder's address."],
  ["MDMIRROR_URL", "The base URL of the service, if you do not give --url. mdmirror may send the key to it."],
  ["MDMIRROR_DATABASE_URL", "The database of mdmirror serve, if you do not give --database. It is never printed."],
  ["MDMIRROR_MERGETOOL", "The merge tool that resolve --tool starts, instead of the merge.tool of git."],
  ["MDMIRROR_NOTIFY", "off: show no desktop notifications."],
  ["MDMIRROR_HOOK", "Set for a hook: the event. A sync that a hook starts runs no hooks."],
  ["MDMIRROR_HOOK_TEXT", "Set for a hook: a sentence that says what happened."],
  ["MDMIRROR_HOOK_FOLDER", "Set for a hook: the path of the linked folder."],
  ["MDMIRROR_LOG", "debug: log every step."],
  ["MDMIRROR_DEBUG", "Any value: if mdmirror itself fails, print where in its code it failed."],
  ["NO_COLOR", "Any value: print no colours."],
  ["XDG_STATE_HOME", "The folder in which mdmirror stores the list of your linked folders (default: ~/.local/state)."],
  ["XDG_CACHE_HOME", "The folder for files that mdmirror can create again, which make it faster (default: ~/.cache)."],
  ["XDG_CONFIG_HOME", "The folder of your hooks and of systemd units (default: ~/.config)."],
  ["XDG_RUNTIME_DIR", "The folder for the sockets of daemons."],
];

const FILES: readonly (readonly [name: string, what: string])[] = [
  [".mdmirror/", "In the linked folder; only you may read it: configuration, state, history, trash, log and key."],
  [".mdmirror/config.json", "The configuration."],
  [".mdmirror/log/mdmirror.log", "The log; it never contains the content of a document or the key."],
  [".mdmirrorignore", "Files and folders that mdmirror does not sync, written as in .gitignore."],
  ["~/.config/mdmirror/hooks.json", "The commands that mdmirror runs on events."],
  ["~/.local/state/mdmirror/mirrors/", "The list of your linked folders: the address to which each one may send."],
];

const EXIT_STATUS = Object.entries(EXIT_MEANINGS).map(([code, meaning]) => [code, sentence(meaning)] as const);

/** Returns every page by its file name, in the format of man(1). */
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
    escaped("Keeps a folder of Markdown files on this disk and a workspace of an HTTP service in sync, both ways."),
    escaped("DIR is a linked folder or its name. Without DIR, mdmirror uses the nearest folder with .mdmirror/."),
    escaped("It sends the documents of a linked folder only to that folder's address, and no usage data."),
    section("COMMANDS"),
    ...definitions(COMMANDS.map(({ name, summary }) => [`mdmirror-${name}(1)`, sentence(summary)])),
    ...commonSections(),
    section("SEE ALSO"),
    escaped("The README and the contract of the service, in the folder of the package."),
  ]);
}

function commandPage(version: string, { name, summary }: CommandEntry, command: Command): string {
  const heads = Object.entries(listOptions(command)).map(([option, { short, value, help }]) => {
    const spelled = `${short === undefined ? "" : `-${short}, `}--${option}`;
    return [`${spelled}${value === undefined ? "" : ` ${value}`}`, sentence(help)] as const;
  });
  return page(`mdmirror-${name}`, version, [
    section("NAME"),
    escaped(`mdmirror-${name}`).concat(" \\- ", escaped(summary)),
    section("SYNOPSIS"),
    `.B mdmirror ${escaped(name)}`,
    escaped(formatUsage({ name }, command).slice(`mdmirror ${name} `.length)),
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

/** Begins a new line for each paragraph; an indented paragraph stays as it is. */
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
  // Without hyphenation and justification, so that names, paths and options stay whole.
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

/** Escapes text for roff: no line is a request, and hyphens are copied as hyphens. */
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
