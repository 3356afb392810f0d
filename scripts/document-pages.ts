/**
 * `node scripts/document-pages.ts --write`: writes the pages of the user documentation that are
 * made from the code: commands and configuration. A test compares the pages with the code.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { listSettings } from "../src/mirror/settings/settings.ts";
import { COMMANDS, formatCommandHelp, formatOverview } from "../src/cli/table.ts";
import { ENVIRONMENT } from "./build/man-pages.ts";
import { tableLines } from "./generated-block.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

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
  lines.push("```text", ...formatOverview(version), "```");
  for (const entry of COMMANDS) {
    const { command } = await entry.load();
    lines.push(
      "",
      `## ${entry.name.replace(/^serve-/, "serve ")}`,
      "",
      "```text",
      ...formatCommandHelp(entry, command),
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
    "The settings of a linked folder are in its `.mdmirror/config.json`. `mdmirror init` writes the file, and",
    "`mdmirror config` shows and changes it. You can also edit the file. A daemon then needs a restart: run",
    "`mdmirror service install` again, or restart `mdmirror watch`.",
    "",
    "If the file has a setting that mdmirror does not know, commands fail.",
    "A time is a number with a unit: `30s`, `15m`, `6h`, `2d`.",
    "",
    ...tableLines(["setting", "values", "default", "meaning"], settingRows()),
    "",
    "mdmirror takes the address from `--url`, else from `MDMIRROR_URL`, else from `url`. [Security](security.md) says where",
    "it finds the key.",
    "",
    "## Files that are not synced",
    "",
    "To exclude files, list patterns in `.mdmirrorignore` in the linked folder, in the syntax of `.gitignore`. A new pattern",
    "deletes nothing: a synced document that it excludes stays on both sides.",
    "*Limit:* mdmirror does not look into an excluded folder. A document that you move into it counts as deleted locally.",
    "",
    "## Environment",
    "",
    ...tableLines(["variable", "meaning"], environment),
  ].join("\n")}\n`;
}

function settingRows(): string[][] {
  return listSettings().map(({ name, setting: { values, defaultValue, meaning, page } }) => {
    const more = page === undefined ? "" : ` More: [${page}](${page}.md).`;
    return [`\`${name}\``, values, `\`${JSON.stringify(defaultValue)}\``, meaning + more];
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv.includes("--write"))
  for (const [file, text] of await documentPages()) writeFileSync(root + file, text);
