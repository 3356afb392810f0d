/**
 * `node scripts/document-pages.ts --write`: writes the pages of the user documentation that come
 * from the code, the commands and the configuration. A test compares them with the code.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { DEFAULT_CONFIG } from "../src/mirror/settings/config.ts";
import { commandHelp, overview } from "../src/cli/help.ts";
import { COMMANDS } from "../src/cli/table.ts";
import { ENVIRONMENT } from "./build/man-pages.ts";
import { tableLines } from "./generated-block.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

type Option = readonly [values: string, meaning: string];
/** `links.wiki` is stored beside the mode and written within it. */
type Described = Omit<typeof DEFAULT_CONFIG, "wiki">;
type Options = {
  readonly [Name in keyof Described]: Described[Name] extends string | boolean | readonly unknown[]
    ? Option
    : MemberOptions<Described[Name]>;
};
type MemberOptions<Members> = { readonly [Name in keyof Members]: Option };

/** An option without a line is a compile error. */
const OPTIONS: Options = {
  remote: ["a path", "The folder of the workspace that is linked; empty: the whole workspace."],
  names: [
    "`map`, `block`",
    "What happens to a file whose name the service refuses. `map`: upload it under an accepted name. `block`: do not upload it, and report it.",
  ],
  links: [
    '`keep`, `translate`, `{"mode": "translate", "wiki": true}`',
    "Whether mdmirror converts links between paths and ids, and wiki links too ([links](links.md)). Change it with `mdmirror links`.",
  ],
  conflicts: [
    "`conflict-copy`, `copy`, `local`, `remote`, or a list of `{paths, policy}`",
    "Which version wins if both sides changed the same words ([conflicts](conflicts.md)).",
  ],
  gitignore: ["`true`, `false`", "Whether `.gitignore` files exclude documents that are not linked yet."],
  allowHttp: ["a list of hosts", "Hosts for which plain http is allowed. Others on the network can then read the key."],
  interface: {
    progress: ["`true`, `false`", "Whether commands show the progress of long work."],
    quietFor: [
      "a time",
      "How long such a problem lasts before `sync --quiet` reports it: another process uses the folder, or the service cannot be reached.",
    ],
  },
  events: {
    listen: ["`true`, `false`", "Whether the daemon receives events from the service, if the service reports them."],
    pollEvery: ["1s to 1h", "How often the daemon also asks the service for changes while it receives events."],
  },
  polling: {
    requestsPerMinute: ["1 to 6000", "How many requests a minute the daemon may send to find changes."],
  },
  handsOff: {
    quiet: ["0s to 60s", "A file that changed within this time is not overwritten. `0s` turns that off."],
    open: ["0s to 24h", "How long a file that an editor has open is not overwritten. `0s` turns that off."],
  },
};

const NOTE = "<!-- Generated: node scripts/document-pages.ts --write -->";

/** Returns the generated pages by their paths in the checkout. */
export async function documentPages(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ["src/docs/commands.md", await commandsPage()],
    ["src/docs/configuration.md", configurationPage()],
  ]);
}

async function commandsPage(): Promise<string> {
  const { version } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { readonly version: string };
  const lines = ["# Commands", "", NOTE, "", "`mdmirror COMMAND --help` prints the same.", ""];
  lines.push("```text", ...overview(version), "```");
  for (const entry of COMMANDS) {
    const { command } = await entry.load();
    lines.push(
      "",
      `## ${entry.name.replace(/^serve-/, "serve ")}`,
      "",
      "```text",
      ...commandHelp(entry, command),
      "```",
    );
  }
  return `${lines.join("\n")}\n`;
}

function configurationPage(): string {
  const environment = ENVIRONMENT.map(([name, what]) => [`\`${name}\``, what]);
  return `${[
    "# Configuration",
    "",
    NOTE,
    "",
    "The options of a linked folder are in its `.mdmirror/config.json`. `mdmirror init` writes the file; you can edit it.",
    "A daemon reads the file only when it starts. After a change, run `mdmirror service install` again, or restart",
    "`mdmirror watch`.",
    "",
    "If the file has an option that mdmirror does not know, commands fail. The option `url`, the address of the service, has",
    "no default.",
    "A time is a number with a unit: `30s`, `15m`, `6h`, `2d`.",
    "",
    ...tableLines(["option", "values", "default", "meaning"], optionRows()),
    "",
    "mdmirror takes the address from `--url`, else from `MDMIRROR_URL`, else from `url`. [Security](security.md) says where",
    "it finds the key.",
    "",
    "## Files that are not synced",
    "",
    "To exclude files, list patterns in `.mdmirrorignore` in the linked folder, in the syntax of `.gitignore`. A new pattern",
    "deletes nothing: a synced document that it excludes stays on both sides.",
    "",
    "## Environment",
    "",
    ...tableLines(["variable", "meaning"], environment),
  ].join("\n")}\n`;
}

function optionRows(): string[][] {
  return Object.entries(OPTIONS).flatMap(([name, option]: [string, Option | MemberOptions<object>]) => {
    const usual = DEFAULT_CONFIG[name as keyof Described];
    if (Array.isArray(option)) return [optionRow(name, option as unknown as Option, usual)];
    return Object.entries(option).map(([member, one]) =>
      optionRow(`${name}.${member}`, one as Option, (usual as Record<string, unknown>)[member]),
    );
  });
}

function optionRow(name: string, [values, meaning]: Option, usual: unknown): string[] {
  return [`\`${name}\``, values, `\`${JSON.stringify(usual)}\``, meaning];
}

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv.includes("--write"))
  for (const [file, text] of await documentPages()) writeFileSync(root + file, text);
