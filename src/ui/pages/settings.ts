import { join } from "node:path";
import { readIgnoreLines, testIgnoreLines } from "../../mirror/operations/manual/ignore-rules.ts";
import { valueIn } from "../../mirror/operations/manual/config.ts";
import { MIRROR_FOLDER } from "../../mirror/model/mirror-folder.ts";
import { type Config, readConfig } from "../../mirror/settings/config.ts";
import { listSettings, type Setting } from "../../mirror/settings/settings.ts";
import { ok } from "../../common/trouble.ts";
import { html, type Html } from "../../page/html.ts";
import { commandOf } from "../../page/next-step.ts";
import { badgeOf, sentenceView } from "../../page/parts.ts";
import { mirrorAddress } from "../addresses.ts";
import type { Folder } from "../folders.ts";
import { folderPage, type PageRequest } from "../page.ts";
import { folderForm } from "../parts.ts";
import { DOCS_ADDRESS } from "../user-docs.ts";

/** Shows the settings of a linked folder, its ignore rules with a test, and its key. */
export const SETTINGS_PAGE = folderPage({
  path: "/m/:name/settings",
  section: "settings",
  isLive: false,
  show(_ui, folder, asked) {
    const config = readConfig(join(folder.root, MIRROR_FOLDER));
    if (config.kind === "trouble") return config;
    const groups = GROUPS.map(
      ([title, names]) =>
        html`<section class="card flush"><header><h2>${title}</h2></header><ul class="rows">${names.map((name) => settingRow(folder, config.value, name, asked))}</ul></section>`,
    );
    return ok({
      title: `Settings · ${folder.name} · mdmirror`,
      here: mirrorAddress(folder.name, "settings"),
      scripts: ["search.js"],
      main: html`<h1>Settings</h1>
<div class="with-aside"><div>${groups}</div><aside>${ignorePart(folder, asked)}${keyPart(folder, asked)}</aside></div>`,
    });
  },
});

/** Settings by subject, in the order of the page. */
const GROUPS: readonly (readonly [title: string, names: readonly string[]])[] = [
  ["Sync", ["direction", "conflicts", "names", "gitignore", "keepHistory"]],
  ["Polling and events", ["polling.requestsPerMinute", "events.listen", "events.pollEvery"]],
  ["Open files", ["handsOff.quiet", "handsOff.open"]],
  ["Connection", ["url", "remote", "links.mode", "links.wiki", "allowHttp"]],
  ["Commands", ["interface.progress", "interface.quietFor"]],
];

/** Values of the settings that have a list of them, with their words. */
const CHOICES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  direction: { both: "Both ways", pull: "Download only", push: "Upload only" },
  conflicts: {
    "conflict-copy": "Ask me, with a conflict copy",
    copy: "Keep both as documents",
    local: "The local version wins",
    remote: "The version on the service wins",
  },
  names: { map: "Translate names", block: "Block unfit names" },
};

function settingRow(folder: Folder, config: Config, name: string, asked: PageRequest): Html | null {
  const setting = listSettings().find((one) => one.name === name)?.setting;
  if (setting === undefined) return null;
  const value = valueIn(config, name);
  const seen = JSON.stringify(value);
  const isDefault = seen === JSON.stringify(setting.usual);
  const id = `s-${name}`;
  const about = html`<div class="main"><label for="${id}"><b>${LABELS[name] ?? name}</b></label> ${!isDefault && setting.setBy === undefined && badgeOf("quiet", "changed")}<br>
<span class="faint">${sentenceView(setting.meaning.replaceAll("`", ""))}</span></div>`;
  if (setting.setBy !== undefined)
    return html`<li>${about}<div><output id="${id}">${shown(value)}</output>${commandOf(setting.setBy)}</div></li>`;
  const form = folderForm(
    folder,
    { path: "settings", fields: { name, seen } },
    asked,
    html`<span class="row">${controlOf(id, name, setting, value)}<button>Save</button>${
      !isDefault && html`<button name="reset" value="yes" class="plain">Default</button>`
    }</span>`,
  );
  return html`<li>${about}${form}</li>`;
}

const LABELS: Readonly<Record<string, string>> = {
  direction: "Direction",
  conflicts: "Conflicts",
  names: "Names that the service refuses",
  gitignore: "Use .gitignore files",
  keepHistory: "Keep earlier versions",
  "polling.requestsPerMinute": "Requests a minute",
  "events.listen": "Receive events",
  "events.pollEvery": "Ask for changes every",
  "handsOff.quiet": "Wait after the last change",
  "handsOff.open": "Wait for open editors",
  url: "Address of the service",
  remote: "Subfolder of the workspace",
  "links.mode": "Links",
  "links.wiki": "Wiki links",
  allowHttp: "Hosts without encryption",
  "interface.progress": "Show progress",
  "interface.quietFor": "Report lasting problems after",
};

function shown(value: unknown): string {
  return typeof value === "string" ? value || "none" : JSON.stringify(value);
}

function controlOf(id: string, name: string, { usual, values }: Setting<unknown>, value: unknown): Html {
  const choices = typeof usual === "boolean" ? { true: "On", false: "Off" } : CHOICES[name];
  const hasChoice = choices !== undefined && Object.hasOwn(choices, String(value));
  if (!hasChoice)
    return html`<input id="${id}" name="value" value="${shown(value)}" size="14" spellcheck="false" title="${values.replaceAll("`", "")}">`;
  return html`<select id="${id}" name="value">${Object.entries(choices).map(
    ([one, label]) => html`<option value="${one}"${one === String(value) && html` selected`}>${label}</option>`,
  )}</select>`;
}

/** The form has the ids of the search, whose script makes the test answer as the user types. */
function ignorePart(folder: Folder, asked: PageRequest): Html {
  const lines = readIgnoreLines(folder.root);
  const path = (asked.query.get("q") ?? "").trim();
  return html`<section class="card" id="ignore"><h2>Ignore rules</h2>
${lines.trim() === "" ? html`<p class="faint">No rules: every Markdown file is synced.</p>` : html`<pre class="text" tabindex="0">${lines}</pre>`}
${folderForm(
  folder,
  { path: "ignore" },
  asked,
  html`<div class="field"><label for="pattern">Add a rule</label><span class="row"><input id="pattern" name="pattern" placeholder="drafts/" required spellcheck="false"><button>Add</button></span>
<span class="hint">As in .gitignore. To remove a rule, edit the file .mdmirrorignore.</span></div>`,
)}
<form id="search" method="get" action="${mirrorAddress(folder.name, "settings")}"><div class="field"><label for="q">Test a path</label>
<span class="row"><input id="q" name="q" value="${path}" placeholder="notes/plan.md" dir="auto" spellcheck="false" aria-controls="found"><button>Test</button></span></div></form>
<p id="said-found" role="status" class="unseen"></p><p id="slow" class="faint" hidden>Testing …</p><p id="failed" role="alert" hidden>The test was not answered.</p>
<div id="found">${path !== "" && testPart(lines, path)}</div></section>`;
}

function testPart(lines: string, path: string): Html {
  const tested = testIgnoreLines(lines, path);
  if (tested.kind === "trouble") return html`<p id="count">${sentenceView(tested.trouble.what)}</p>`;
  return tested.value === null
    ? html`<p id="count">${badgeOf("good", "synced")} No rule excludes it.</p>`
    : html`<p id="count">${badgeOf("asks", "ignored")} ${sentenceView(tested.value)}</p>`;
}

function keyPart(folder: Folder, asked: PageRequest): Html {
  return html`<section class="card" id="key"><h2>Key</h2>${folderForm(
    folder,
    { path: "key" },
    asked,
    html`<div class="field"><label for="key-field">New key</label><span class="row"><input id="key-field" name="key" type="password" autocomplete="off" required><button>Replace</button></span>
<span class="hint">It is checked with the service, then stored in the folder, readable for you alone.</span></div>`,
  )}<p><a href="${DOCS_ADDRESS}/configuration.md">All settings explained</a></p></section>`;
}
