import { count } from "../../common/count.ts";
import { withQuery } from "../../page/addresses.ts";
import { type Html, html } from "../../page/html.ts";
import type { Content } from "../../page/layout.ts";
import { actionForm, badgeOf, crumbsView, emptyOf, nameView } from "../../page/parts.ts";
import { toApiPath } from "../files/present.ts";
import type { KeyGrant } from "../admin/operations.ts";
import type { KeyInfo, NewKeyInfo } from "../keys/keys.ts";
import { type Refused, isRefused } from "../requests/answer.ts";
import type { Core } from "../requests/dispatch.ts";
import { type Level, ROOT, type WorkspaceRow } from "../store/rows.ts";
import { APP, itemAddress, KEYS } from "./addresses.ts";
import { NO_PAGE, type PageResult, go, notShown, page, refusedForm, refusedPage } from "./answer.ts";
import type { PageCall } from "./call.ts";
import { type Fault, type FilledForm, filledOf, keyForm, readNewWishes, readWishes } from "./key-form.ts";
import { agoOf, LEVELS, listNav, minuteText } from "./parts.ts";
import { workspaceNames, workspacesOf } from "./workspaces.ts";

/** LIMIT: number of keys on one page. */
const MAX_KEYS = 100;

export async function showKeys({ core, query, now }: PageCall): Promise<PageResult> {
  const workspaceId = query.get("workspace");
  const from = /^\d{1,9}$/.test(query.get("from") ?? "") ? Number(query.get("from")) : 0;
  const listed = await core.admin.keyPage({ workspaceId, from, most: MAX_KEYS + 1 });
  if (isRefused(listed)) return refusedPage(listed);
  const keys = listed.slice(0, MAX_KEYS);
  const names = await workspaceNames(core);
  const fresh = withQuery(`${KEYS}/new`, { workspace: workspaceId });
  const more = { workspace: workspaceId, from: String(from + MAX_KEYS) };
  return page({
    title: "Keys",
    main: html`<div class="title"><h1>Keys${workspaceId !== null && html` of ${nameView(names.get(workspaceId) ?? workspaceId)}`}</h1>
<a class="button main-action" href="${fresh}">Create key</a></div>
${workspaceId !== null && html`<p><a href="${KEYS}">Keys of all workspaces</a></p>`}
${keys.length === 0 ? noKeys(from === 0) : keyTable(keys, names, now)}
${listNav(from > 0 ? withQuery(KEYS, { workspace: workspaceId }) : null, listed.length > MAX_KEYS ? withQuery(KEYS, more) : null)}`,
  });
}

function noKeys(isFirst: boolean): Html {
  if (!isFirst) return html`<p>There are no more keys.</p>`;
  return emptyOf("No keys", "A person, a computer or a program reads and edits documents with a key of its own.");
}

/**
 * Shows keys as a table.
 * @param names names of workspaces by id
 */
function keyTable(keys: readonly KeyInfo[], names: ReadonlyMap<string, string>, now: number): Html {
  return html`<div class="card flush"><table class="table"><thead><tr><th scope="col">Name</th><th scope="col">Access</th>
<th scope="col">Workspace</th><th scope="col">Last used</th><th scope="col">Expires</th></tr></thead>
<tbody>${keys.map(
    (key) =>
      html`<tr><th scope="row"><a href="${itemAddress(KEYS, key.id)}">${labelOf(key)}</a></th><td data-label="Access">${accessOf(key)}</td>
<td data-label="Workspace">${workspaceView(names.get(key.workspaceId) ?? null)}</td><td data-label="Last used">${usedOf(key, now)}</td>
<td data-label="Expires">${expiryOf(key.expiresAt, now)}</td></tr>`,
  )}</tbody></table></div>`;
}

function labelOf({ label, id }: KeyInfo): Html {
  return label === "" ? html`Without a name (${id})` : nameView(label);
}

/**
 * Shows the name of a key's workspace.
 * @param name null if the workspace was removed
 */
function workspaceView(name: string | null): Html {
  return name === null ? html`<span class="faint">removed</span>` : nameView(name);
}

function usedOf({ lastUsedAt }: KeyInfo, now: number): Html {
  return lastUsedAt === null ? html`<span class="faint">never</span>` : agoOf(lastUsedAt, now);
}

/** LIMIT: number of grants of a key that the list shows. */
const MAX_SHOWN = 3;

/** Summarises the access of a key for the list. */
function accessOf({ grants, grantPaths }: KeyInfo): Html {
  if (grants.length === 0) return html`<span class="faint">no access</span>`;
  const shown = grants.slice(0, MAX_SHOWN).map(({ level }, i) => grantView(grantPaths[i]!, level));
  const more = grants.length - shown.length;
  return html`${shown.map((grant, i) => html`${i > 0 && ", "}${grant}`)}${more > 0 && html` <span class="faint">and ${count(more)} more</span>`}`;
}

function grantView(path: string, level: Level): Html {
  const place = path === "/" ? html`Whole workspace` : nameView(path.slice(1));
  return html`<span>${place} <span class="faint">${LEVELS[level]}</span></span>`;
}

/**
 * Shows the properties of a key.
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
  return html`<ul>${grants.map(({ level, on }, i) => {
    const waits = on?.startsWith("/") === true;
    return html`<li>${grantView(grantPaths[i]!, level)}${waits && html` <span class="faint">(nothing exists at this path)</span>`}</li>`;
  })}</ul>`;
}

function expiryOf(expiresAt: number | null, now: number): Html {
  if (expiresAt === null) return html`<span class="faint">never</span>`;
  const shown = html`<time datetime="${new Date(expiresAt).toISOString()}">${minuteText(expiresAt)}</time>`;
  return expiresAt <= now ? html`${badgeOf("bad", "expired")} ${shown}` : shown;
}

/** Shows one key: its access, and forms to change or revoke the key. */
export async function showKey(call: PageCall): Promise<PageResult> {
  const key = await call.core.admin.key(call.id);
  return key === null ? notShown(NO_KEY) : page(await keyPage(call, key, filledOf(key)));
}

const NO_KEY = { ...NO_PAGE, reason: "there is no such key; it may have been revoked" };

async function keyPage({ core, csrf, now }: PageCall, key: KeyInfo, filled: FilledForm): Promise<Content> {
  const known = await workspaceOf(core, key.workspaceId);
  const to = itemAddress(KEYS, key.id);
  return {
    title: `Key ${key.label}`,
    main: html`${crumbsView("Path to this key", [
      { href: KEYS, label: "Keys" },
      { href: to, label: key.label === "" ? key.id : key.label, current: "page" },
    ])}
<h1>${labelOf(key)}</h1>
<div class="with-aside"><section class="card" aria-labelledby="change"><h2 id="change">Change this key</h2>${
      known === null
        ? html`<p>Its workspace was removed.</p>`
        : keyForm({ action: to, csrf }, known.folders, filled, "Save changes")
    }</section>
<aside><section class="card">${keyFacts(key, known?.workspace.name ?? null, now)}</section>
<details class="card"><summary>Revoke this key</summary>
<p>The service then rejects the key everywhere. This cannot be undone.</p>
${actionForm({ action: `${to}/revoke`, csrf }, html`<button class="danger">Revoke ${labelOf(key)}</button>`)}</details></aside></div>`,
  };
}

/** Shows the form for a new key. The user first chooses the workspace, then the access. */
export async function showNewKey(call: PageCall): Promise<PageResult> {
  const { core, query } = call;
  const workspaces = await workspacesOf(core);
  const workspaceId = query.get("workspace") ?? (workspaces.length === 1 ? workspaces[0]!.id : null);
  const known = workspaceId === null ? null : await workspaceOf(core, workspaceId);
  if (known !== null) return page(newKeyPage(call, known, filledOf(null)));
  if (workspaceId !== null) return notShown(NO_WORKSPACE);
  return page({
    title: "Create a key",
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

const NO_WORKSPACE = { ...NO_PAGE, reason: "there is no such workspace" };

function newKeyPage({ csrf }: PageCall, { workspace, folders }: Offered, filled: FilledForm): Content {
  const form = { action: KEYS, csrf, fields: { workspace: workspace.id } };
  return {
    title: "Create a key",
    main: html`${crumbsView("Path to this page", [
      { href: KEYS, label: "Keys" },
      { href: `${KEYS}/new`, label: "New key", current: "page" },
    ])}
<h1>Create a key for ${nameView(workspace.name)}</h1>
${keyForm(form, folders, filled, "Create key")}`,
  };
}

/**
 * Shows a new key with its secret, in the answer to the form. The page has no address of its own,
 * so the secret is shown only once.
 */
function madePage({ label, key, grants }: NewKeyInfo, { origin }: PageCall): PageResult {
  const waiting = waitingWords(grants);
  return page({
    title: "Key created",
    main: html`<h1>The key ${nameView(label)} is created</h1>
${waiting !== null && html`<p class="notice asks">${waiting}</p>`}
<p>Copy the key now: this page does not show it again. Store it in a file that only its owner can read.</p>
<pre class="secret" tabindex="0"><code id="secret">${key}</code></pre>
<p class="row"><button type="button" class="main-action" data-copy="secret" hidden>Copy the key</button><a class="button" href="${KEYS}">All keys</a></p>
<p>To sync a folder with this key, choose <b>Add a folder</b> on the pages of <code>mdmirror ui</code>, and give the address
<code>${origin}</code> and the key.</p>`,
  });
}

/**
 * LIMIT: number of folders that the form lists for grants. If a workspace has more, the form lists
 * only those in its root.
 */
const MAX_FOLDERS = 200;
type Offered = { readonly workspace: WorkspaceRow; readonly folders: readonly string[] };

/**
 * Reads a workspace and its folders; a folder comes after its parent. Returns null if the workspace
 * does not exist.
 */
function workspaceOf({ server }: Core, id: string): Promise<Offered | null> {
  return server.store.read(async ({ workspaces, folders }): Promise<Offered | null> => {
    const workspace = await workspaces.byId(id);
    if (workspace === undefined) return null;
    const all = await folders.all({ workspace: workspace.seq, after: 0, count: MAX_FOLDERS + 1 });
    const inRoot = { workspace: workspace.seq, folder: ROOT, after: "", count: MAX_FOLDERS };
    const rows = all.length > MAX_FOLDERS ? await folders.inParentByName(inRoot) : all;
    // A slash is compared as the lowest character, so that a folder is followed by its subfolders.
    const sorted = rows.map(({ path }) => path).toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
    return { workspace, folders: sorted.map(toApiPath) };
  });
}

function orderOf(path: string): string {
  return path.replaceAll("/", "\0");
}

export async function createKey(call: PageCall): Promise<PageResult> {
  const { core, form, now } = call;
  const workspaceId = form.get("workspace") ?? "";
  const known = await workspaceOf(core, workspaceId);
  if (known === null) return notShown(NO_WORKSPACE);
  const wishes = readNewWishes(form, now);
  const created = "field" in wishes ? wishes : await core.admin.createKey({ workspaceId, ...wishes });
  if (!("key" in created)) return page(newKeyPage(call, known, { fields: form, fault: faultFrom(created) }), 422);
  return madePage(created, call);
}

/** Returns the fault of a form. A refusal of the service always concerns the grants. */
function faultFrom(fault: Fault | Refused): Fault {
  return "field" in fault ? fault : { field: "access", text: fault.detail };
}

const MAX_NAME = 200;

/** Creates a workspace, and shows its first key. */
export async function createWorkspace(call: PageCall): Promise<PageResult> {
  const { core, form } = call;
  const name = (form.get("name") ?? "").trim();
  if (name === "" || name.length > MAX_NAME) return go(APP, `a name has 1 to ${MAX_NAME} characters`, { tone: "bad" });
  const known = await workspacesOf(core);
  if (known.some((workspace) => workspace.name === name))
    return go(APP, "there is a workspace with this name already", { tone: "bad" });
  const created = await core.admin.createWorkspace(name);
  return madePage({ ...created, label: `${created.label} of ${name}` }, call);
}

export async function changeKey(call: PageCall): Promise<PageResult> {
  const { core, id, form, now } = call;
  const key = await core.admin.key(id);
  if (key === null) return notShown(NO_KEY);
  const wishes = readWishes(form, now);
  const changed = "field" in wishes ? wishes : await core.admin.changeKey(id, wishes);
  if (!("grants" in changed)) return page(await keyPage(call, key, { fields: form, fault: faultFrom(changed) }), 422);
  const waiting = waitingWords(changed.grants);
  return waiting === null
    ? go(itemAddress(KEYS, id), "The key is changed.")
    : go(itemAddress(KEYS, id), waiting, { tone: "asks" });
}

export async function revokeKey({ core, id }: PageCall): Promise<PageResult> {
  const refused = await core.admin.removeKey(id);
  return refused === null ? go(KEYS, "The key is revoked: it is refused from now on.") : refusedForm(KEYS, refused);
}

/**
 * Returns a warning about grants on paths where nothing exists, because each may be a typing error.
 * Returns null if there are none.
 */
function waitingWords(grants: readonly KeyGrant[]): string | null {
  const waiting = grants.filter(({ on, level }) => on?.startsWith("/") === true && level !== "none");
  if (waiting.length === 0) return null;
  return "A path in a grant does not exist: that grant has no effect yet. Make the folder, then change the key.";
}
