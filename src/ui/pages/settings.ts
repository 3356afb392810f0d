import { join } from "node:path";
import { findExcluded, testIgnoreLines } from "../../mirror/operations/manual/ignore-rules.ts";
import { changeSettings, readValueIn } from "../../mirror/operations/manual/config.ts";
import { MIRROR_FOLDER } from "../../mirror/model/mirror-folder.ts";
import { type Config, readConfig } from "../../mirror/settings/config.ts";
import { addIgnoreLines, readIgnoreLines, removeIgnoreLine } from "../../mirror/settings/ignore-rules.ts";
import { findLineFault, listSettings, type Setting } from "../../mirror/settings/settings.ts";
import { type Digest, digestOf } from "../../contract/digest.ts";
import { count, plural } from "../../common/quantities.ts";
import { shownName, toSentence } from "../../common/shown-words.ts";
import { TroubleError, unwrap } from "../../common/trouble.ts";
import { html, type Html } from "../../page/html.ts";
import {
  renderBadge,
  renderCommand,
  renderName,
  renderOptions,
  renderRefusal,
  renderRefusedAttributes,
  renderSentence,
} from "../../page/parts.ts";
import { mirrorAddress } from "../addresses.ts";
import type { Folder } from "../folders.ts";
import {
  type ActionRequest,
  type ActionResult,
  makeFolderPage,
  type PageRequest,
  readNumber,
  startSync,
  type Ui,
} from "../page.ts";
import { renderFolderForm, renderJob } from "../parts.ts";
import {
  explainRefusal,
  explainSetting,
  findChoices,
  formatValue,
  labelSetting,
  makeShownFields,
  type Quantity,
  readTypedValue,
  SETTING_GROUPS,
  splitQuantities,
  toSettingText,
  toShownField,
} from "../setting-words.ts";
import { renderEntryBadge } from "../states.ts";
import { DOCS_ADDRESS } from "../user-docs.ts";
import { makeFaultTrouble } from "../../mirror/folder/trouble.ts";
import { tryKey } from "../../mirror/folder/link-folder.ts";
import { isKey, storeKey } from "../../mirror/settings/key.ts";
import { admit } from "../../mirror/trust/gate.ts";
import { makeGoodNotice, makeNothingDoneNotice, makeTroubleNotice } from "../messages.ts";

export const SETTINGS_PAGE = makeFolderPage({
  path: "/m/:name/settings",
  section: "settings",
  show(ui, folder, request) {
    const config = unwrap(readConfig(join(folder.root, MIRROR_FOLDER)));
    const address = mirrorAddress(folder.name, "settings");
    const unsavedValues = new URLSearchParams(ui.drafts.get(request.query.get("draft") ?? "") ?? "");
    const groups = Object.entries(SETTING_GROUPS).map(
      ([title, labels]) =>
        html`<section class="card flush"><header><h2>${title}</h2></header><ul class="rows">${Object.keys(labels).map((name) => renderSetting(config, name, unsavedValues))}</ul></section>`,
    );
    const form = renderFolderForm(
      folder,
      { path: "settings", fields: makeShownFields(config) },
      request,
      html`${groups}<div class="sticky${unsavedValues.size === 0 && " if-changed"}"><span class="faint wide">An empty field means the default.</span><span class="row"><a class="button" href="${address}">Discard</a><button class="main-action">Save</button></span></div>`,
    );
    return {
      title: `Settings · ${folder.name} · mdmirror`,
      scripts: ["search.js"],
      main: html`<h1>Settings</h1>
<div id="job">${renderJob(folder.job)}</div>
<div class="with-aside"><div>${form}</div><aside>${renderIgnoreRules(folder, request)}${renderKeyForm(folder, request)}</aside></div>`,
    };
  },
});

/** @param unsaved typed values that could not be saved, by setting */
function renderSetting(config: Config, name: string, unsaved: URLSearchParams): Html | null {
  const setting = listSettings().find((entry) => entry.name === name)?.setting;
  if (setting === undefined) return null;
  const value = readValueIn(config, name);
  const isDefault = JSON.stringify(value) === JSON.stringify(setting.defaultValue);
  const formatShown = (item: unknown) => findChoices(name, setting)?.[String(item)] ?? formatValue(item);
  const id = `s-${name}`;
  const aboutElement = html`<div class="main"><label for="${id}"><b>${labelSetting(name)}</b></label><br>
<span class="faint">${explainSetting(name, setting)}${!isDefault && setting.setBy === undefined && ` Default: ${formatShown(setting.defaultValue) || "none"}.`}</span></div>`;
  if (setting.setBy !== undefined)
    return html`<li>${aboutElement}<div><output id="${id}">${formatShown(value) || "All"}</output>${renderCommand(setting.setBy)}</div></li>`;
  const typedValue = unsaved.get(name) ?? formatValue(value);
  const refusal = unsaved.has(name) ? explainRefusal(name, setting, typedValue) : null;
  return html`<li>${aboutElement}<div>${renderControl(name, setting, typedValue, refusal !== null)}${refusal !== null && renderRefusal(refusal, `fault-${name}`)}</div></li>`;
}

function renderControl(name: string, setting: Setting<unknown>, typed: string, isRefused: boolean): Html {
  const choices = findChoices(name, setting);
  const attributes = html` id="${`s-${name}`}" name="${name}"${isRefused && renderRefusedAttributes(`fault-${name}`)}`;
  const quantities = splitQuantities(name, typed);
  if (quantities !== null)
    return html`<span class="row">${quantities.map((quantity, i) => renderQuantity(name, quantity, i === 0 ? attributes : null))}</span>`;
  if (choices === null || !Object.hasOwn(choices, typed))
    return html`<input${attributes} value="${typed}" size="14" placeholder="${formatValue(setting.defaultValue) || "none"}" spellcheck="false">`;
  return html`<select${attributes}>${renderOptions(choices, typed)}</select>`;
}

/**
 * LIMIT: number of characters of a tested rule or path, because both are parts of the page's
 * address.
 */
const MAX_TYPED_LENGTH = 500;

/**
 * Shows a number and the number's unit. The form sends both under the name of the setting.
 * @param attributes attributes of a setting's first number; null for the other numbers
 */
function renderQuantity(name: string, { number, unit, units }: Quantity, attributes: Html | null): Html {
  const [label, words] = [labelSetting(name), Object.values(units)];
  const nextAttributes = html` name="${name}" aria-label="${`${label}: ${words.join(" or ")}`}"`;
  const field = html`<input${attributes ?? nextAttributes} value="${number}" size="4" inputmode="numeric">`;
  if (words.length === 1) return html`${field} ${words}<input type="hidden" name="${name}" value="${unit}">`;
  return html`${field}<select name="${name}" aria-label="${`${label}: unit`}">${renderOptions(units, unit)}</select>`;
}

/**
 * Shows the ignore rules, and a form that tests a new rule. The form has the element ids of the
 * search form, so that the script `search.js` shows results while the user types.
 */
function renderIgnoreRules(folder: Folder, request: PageRequest): Html {
  const readResult = readIgnoreLines(folder.root);
  if (readResult.kind === "trouble")
    return html`<section class="card" id="ignore"><h2>Ignore rules</h2><p>${renderSentence(toSentence(readResult.trouble.what))}</p></section>`;
  const lines = readResult.value;
  const [rule, path] = ["rule", "q"].map((name) => (request.query.get(name) ?? "").trim());
  const field = (id: string, name: string, label: string, value: string, example: string) =>
    html`<div class="field"><label for="${id}">${label}</label><input id="${id}" name="${name}" value="${value}" placeholder="${example}" maxlength="${MAX_TYPED_LENGTH}" dir="auto" spellcheck="false" aria-controls="found"></div>`;
  return html`<section class="card" id="ignore"><h2>Ignore rules</h2>
${lines.trim() === "" ? html`<p class="faint">No rules: every Markdown file is synced.</p>` : renderRules(folder, lines, request)}
<form id="search" class="stack" method="get" action="${mirrorAddress(folder.name, "settings")}">${field("rule", "rule", "New rule, as in .gitignore", rule!, "drafts/")}
${field("q", "q", "Test a path", path!, "notes/plan.md")}<button>Try</button></form>
<p id="announcement-found" role="status" class="unseen"></p><p id="slow" class="faint" hidden>Trying …</p><p id="failed" role="alert" hidden>The test was not answered.</p>
<div id="found">${path !== "" && renderPathTest(lines, rule!, path!)}${rule !== "" && renderExcludedDocuments(folder, rule!, request)}</div></section>`;
}

function renderRules(folder: Folder, lines: string, request: PageRequest): Html {
  const isRule = (line: string) => line.trim() !== "" && !line.startsWith("#");
  const renderRemoval = (line: string, index: number) =>
    renderFolderForm(
      folder,
      { path: "ignore/remove", fields: { line: String(index + 1), seen: digestOf(lines) } },
      request,
      html`<button class="plain" aria-label="${`Remove the rule ${shownName(line)}`}">Remove</button>`,
    );
  return html`<ul class="rows">${lines
    .split("\n")
    .map((line, i) => isRule(line) && html`<li><code>${shownName(line)}</code>${renderRemoval(line, i)}</li>`)}</ul>`;
}

/** LIMIT: number of documents that the test of a rule names, so that the page stays short. */
const MAX_NAMED_PATHS = 5;

function renderExcludedDocuments(folder: Folder, rule: string, request: PageRequest): Html {
  const excludedPaths = findExcluded(folder.root, rule);
  if (excludedPaths.kind === "trouble")
    return html`<p id="count">${renderSentence(toSentence(excludedPaths.trouble.what))}</p>`;
  const paths = excludedPaths.value;
  const names = paths.slice(0, MAX_NAMED_PATHS).map((path) => html`<li>${renderName(path)}</li>`);
  const moreCount = paths.length - names.length;
  return html`<p id="count">This rule stops the sync of <b>${plural(paths.length, "document")}</b>.${paths.length > 0 && " They stay on both sides."}</p>
<ul class="faint">${names}${moreCount > 0 && html`<li>… and ${count(moreCount)} more</li>`}</ul>
${renderFolderForm(folder, { path: "ignore", fields: { pattern: rule } }, request, html`<button class="main-action">Add the rule</button>`)}`;
}

function renderPathTest(lines: string, rule: string, path: string): Html {
  const testBefore = testIgnoreLines(lines, path);
  const testAfter = testIgnoreLines(`${lines}\n${rule}`, path);
  if (testAfter.kind === "trouble") return html`<p>${renderSentence(toSentence(testAfter.trouble.what))}</p>`;
  if (testAfter.value === null) return html`<p id="tested">${renderBadge("good", "synced")} No rule excludes it.</p>`;
  const isNew = testBefore.kind === "ok" && testBefore.value === null;
  return html`<p id="tested">${renderEntryBadge("ignored")} ${isNew ? "The new rule excludes it." : renderSentence(`Excluded by ${testAfter.value}.`)}</p>`;
}

function renderKeyForm(folder: Folder, request: PageRequest): Html {
  return html`<section class="card" id="key"><h2>Key</h2>${renderFolderForm(
    folder,
    { path: "key" },
    request,
    html`<div class="field"><label for="key-field">New key</label><span class="row"><input id="key-field" name="key" type="password" autocomplete="off" required><button>Replace</button></span>
<span class="hint">It is checked with the service, then stored in the folder, readable for you alone.</span></div>`,
  )}<p><a href="${DOCS_ADDRESS}/configuration.md">All settings explained</a></p></section>`;
}

/** Number of hexadecimal digits in the key of a draft: enough that nobody can guess the key. */
const DRAFT_DIGITS = 32;

/**
 * Saves the changed settings. If one value is refused, or one setting is no longer as the page
 * showed it, saves none. The next page then shows the typed values again.
 */
export async function saveSettings(ui: Ui, { folder: { name, root }, form }: ActionRequest): Promise<ActionResult> {
  const config = unwrap(readConfig(join(root, MIRROR_FOLDER)));
  const changes = readChanges(form);
  const showAgain = (notice: ActionResult["notice"]): ActionResult => {
    const draft = ui.random.hex(DRAFT_DIGITS);
    ui.drafts.set(draft, String(new URLSearchParams(changes.map((one): [string, string] => [one.name, one.typed]))));
    return { to: mirrorAddress(name, "settings", { draft }), notice };
  };
  if (changes.some((change) => change.shown !== formatValue(readValueIn(config, change.name))))
    return showAgain({ ...makeNothingDoneNotice("The settings changed since this page was shown"), tone: "asks" });
  if (changes.length === 0) return { notice: makeNothingDoneNotice("No setting was changed") };
  if (changes.some((change) => explainRefusal(change.name, change.setting, change.typed) !== null))
    return showAgain(null);
  const changeResult = await changeSettings(root, changes, ui.clock);
  if (changeResult.kind === "trouble") return showAgain(makeTroubleNotice(changeResult.trouble));
  return { notice: makeGoodNotice(`Saved: ${changes.map((change) => labelSetting(change.name)).join(", ")}.`) };
}

function readChanges(form: URLSearchParams) {
  return listSettings().flatMap(({ name, setting }) => {
    const [typed, shown] = [readTypedValue(form, name), form.get(toShownField(name))];
    if (typed === null || typed === shown) return [];
    return [{ name, setting, typed, shown, text: toSettingText(setting, typed) }];
  });
}

export function addRule(ui: Ui, { folder, form }: ActionRequest): ActionResult {
  const pattern = (form.get("pattern") ?? "").trim();
  const fault = findLineFault(pattern);
  if (fault !== null) return { notice: makeNothingDoneNotice(`The rule ${fault}`) };
  const addedLines = unwrap(addIgnoreLines(folder.root, [pattern]));
  if (addedLines.length === 0) return { notice: makeGoodNotice("The rule exists already.") };
  return { notice: makeGoodNotice(`The rule is added. ${applyRules(ui, folder)}`) };
}

/**
 * Starts a sync, unless the folder is paused. Returns a sentence that says when the changed rules
 * take effect.
 */
function applyRules(ui: Ui, folder: Folder): string {
  if (folder.daemon?.paused === true)
    return "It takes effect when you resume; until then, the numbers of documents stay.";
  return startSync(ui, folder).notice === null ? "A sync follows it now." : "The next sync follows it.";
}

/** Removes an ignore rule. Refuses if the rules are no longer as the page showed them. */
export function removeRule(ui: Ui, { folder, form }: ActionRequest): ActionResult {
  const line = readNumber(form.get("line")) ?? 0;
  if (unwrap(removeIgnoreLine(folder.root, line, (form.get("seen") ?? "") as Digest)))
    return { notice: makeGoodNotice(`The rule is removed. ${applyRules(ui, folder)}`) };
  return { notice: { ...makeNothingDoneNotice("The rules changed since this page was shown"), tone: "asks" } };
}

/** Stores a new API key, if the service accepts it. */
export async function replaceKey(ui: Ui, { folder: { root }, form }: ActionRequest): Promise<ActionResult> {
  const key = (form.get("key") ?? "").trim();
  if (!isKey(key)) return { notice: makeNothingDoneNotice("This is not a key") };
  const folder = join(root, MIRROR_FOLDER);
  const config = unwrap(readConfig(folder));
  const env = { ...ui.env, MDMIRROR_URL: "" };
  const { origin } = unwrap(admit(root, config, { mode: "write", env, cwd: ui.cwd }));
  const fault = await tryKey({ ...ui, config, origin, key });
  if (fault !== null) throw new TroubleError(makeFaultTrouble(fault, config.url));
  storeKey(folder, key);
  return { notice: makeGoodNotice("The key was replaced.") };
}
