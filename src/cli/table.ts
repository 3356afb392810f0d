import { type Command, type CommandEntry, type CommandGroup, listOptions } from "./command.ts";
import { EXIT_MEANINGS } from "./exit.ts";

export const COMMANDS: readonly CommandEntry[] = [
  ...makeGroup("start", [
    ["init", "link a folder to a workspace and sync it for the first time", () => import("./commands/init.ts")],
    [
      "trust",
      "allow a folder that somebody else linked to send documents to its service",
      () => import("./commands/trust.ts"),
    ],
    ["name", "rename a linked folder", makeLoader(() => import("./commands/mv.ts"), "name")],
    ["config", "list and change the settings of a linked folder", () => import("./commands/config.ts")],
    ["mv", "move a linked folder", () => import("./commands/mv.ts")],
    ["unlink", "stop syncing a folder; its files stay", () => import("./commands/unlink.ts")],
    ["completion", "print a script that completes commands in your shell", () => import("./commands/completion.ts")],
  ]),
  ...makeGroup("daily", [
    ["sync", "sync once", () => import("./commands/sync.ts")],
    ["watch", "keep folders in sync, in the foreground", () => import("./commands/watch.ts")],
    ["service", "keep folders in sync in the background, from login on", () => import("./commands/service.ts")],
    ["status", "show the last sync, pending changes and problems to fix", () => import("./commands/status.ts")],
    ["list", "list your linked folders and their status", makeLoader(() => import("./commands/status.ts"), "list")],
    ["wait", "wait until local changes are on the service", () => import("./commands/wait.ts")],
    ["pause", "pause the daemon", () => import("./commands/pause.ts")],
    ["resume", "resume the daemon after a pause", makeLoader(() => import("./commands/pause.ts"), "resume")],
    ["ui", "show your linked folders in your browser", () => import("./commands/ui.ts")],
  ]),
  ...makeGroup("problems", [
    ["plan", "show what the next sync would do", () => import("./commands/plan.ts")],
    ["approve", "carry out the changes that a safety check stopped", () => import("./commands/approve.ts")],
    [
      "reject",
      "undo the changes that a safety check stopped",
      makeLoader(() => import("./commands/approve.ts"), "reject"),
    ],
    ["conflicts", "list conflicts and blocked documents", () => import("./commands/conflicts.ts")],
    ["resolve", "resolve conflicts and blocked documents", () => import("./commands/resolve.ts")],
    ["why", "explain the state of a path and what happens next", () => import("./commands/why.ts")],
    ["doctor", "check the address, key, clock, disk and other sync tools", () => import("./commands/doctor.ts")],
    ["verify", "compare both sides, byte for byte", () => import("./commands/verify.ts")],
    ["fix-names", "rename local files to the names that the service accepts", () => import("./commands/fix-names.ts")],
    ["merge", "merge three Markdown files, also for git", () => import("./commands/merge.ts")],
  ]),
  ...makeGroup("history", [
    ["log", "show recent events", () => import("./commands/log.ts")],
    ["history", "list the versions of a document", () => import("./commands/history.ts")],
    ["show", "print a version of a document", makeLoader(() => import("./commands/history.ts"), "showVersion")],
    ["diff", "compare local files with the service or with an earlier version", () => import("./commands/diff.ts")],
    ["restore", "restore an earlier version", () => import("./commands/restore.ts")],
    ["undo", "undo a run", () => import("./commands/undo.ts")],
  ]),
  ...makeGroup("look", [
    ["search", "find text in this folder, offline", () => import("./commands/search.ts")],
    ["links", "convert links between documents to paths or ids, or check them", () => import("./commands/links.ts")],
    ["reviews", "list changes that wait in review", () => import("./commands/reviews.ts")],
    ["protect", "send changes of a document to review", () => import("./commands/protect.ts")],
    [
      "unprotect",
      "publish changes of a document without review",
      makeLoader(() => import("./commands/protect.ts"), "unprotect"),
    ],
    ["hooks", "list or test the commands that run on events", () => import("./commands/hooks.ts")],
    ["mcp", "offer your linked folders as tools for agents (MCP)", () => import("./commands/mcp.ts")],
  ]),
  ...makeGroup("service", [
    ["serve", "run a service that stores documents, on this computer", () => import("./commands/serve.ts")],
    [
      "serve-admin",
      "manage keys, reviews and workspaces of your own service",
      () => import("./commands/serve-admin.ts"),
    ],
    ["serve-backup", "back up your own service while it runs", () => import("./commands/serve-backup.ts")],
    [
      "serve-restore",
      "restore your own service from a backup",
      makeLoader(() => import("./commands/serve-backup.ts"), "restore"),
    ],
    ["conformance", "check that a service follows the contract of the API", () => import("./commands/conformance.ts")],
  ]),
];

function makeLoader<Name extends string>(
  load: () => Promise<{ readonly [N in Name]: Command }>,
  name: Name,
): CommandEntry["load"] {
  return async () => ({ command: (await load())[name] });
}

type CommandRow = readonly [name: string, summary: string, load: CommandEntry["load"]];

function makeGroup(group: CommandGroup, rows: readonly CommandRow[]): readonly CommandEntry[] {
  return rows.map(([name, summary, load]) => ({ name, group, summary, load }));
}

/** Maximum width of the `--help` text in columns. A single word may be longer. */
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
