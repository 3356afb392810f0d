import { type Html, html } from "../../page/html.ts";
import { actionForm, ageOf, badgeOf, nameView } from "../../page/parts.ts";
import { shownPath } from "../files/present.ts";
import type { KeyChanges, KeyGrant } from "../admin/operations.ts";
import type { KeyInfo, NewKeyInfo } from "../keys/keys.ts";
import { isRefused } from "../requests/answer.ts";
import type { Core } from "../requests/dispatch.ts";
import { ROOT, type WorkspaceRow } from "../store/rows.ts";
import { APP, KEYS, keyAddress, withQuery } from "./addresses.ts";
import { NO_PAGE, type PageResult, go, notShown, page, refusedForm, refusedPage } from "./answer.ts";
import type { PageCall } from "./call.ts";
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
    main: html`<h1>Keys${workspaceId !== null && html` of ${nameView(names.get(workspaceId) ?? workspaceId)}`}</h1>
<p class="row"><a class="button main-action" href="${fresh}">A new key …</a></p>
${
  keys.length === 0
    ? html`<p class="notice quiet">${from === 0 ? "There are no keys." : "There are no more."}</p>`
    : html`<ul class="cards">${keys.map((key) => keyCard(key, names.get(key.workspaceId) ?? null, now))}</ul>`
}
<nav aria-label="Parts of the list" class="row">${
      from > 0 && html`<a class="button" href="${withQuery(KEYS, { workspace: workspaceId })}">First page</a>`
    }${listed.length > MOST && html`<a class="button" href="${withQuery(KEYS, more)}">Next</a>`}</nav>`,
  });
}

function keyCard(key: KeyInfo, workspace: string | null, now: number): Html {
  return html`<li class="card"><h2><a href="${keyAddress(key.id)}">${labelOf(key)}</a></h2>
${keyFacts(key, workspace, now)}</li>`;
}

function labelOf({ label, id }: KeyInfo): Html {
  return label === "" ? html`Without a label (${id})` : nameView(label);
}

/**
 * Shows the facts about a key.
 * @param workspace name of the workspace; null if the workspace was removed
 */
function keyFacts(key: KeyInfo, workspace: string | null, now: number): Html {
  const { lastUsedAt, expiresAt, rateLimit } = key;
  return html`<dl class="facts"><dt>Access</dt><dd>${grantsOf(key)}</dd>
<dt>Workspace</dt><dd>${workspace === null ? "(gone)" : nameView(workspace)}</dd>
<dt>Last used</dt><dd>${lastUsedAt === null ? "never" : html`${ageOf(lastUsedAt, now)} ago`}</dd>
<dt>Expires</dt><dd>${expiryOf(expiresAt, now)}</dd>
<dt>Rate limit</dt><dd>${rateLimit === null ? "the service's default" : `${rateLimit.requests} requests in ${rateLimit.seconds} s`}</dd></dl>`;
}

function grantsOf({ grants, grantPaths }: KeyInfo): Html {
  if (grants.length === 0) return html`nothing`;
  return html`<ul class="entries">${grants.map(({ level, on }, at) => {
    const waits = on?.startsWith("/") === true;
    return html`<li>${nameView(grantPaths[at]!)}: ${level}${waits && html` <span class="faint">(nothing at this path)</span>`}</li>`;
  })}</ul>`;
}

function expiryOf(expiresAt: number | null, now: number): Html {
  if (expiresAt === null) return html`never`;
  const date = new Date(expiresAt).toISOString();
  const shown = html`<time datetime="${date}">${date.slice(0, 16).replace("T", " ")} UTC</time>`;
  return expiresAt <= now ? html`${badgeOf("bad", "expired")} ${shown}` : shown;
}

/** Shows one key: its access, and forms to change or revoke the key. */
export async function showKey({ core, id, query, csrf, now }: PageCall): Promise<PageResult> {
  const key = await core.admin.key(id);
  if (key === null) return notShown({ ...NO_PAGE, what: "there is no such key; it may have been revoked" });
  const known = await workspaceOf(core, key.workspaceId);
  const workspace = known?.workspace ?? null;
  const to = keyAddress(key.id);
  const rows = rowsOf(query, key.grants.length + 1);
  return page({
    title: `Key ${key.label}`,
    here: KEYS,
    main: html`<h1>${labelOf(key)}</h1>
${keyFacts(key, workspace?.name ?? null, now)}
${
  known !== null &&
  html`<details class="card"${query.has("rows") && html` open`}><summary>Change it</summary>
${actionForm({ action: to, csrf }, html`${keyFields(known.folders, { key, rows, more: to })}<button class="main-action">Change</button>`)}</details>`
}
<details class="card"><summary>Revoke it</summary>
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
  const title = "A new key";
  const known = workspace && (await workspaceOf(core, workspace.id));
  if (workspace !== undefined && known) {
    const more = withQuery(`${KEYS}/new`, { workspace: workspace.id });
    const fields = keyFields(known.folders, { key: null, rows: rowsOf(query, 2), more });
    return page({
      title,
      here: KEYS,
      main: html`<h1>A new key of ${nameView(workspace.name)}</h1>
${actionForm({ action: KEYS, csrf, fields: { workspace: workspace.id } }, html`${fields}<button class="main-action">Create the key</button>`)}`,
    });
  }
  if (asked !== null) return notShown({ ...NO_PAGE, what: "there is no such workspace" });
  return page({
    title,
    here: KEYS,
    main: html`<h1>A new key: for which workspace?</h1>
${
  workspaces.length === 0
    ? html`<p class="notice quiet">There is no workspace yet; <a href="${APP}">create one first</a>.</p>`
    : html`<ul class="entries">${workspaces.map(({ id, name }) => html`<li><a href="${withQuery(`${KEYS}/new`, { workspace: id })}">${nameView(name)}</a></li>`)}</ul>`
}`,
  });
}

/** Shows a new key with its secret, as the answer to the form. No address leads to this page. */
function madePage({ label, key, grants }: NewKeyInfo): PageResult {
  const waiting = waitingWords(grants);
  return page({
    title: "A new key",
    here: KEYS,
    main: html`<h1>The key ${nameView(label)} is created</h1>
${waiting !== null && html`<p class="notice asks">${waiting}</p>`}
<p>This is the key. It is shown only now: store it in a file that only its owner can read.</p>
<pre class="secret" tabindex="0"><code>${key}</code></pre>
<p><a href="${KEYS}">All keys</a></p>`,
  });
}

/** Fields of the form for a key, new or existing. */

/** LIMIT: folders offered for a grant. Users can type any other path. */
const MOST_FOLDERS = 200;
/** LIMIT: rows for grants in a form. */
const MOST_ROWS = 50;

const LEVELS = ["full", "edit", "read", "none"] as const;

const WORDS: Readonly<Record<(typeof LEVELS)[number], string>> = {
  full: "full: edit, move, delete, protect",
  edit: "edit: read and write documents",
  read: "read",
  none: "none: hidden",
};

/**
 * Returns the number of rows for grants in the form.
 * @param least number of rows unless the address asks for more
 */
function rowsOf(query: URLSearchParams, least: number): number {
  const asked = Number(query.get("rows") ?? "0");
  return Math.min(MOST_ROWS, Number.isInteger(asked) && asked > least ? asked : least);
}

type KeyForm = {
  /** Existing key; null if the form is for a new key. */
  readonly key: KeyInfo | null;
  readonly rows: number;
  /** Address of this page with more rows. */
  readonly more: string;
};

/** @param folders folders that are offered for a grant */
function keyFields(folders: readonly string[], { key, rows, more }: KeyForm): Html {
  const grants = Array.from({ length: rows }, (_, at) => grantRow(at, key));
  const date = key?.expiresAt == null ? "" : new Date(key.expiresAt).toISOString().slice(0, 10);
  return html`<div class="stack">
<label for="label">Label</label>
<input id="label" name="label" required maxlength="200" value="${key?.label ?? ""}">
<fieldset><legend>Access</legend>
<p class="faint">A folder or document, such as /team; / is everything. The nearest one above a document decides.</p>
${grants}
<a href="${more}${more.includes("?") ? "&" : "?"}rows=${rows + 5}">More rows</a></fieldset>
<datalist id="folders">${folders.map((path) => html`<option value="${path}"></option>`)}</datalist>
<label for="expires">Expires at the end of (empty: never)</label>
<input id="expires" name="expires" type="date" value="${date}">
<fieldset><legend>Rate limit (empty: the default of the service)</legend>
<span class="row"><label for="requests">requests</label><input id="requests" name="requests" inputmode="numeric" pattern="[0-9]*" size="6" value="${key?.rateLimit?.requests ?? ""}">
<label for="seconds">in seconds</label><input id="seconds" name="seconds" inputmode="numeric" pattern="[0-9]*" size="6" value="${key?.rateLimit?.seconds ?? ""}"></span></fieldset>
</div>`;
}

function grantRow(at: number, key: KeyInfo | null): Html {
  const path = key?.grantPaths[at] ?? "";
  const level = key?.grants[at]?.level ?? "read";
  const options = LEVELS.map(
    (one) => html`<option value="${one}"${one === level && html` selected`}>${WORDS[one]}</option>`,
  );
  const n = at + 1;
  return html`<span class="row"><input name="path" list="folders" aria-label="Path ${n}" value="${path}" maxlength="1024" dir="auto">
<select name="level" aria-label="May, path ${n}">${options}</select></span>`;
}

type Offered = { readonly workspace: WorkspaceRow; readonly folders: readonly string[] };

/** Reads the top-level folders of the workspace, which most grants are on. */
function workspaceOf({ server }: Core, id: string): Promise<Offered | null> {
  return server.store.read(async ({ workspaces, folders }): Promise<Offered | null> => {
    const workspace = await workspaces.byId(id);
    if (workspace === undefined) return null;
    const page = { workspace: workspace.seq, folder: ROOT, after: "", count: MOST_FOLDERS };
    const rows = await folders.inParentByName(page);
    return { workspace, folders: ["/", ...rows.map(({ path }) => shownPath(path))] };
  });
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
  if (wishes.grants.length === 0) return go(back, "give the key access to a path; / is everything", { tone: "bad" });
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
  if (label === "" || label.length > MOST_LABEL) return `a label has 1 to ${MOST_LABEL} characters`;
  const grants = readGrants(form);
  if (typeof grants === "string") return grants;
  const expiresAt = readExpiry(form.get("expires") ?? "", now);
  if (typeof expiresAt === "string") return expiresAt;
  const rateLimit = readRate(form.get("requests") ?? "", form.get("seconds") ?? "");
  return typeof rateLimit === "string" ? rateLimit : { label, grants, expiresAt, rateLimit };
}

function readGrants(form: URLSearchParams): KeyGrant[] | string {
  const levels = form.getAll("level");
  const grants: KeyGrant[] = [];
  for (const [at, text] of form.getAll("path").entries()) {
    if (text.trim() === "") continue;
    const level = LEVELS.find((one) => one === levels[at]);
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
