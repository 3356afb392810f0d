import { count } from "../../common/count.ts";
import { shownName } from "../../common/shown-name.ts";
import { type Html, html } from "../../page/html.ts";
import { actionForm, badgeOf, crumbsView, emptyOf, nameView } from "../../page/parts.ts";
import { shownPath } from "../files/present.ts";
import type { KeyChanges, KeyGrant } from "../admin/operations.ts";
import type { KeyInfo, NewKeyInfo } from "../keys/keys.ts";
import { isRefused } from "../requests/answer.ts";
import type { Core } from "../requests/dispatch.ts";
import { type Level, ROOT, type WorkspaceRow } from "../store/rows.ts";
import { APP, KEYS, keyAddress, withQuery } from "./addresses.ts";
import { NO_PAGE, type PageResult, go, notShown, page, refusedForm, refusedPage } from "./answer.ts";
import type { PageCall } from "./call.ts";
import { agoOf, LEVELS, listNav } from "./parts.ts";
import { workspaceNames, workspacesOf } from "./workspaces.ts";

/** LIMIT: keys on one page. */
const MOST = 100;

export async function showKeys({ core, query, now }: PageCall): Promise<PageResult> {
  const workspaceId = query.get("workspace");
  const from = /^\d{1,9}$/.test(query.get("from") ?? "") ? Number(query.get("from")) : 0;
  const listed = await core.admin.keyPage({ workspaceId, from, most: MOST + 1 });
  if (isRefused(listed)) return refusedPage(listed);
  const keys = listed.slice(0, MOST);
  const names = await workspaceNames(core);
  const fresh = withQuery(`${KEYS}/new`, { workspace: workspaceId });
  const more = { workspace: workspaceId, from: String(from + MOST) };
  return page({
    title: "Keys",
    here: KEYS,
    main: html`<div class="title"><h1>Keys${workspaceId !== null && html` of ${nameView(names.get(workspaceId) ?? workspaceId)}`}</h1>
<a class="button main-action" href="${fresh}">Create key</a></div>
${workspaceId !== null && html`<p><a href="${KEYS}">Keys of all workspaces</a></p>`}
${keys.length === 0 ? noKeys(from === 0) : keyTable(keys, names, now)}
${listNav(from > 0 ? withQuery(KEYS, { workspace: workspaceId }) : null, listed.length > MOST ? withQuery(KEYS, more) : null)}`,
  });
}

function noKeys(isFirst: boolean): Html {
  if (!isFirst) return html`<p>There are no more keys.</p>`;
  return emptyOf("No keys", "A person, a computer or a program reads and edits documents with a key of its own.");
}

/** @param names names of workspaces by id */
function keyTable(keys: readonly KeyInfo[], names: ReadonlyMap<string, string>, now: number): Html {
  return html`<div class="card flush"><table class="table"><thead><tr><th scope="col">Name</th><th scope="col">Access</th>
<th scope="col">Workspace</th><th scope="col">Last used</th><th scope="col">Expires</th></tr></thead>
<tbody>${keys.map(
    (key) =>
      html`<tr><th scope="row"><a href="${keyAddress(key.id)}">${labelOf(key)}</a></th><td data-label="Access">${accessOf(key)}</td>
<td data-label="Workspace">${workspaceView(names.get(key.workspaceId) ?? null)}</td><td data-label="Last used">${usedOf(key, now)}</td>
<td data-label="Expires">${expiryOf(key.expiresAt, now)}</td></tr>`,
  )}</tbody></table></div>`;
}

function labelOf({ label, id }: KeyInfo): Html {
  return label === "" ? html`Without a name (${id})` : nameView(label);
}

/** @param name null if the workspace was removed */
function workspaceView(name: string | null): Html {
  return name === null ? html`<span class="faint">removed</span>` : nameView(name);
}

function usedOf({ lastUsedAt }: KeyInfo, now: number): Html {
  return lastUsedAt === null ? html`<span class="faint">never</span>` : agoOf(lastUsedAt, now);
}

/** LIMIT: grants that the list shows of each key. */
const MOST_SHOWN = 3;

/** Shows the access of a key in short. */
function accessOf({ grants, grantPaths }: KeyInfo): Html {
  if (grants.length === 0) return html`<span class="faint">no access</span>`;
  const shown = grants.slice(0, MOST_SHOWN).map(({ level }, at) => grantView(grantPaths[at]!, level));
  const more = grants.length - shown.length;
  return html`<span class="grants">${shown}${more > 0 && html`<span class="faint">${count(more)} more</span>`}</span>`;
}

function grantView(path: string, level: Level): Html {
  const place = path === "/" ? html`Whole workspace` : nameView(path);
  return html`<span>${place} <span class="faint">${LEVELS[level]}</span></span>`;
}

/**
 * Shows the facts about a key.
 * @param workspace name of the workspace; null if the workspace was removed
 */
function keyFacts(key: KeyInfo, workspace: string | null, now: number): Html {
  const { createdAt, expiresAt, rateLimit } = key;
  return html`<dl class="facts"><dt>Access</dt><dd>${grantsOf(key)}</dd>
<dt>Workspace</dt><dd>${workspaceView(workspace)}</dd>
<dt>Created</dt><dd>${agoOf(createdAt, now)}</dd>
<dt>Last used</dt><dd>${usedOf(key, now)}</dd>
<dt>Expires</dt><dd>${expiryOf(expiresAt, now)}</dd>
<dt>Rate limit</dt><dd>${rateLimit === null ? "the service's default" : `${count(rateLimit.requests)} requests in ${count(rateLimit.seconds)} s`}</dd></dl>`;
}

function grantsOf({ grants, grantPaths }: KeyInfo): Html {
  if (grants.length === 0) return html`none`;
  return html`<ul class="entries">${grants.map(({ level, on }, at) => {
    const waits = on?.startsWith("/") === true;
    return html`<li>${grantView(grantPaths[at]!, level)}${waits && html` <span class="faint">(nothing exists at this path)</span>`}</li>`;
  })}</ul>`;
}

function expiryOf(expiresAt: number | null, now: number): Html {
  if (expiresAt === null) return html`<span class="faint">never</span>`;
  const date = new Date(expiresAt).toISOString();
  const shown = html`<time datetime="${date}">${date.slice(0, 16).replace("T", " ")} UTC</time>`;
  return expiresAt <= now ? html`${badgeOf("bad", "expired")} ${shown}` : shown;
}

/** Shows one key: its access, and forms to change or revoke the key. */
export async function showKey({ core, id, csrf, now }: PageCall): Promise<PageResult> {
  const key = await core.admin.key(id);
  if (key === null) return notShown({ ...NO_PAGE, what: "there is no such key; it may have been revoked" });
  const known = await workspaceOf(core, key.workspaceId);
  const to = keyAddress(key.id);
  return page({
    title: `Key ${key.label}`,
    here: KEYS,
    main: html`${crumbsView("Path to this key", [
      { href: KEYS, label: "Keys" },
      { href: to, label: key.label === "" ? key.id : key.label, current: "page" },
    ])}
<h1>${labelOf(key)}</h1>
<section class="card">${keyFacts(key, known?.workspace.name ?? null, now)}</section>
${
  known !== null &&
  html`<details class="card"><summary>Change this key</summary>
${actionForm({ action: to, csrf }, html`${keyFields(known.folders, key)}<button class="main-action">Save changes</button>`)}</details>`
}
<details class="card"><summary>Revoke this key</summary>
<p>The service then rejects the key everywhere. This cannot be undone.</p>
${actionForm({ action: `${to}/revoke`, csrf }, html`<button class="danger">Revoke ${labelOf(key)}</button>`)}</details>`,
  });
}

/** Shows the form for a new key, which asks for the workspace first, then for the access. */
export async function showNewKey({ core, query, csrf }: PageCall): Promise<PageResult> {
  const workspaces = await workspacesOf(core);
  const asked = query.get("workspace");
  const workspace =
    asked === null && workspaces.length === 1 ? workspaces[0] : workspaces.find(({ id }) => id === asked);
  const title = "Create a key";
  const known = workspace && (await workspaceOf(core, workspace.id));
  if (workspace !== undefined && known) {
    return page({
      title,
      here: KEYS,
      main: html`<h1>Create a key for ${nameView(workspace.name)}</h1>
${actionForm({ action: KEYS, csrf, fields: { workspace: workspace.id } }, html`${keyFields(known.folders, null)}<button class="main-action">Create key</button>`)}`,
    });
  }
  if (asked !== null) return notShown({ ...NO_PAGE, what: "there is no such workspace" });
  return page({
    title,
    here: KEYS,
    main: html`<h1>Create a key</h1>
${
  workspaces.length === 0
    ? emptyOf(
        "No workspace yet",
        "A key belongs to a workspace.",
        html`<a class="button" href="${APP}">Create a workspace</a>`,
      )
    : html`<section class="card flush"><header><h2>For which workspace?</h2></header><ul class="rows">${workspaces.map(({ id, name }) => html`<li><a href="${withQuery(`${KEYS}/new`, { workspace: id })}">${nameView(name)}</a></li>`)}</ul></section>`
}`,
  });
}

/** Shows a new key with its secret, as the answer to the form. No address leads to this page. */
function madePage({ label, key, grants }: NewKeyInfo): PageResult {
  const waiting = waitingWords(grants);
  return page({
    title: "Key created",
    here: KEYS,
    main: html`<h1>The key ${nameView(label)} is created</h1>
${waiting !== null && html`<p class="notice asks">${waiting}</p>`}
<p>Copy the key now: this page does not show it again. Store it in a file that only its owner can read.</p>
<pre class="secret" tabindex="0"><code>${key}</code></pre>
<p><a href="${KEYS}">All keys</a></p>`,
  });
}

/** Fields of the form for a key, new or existing. */

/** LIMIT: folders offered for a grant. A workspace with more offers those in its root. */
const MOST_FOLDERS = 200;
/** Number of rows for paths that are not offered. */
const OTHER_ROWS = 2;

const LEVEL_NAMES = Object.keys(LEVELS) as Level[];

/** Choices for the access of a key: one level for the whole workspace, or one for each folder. */
const PRESETS = [
  ["edit", "Whole workspace: can edit"],
  ["read", "Whole workspace: can read"],
  ["full", "Whole workspace: full access"],
  ["chosen", "Chosen folders"],
] as const;

/**
 * @param folders paths that are offered for a grant
 * @param key existing key; null if the form is for a new key
 */
function keyFields(folders: readonly string[], key: KeyInfo | null): Html {
  const date = key?.expiresAt == null ? "" : new Date(key.expiresAt).toISOString().slice(0, 10);
  return html`<div class="stack">
<span class="field"><label for="label">Name</label><input id="label" name="label" required maxlength="200" value="${key?.label ?? ""}"></span>
${accessFields(folders, key)}
<span class="field"><label for="expires">Last day</label><input id="expires" name="expires" type="date" value="${date}" aria-describedby="expires-hint">
<span class="hint" id="expires-hint">Empty: the key does not expire. Days end at midnight UTC.</span></span>
<fieldset><legend>Rate limit</legend>
<span class="row"><input id="requests" name="requests" inputmode="numeric" pattern="[0-9]*" size="6" value="${key?.rateLimit?.requests ?? ""}"><label for="requests">requests in</label>
<input id="seconds" name="seconds" inputmode="numeric" pattern="[0-9]*" size="6" value="${key?.rateLimit?.seconds ?? ""}"><label for="seconds">seconds</label></span>
<span class="hint">Empty: the default of the service.</span></fieldset>
</div>`;
}

function accessFields(folders: readonly string[], key: KeyInfo | null): Html {
  const levels = new Map(key?.grants.map(({ level }, at) => [key.grantPaths[at]!, level]));
  const preset = presetOf(levels, key === null);
  const others = [...levels.keys()].filter((path) => path !== "/" && !folders.includes(path));
  const typed = [...others, ...Array.from({ length: OTHER_ROWS }, () => "")];
  return html`<fieldset class="access"><legend>Access</legend>${PRESETS.map(
    ([value, label]) =>
      html`<label class="check"><input type="radio" name="access" value="${value}"${value === preset && html` checked`}>${label}</label>`,
  )}
<p class="hint">Only full access moves, deletes and protects documents.</p>
<div class="chosen"><p class="hint">The nearest choice above a document decides.</p>
<ul class="rows picker">${["/", ...folders].map((path) => folderRow(path, levels.get(path)))}</ul>
<p class="hint">Other folders or documents, such as /team/plan.md</p>${typed.map((path, at) => typedRow(at + 1, path, levels.get(path)))}</div></fieldset>`;
}

function presetOf(levels: ReadonlyMap<string, Level>, isNew: boolean): (typeof PRESETS)[number][0] {
  if (isNew) return "edit";
  const whole = levels.size === 1 ? levels.get("/") : undefined;
  return whole === undefined || whole === "none" ? "chosen" : whole;
}

function folderRow(path: string, level: Level | undefined): Html {
  const names = path.split("/");
  const label = path === "/" ? html`Whole workspace` : nameView(names.at(-1)!);
  const depth = path === "/" ? 0 : Math.min(names.length - 1, 4);
  return html`<li class="depth-${depth}"><span class="main">${label}</span><input type="hidden" name="path" value="${path}">
<select name="level" aria-label="${`Access to ${shownName(path)}`}"><option value="">${path === "/" ? "no access" : "as above"}</option>${levelOptions(level)}</select></li>`;
}

function typedRow(n: number, path: string, level: Level | undefined): Html {
  return html`<span class="row"><input name="path" aria-label="${`Path ${n}`}" value="${path}" maxlength="1024" dir="auto">
<select name="level" aria-label="${`Access to path ${n}`}">${levelOptions(level ?? "read")}</select></span>`;
}

function levelOptions(level: Level | undefined): Html[] {
  return LEVEL_NAMES.map(
    (one) => html`<option value="${one}"${one === level && html` selected`}>${LEVELS[one]}</option>`,
  );
}

type Offered = { readonly workspace: WorkspaceRow; readonly folders: readonly string[] };

/** Reads the folders of the workspace, each after the folder above. */
function workspaceOf({ server }: Core, id: string): Promise<Offered | null> {
  return server.store.read(async ({ workspaces, folders }): Promise<Offered | null> => {
    const workspace = await workspaces.byId(id);
    if (workspace === undefined) return null;
    const all = await folders.all({ workspace: workspace.seq, after: 0, count: MOST_FOLDERS + 1 });
    const inRoot = { workspace: workspace.seq, folder: ROOT, after: "", count: MOST_FOLDERS };
    const rows = all.length > MOST_FOLDERS ? await folders.inParentByName(inRoot) : all;
    // A slash sorts before every other character, so that a folder comes before its neighbours.
    const sorted = rows.map(({ path }) => path).toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
    return { workspace, folders: sorted.map(shownPath) };
  });
}

function orderOf(path: string): string {
  return path.replaceAll("/", "\0");
}

/** A key as the fields of the form describe it. */
type Wishes = Required<KeyChanges>;

const MOST_LABEL = 200;

export async function createKey(call: PageCall): Promise<PageResult> {
  const { core, form } = call;
  const workspaceId = form.get("workspace") ?? "";
  const back = withQuery(`${KEYS}/new`, { workspace: workspaceId });
  const wishes = readWishes(call);
  if (typeof wishes === "string") return go(back, wishes, { tone: "bad" });
  if (wishes.grants.length === 0) return go(back, "choose what the key may read", { tone: "bad" });
  const made = await core.admin.createKey({ workspaceId, ...wishes });
  return isRefused(made) ? refusedForm(back, made) : madePage(made);
}

const MOST_NAME = 200;

/** Creates a workspace, and shows the workspace's first key. */
export async function createWorkspace({ core, form }: PageCall): Promise<PageResult> {
  const name = (form.get("name") ?? "").trim();
  if (name === "" || name.length > MOST_NAME)
    return go(APP, `a name has 1 to ${MOST_NAME} characters`, { tone: "bad" });
  const known = await workspacesOf(core);
  if (known.some((one) => one.name === name))
    return go(APP, "there is a workspace with this name already", { tone: "bad" });
  const made = await core.admin.createWorkspace(name);
  return madePage({ ...made, label: `${made.label} of ${name}` });
}

export async function changeKey(call: PageCall): Promise<PageResult> {
  const { id } = call;
  const wishes = readWishes(call);
  if (typeof wishes === "string") return go(keyAddress(id), wishes, { tone: "bad" });
  const changed = await call.core.admin.changeKey(id, wishes);
  if (isRefused(changed)) return refusedForm(KEYS, changed);
  const waiting = waitingWords(changed.grants);
  return waiting === null ? go(keyAddress(id), "The key is changed.") : go(keyAddress(id), waiting, { tone: "asks" });
}

export async function revokeKey({ core, id }: PageCall): Promise<PageResult> {
  const refused = await core.admin.removeKey(id);
  return refused === null ? go(KEYS, "The key is revoked: it is refused from now on.") : refusedForm(KEYS, refused);
}

/** Warns of grants on paths where nothing exists: each may be a typing error. */
function waitingWords(grants: readonly KeyGrant[]): string | null {
  const waiting = grants.filter(({ on, level }) => on?.startsWith("/") === true && level !== "none");
  if (waiting.length === 0) return null;
  return "A path in a grant does not exist: that grant has no effect yet. Make the folder, then change the key.";
}

/**
 * Reads the fields of the form.
 * @returns the fault of a field, if there is one
 */
function readWishes({ form, now }: PageCall): Wishes | string {
  const label = form.get("label") ?? "";
  if (label === "" || label.length > MOST_LABEL) return `a name has 1 to ${MOST_LABEL} characters`;
  const grants = readGrants(form);
  if (typeof grants === "string") return grants;
  const expiresAt = readExpiry(form.get("expires") ?? "", now);
  if (typeof expiresAt === "string") return expiresAt;
  const rateLimit = readRate(form.get("requests") ?? "", form.get("seconds") ?? "");
  return typeof rateLimit === "string" ? rateLimit : { label, grants, expiresAt, rateLimit };
}

function readGrants(form: URLSearchParams): KeyGrant[] | string {
  const preset = form.get("access");
  if (preset === "edit" || preset === "read" || preset === "full") return [{ on: null, level: preset }];
  const levels = form.getAll("level");
  const grants: KeyGrant[] = [];
  for (const [at, text] of form.getAll("path").entries()) {
    if (text.trim() === "" || levels[at] === "") continue;
    const level = LEVEL_NAMES.find((one) => one === levels[at]);
    if (level === undefined) return "a path needs a level";
    const path = text.trim().replace(/^\/+|\/+$/g, "");
    grants.push({ on: path === "" ? null : `/${path}`, level });
  }
  return grants;
}

const DAY_MS = 86_400_000;

/**
 * Returns the end of that day in UTC. The time zone of the user is not known, and all users see the
 * same page.
 */
function readExpiry(text: string, now: number): number | null | string {
  if (text === "") return null;
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(day)) return "this is not a date";
  const at = day + DAY_MS - 1;
  return at > now ? at : "a key cannot expire in the past; revoke it instead";
}

const MOST_RATE = 9_999_999;

function readRate(requests: string, seconds: string): Wishes["rateLimit"] | string {
  if (requests === "" && seconds === "") return null;
  const rate = { requests: Number(requests), seconds: Number(seconds) };
  const isGood = Object.values(rate).every((n) => Number.isInteger(n) && n >= 1 && n <= MOST_RATE);
  return isGood ? rate : "a rate is a number of requests in a number of seconds, 1 or more each";
}
