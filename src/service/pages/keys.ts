import { count } from "../../common/quantities.ts";
import { withQuery } from "../../page/addresses.ts";
import { type Html, html } from "../../page/html.ts";
import type { Content } from "../../page/layout.ts";
import { renderActionForm, renderBadge, renderBreadcrumbs, renderEmptyState, renderName } from "../../page/parts.ts";
import { toApiPath } from "../files/present.ts";
import { type KeyGrant, MAX_LABEL_CHARACTERS } from "../admin/operations.ts";
import type { KeyInfo, NewKeyInfo } from "../keys/keys.ts";
import { type Refused, isRefused } from "../requests/answer.ts";
import type { ServiceCore } from "../requests/dispatch.ts";
import { type Level, ROOT, type WorkspaceRow } from "../store/rows.ts";
import { APP_ADDRESS, KEYS_ADDRESS, makeItemAddress } from "./addresses.ts";
import { makePage, makeUnknownPage, type PageResult, redirectTo, redirectWithRefusal } from "./answer.ts";
import type { PageCall } from "./call.ts";
import {
  type FormFault,
  type FilledForm,
  fillForm,
  renderKeyForm,
  readNewKeyRequest,
  readKeyRequest,
} from "./key-form.ts";
import { renderAgo, LEVEL_LABELS, renderListNav, formatMinute } from "./parts.ts";
import { readWorkspaceNames, listWorkspaces } from "./workspaces.ts";

/** LIMIT: number of keys on one page, so that the page stays small. */
const MAX_KEYS = 100;

export async function showKeys({ core, query, now }: PageCall): Promise<PageResult> {
  const workspaceId = query.get("workspace");
  const firstIndex = /^\d{1,9}$/.test(query.get("from") ?? "") ? Number(query.get("from")) : 0;
  const listedKeys = await core.admin.keyPage({ workspaceId, from: firstIndex, most: MAX_KEYS + 1 });
  if (isRefused(listedKeys)) return listedKeys;
  const keys = listedKeys.slice(0, MAX_KEYS);
  const names = await readWorkspaceNames(core);
  const newKeyAddress = withQuery(`${KEYS_ADDRESS}/new`, { workspace: workspaceId });
  const nextPageQuery = { workspace: workspaceId, from: String(firstIndex + MAX_KEYS) };
  return makePage({
    title: "Keys",
    main: html`<div class="title"><h1>Keys${workspaceId !== null && html` of ${renderName(names.get(workspaceId) ?? workspaceId)}`}</h1>
<a class="button main-action" href="${newKeyAddress}">Create key</a></div>
${workspaceId !== null && html`<p><a href="${KEYS_ADDRESS}">Keys of all workspaces</a></p>`}
${keys.length === 0 ? renderNoKeys(firstIndex === 0) : renderKeyTable(keys, names, now)}
${renderListNav(firstIndex > 0 ? withQuery(KEYS_ADDRESS, { workspace: workspaceId }) : null, listedKeys.length > MAX_KEYS ? withQuery(KEYS_ADDRESS, nextPageQuery) : null)}`,
  });
}

function renderNoKeys(isFirst: boolean): Html {
  if (!isFirst) return html`<p>There are no more keys.</p>`;
  return renderEmptyState(
    "No keys",
    "A person, a computer or a program reads and edits documents with a key of its own.",
  );
}

/** @param names names of workspaces by id */
function renderKeyTable(keys: readonly KeyInfo[], names: ReadonlyMap<string, string>, now: number): Html {
  return html`<div class="card flush"><table class="table"><thead><tr><th scope="col">Name</th><th scope="col">Access</th>
<th scope="col">Workspace</th><th scope="col">Last used</th><th scope="col">Expires</th></tr></thead>
<tbody>${keys.map(
    (key) =>
      html`<tr><th scope="row"><a href="${makeItemAddress(KEYS_ADDRESS, key.id)}">${renderLabel(key)}</a></th><td data-label="Access">${renderAccess(key)}</td>
<td data-label="Workspace">${renderWorkspace(names.get(key.workspaceId) ?? null)}</td><td data-label="Last used">${renderLastUse(key, now)}</td>
<td data-label="Expires">${renderExpiry(key.expiresAt, now)}</td></tr>`,
  )}</tbody></table></div>`;
}

function renderLabel({ label, id }: KeyInfo): Html {
  return label === "" ? html`Without a name (${id})` : renderName(label);
}

/** @param name name of the workspace; null if the workspace was removed */
function renderWorkspace(name: string | null): Html {
  return name === null ? html`<span class="faint">removed</span>` : renderName(name);
}

function renderLastUse({ lastUsedAt }: KeyInfo, now: number): Html {
  return lastUsedAt === null ? html`<span class="faint">never</span>` : renderAgo(lastUsedAt, now);
}

/** LIMIT: number of grants that the list shows for a key, so that each key takes one row. */
const MAX_SHOWN_GRANTS = 3;

function renderAccess({ grants, grantPaths }: KeyInfo): Html {
  if (grants.length === 0) return html`<span class="faint">no access</span>`;
  const shownGrants = grants.slice(0, MAX_SHOWN_GRANTS).map(({ level }, i) => renderGrant(grantPaths[i]!, level));
  const hiddenCount = grants.length - shownGrants.length;
  return html`${shownGrants.map((grant, i) => html`${i > 0 && ", "}${grant}`)}${hiddenCount > 0 && html` <span class="faint">and ${count(hiddenCount)} more</span>`}`;
}

function renderGrant(path: string, level: Level): Html {
  const placeView = path === "/" ? html`Whole workspace` : renderName(path.slice(1));
  return html`<span>${placeView} <span class="faint">${LEVEL_LABELS[level]}</span></span>`;
}

/** @param workspace name of the workspace; null if the workspace was removed */
function renderKeyFacts(key: KeyInfo, workspace: string | null, now: number): Html {
  const { createdAt, expiresAt, rateLimit } = key;
  return html`<dl class="facts"><dt>Access</dt><dd>${renderGrants(key)}</dd>
<dt>Workspace</dt><dd>${renderWorkspace(workspace)}</dd>
<dt>Created</dt><dd>${renderAgo(createdAt, now)}</dd>
<dt>Last used</dt><dd>${renderLastUse(key, now)}</dd>
<dt>Expires</dt><dd>${renderExpiry(expiresAt, now)}</dd>
<dt>Rate limit</dt><dd>${rateLimit === null ? "the service's default" : `${count(rateLimit.requests)} requests in ${count(rateLimit.seconds)} s`}</dd></dl>`;
}

function renderGrants({ grants, grantPaths }: KeyInfo): Html {
  if (grants.length === 0) return html`none`;
  return html`<ul>${grants.map(({ level, on }, i) => {
    const isWaiting = on?.startsWith("/") === true;
    return html`<li>${renderGrant(grantPaths[i]!, level)}${isWaiting && html` <span class="faint">(nothing exists at this path)</span>`}</li>`;
  })}</ul>`;
}

function renderExpiry(expiresAt: number | null, now: number): Html {
  if (expiresAt === null) return html`<span class="faint">never</span>`;
  const expiryView = html`<time datetime="${new Date(expiresAt).toISOString()}">${formatMinute(expiresAt)}</time>`;
  return expiresAt <= now ? html`${renderBadge("bad", "expired")} ${expiryView}` : expiryView;
}

export async function showKey(call: PageCall): Promise<PageResult> {
  const key = await call.core.admin.key(call.id);
  return key === null ? UNKNOWN_KEY : makePage(await renderKeyPage(call, key, fillForm(key)));
}

const UNKNOWN_KEY = makeUnknownPage("there is no such key; it may have been revoked");

async function renderKeyPage({ core, csrf, now }: PageCall, key: KeyInfo, filled: FilledForm): Promise<Content> {
  const offeredFolders = await readWorkspace(core, key.workspaceId);
  const address = makeItemAddress(KEYS_ADDRESS, key.id);
  return {
    title: `Key ${key.label}`,
    main: html`${renderBreadcrumbs("Path to this key", [
      { href: KEYS_ADDRESS, label: "Keys" },
      { href: address, label: key.label === "" ? key.id : key.label, current: "page" },
    ])}
<h1>${renderLabel(key)}</h1>
<div class="with-aside"><section class="card" aria-labelledby="change"><h2 id="change">Change this key</h2>${
      offeredFolders === null
        ? html`<p>Its workspace was removed.</p>`
        : renderKeyForm({ action: address, csrf }, offeredFolders.folders, filled, "Save changes")
    }</section>
<aside><section class="card">${renderKeyFacts(key, offeredFolders?.workspace.name ?? null, now)}</section>
<details class="card"><summary>Revoke this key</summary>
<p>The service then rejects the key everywhere. This cannot be undone.</p>
${renderActionForm({ action: `${address}/revoke`, csrf }, html`<button class="danger">Revoke ${renderLabel(key)}</button>`)}</details></aside></div>`,
  };
}

export async function showNewKey(call: PageCall): Promise<PageResult> {
  const { core, query } = call;
  const workspaces = await listWorkspaces(core);
  const workspaceId = query.get("workspace") ?? (workspaces.length === 1 ? workspaces[0]!.id : null);
  const offeredFolders = workspaceId === null ? null : await readWorkspace(core, workspaceId);
  if (offeredFolders !== null) return makePage(renderNewKeyPage(call, offeredFolders, fillForm(null)));
  if (workspaceId !== null) return UNKNOWN_WORKSPACE;
  return makePage({
    title: "Create a key",
    main: html`<h1>Create a key</h1>
${
  workspaces.length === 0
    ? renderEmptyState(
        "No workspace yet",
        "A key belongs to a workspace.",
        html`<a class="button" href="${APP_ADDRESS}">Create a workspace</a>`,
      )
    : html`<section class="card flush"><header><h2>For which workspace?</h2></header><ul class="rows">${workspaces.map(({ id, name }) => html`<li><a href="${withQuery(`${KEYS_ADDRESS}/new`, { workspace: id })}">${renderName(name)}</a></li>`)}</ul></section>`
}`,
  });
}

const UNKNOWN_WORKSPACE = makeUnknownPage("there is no such workspace");

function renderNewKeyPage({ csrf }: PageCall, { workspace, folders }: OfferedFolders, filled: FilledForm): Content {
  const formOptions = { action: KEYS_ADDRESS, csrf, fields: { workspace: workspace.id } };
  return {
    title: "Create a key",
    main: html`${renderBreadcrumbs("Path to this page", [
      { href: KEYS_ADDRESS, label: "Keys" },
      { href: `${KEYS_ADDRESS}/new`, label: "New key", current: "page" },
    ])}
<h1>Create a key for ${renderName(workspace.name)}</h1>
${renderKeyForm(formOptions, folders, filled, "Create key")}`,
  };
}

/** Shows a new key with its secret, on a page without an address, which is shown only once. */
function renderCreatedKey({ label, key, grants }: NewKeyInfo, { origin }: PageCall): PageResult {
  const warning = describeWaitingGrants(grants);
  return makePage({
    title: "Key created",
    main: html`<h1>The key ${renderName(label)} is created</h1>
${warning !== null && html`<p class="notice asks">${warning}</p>`}
<p>Copy the key now: this page does not show it again. Store it in a file that only its owner can read.</p>
<pre class="secret" tabindex="0"><code id="secret">${key}</code></pre>
<p class="row"><button type="button" class="main-action" data-copy="secret" hidden>Copy the key</button><a class="button" href="${KEYS_ADDRESS}">All keys</a></p>
<p>To sync a folder with this key, choose <b>Add a folder</b> on the pages of <code>mdmirror ui</code>, and give the address
<code>${origin}</code> and the key.</p>`,
  });
}

/**
 * LIMIT: number of folders that the form lists for grants, so that the form stays usable. In a
 * workspace with more folders, the form lists only the folders in the root.
 */
const MAX_FOLDERS = 200;
type OfferedFolders = { readonly workspace: WorkspaceRow; readonly folders: readonly string[] };

/** Returns a workspace and its folders, each after its parent; null for an unknown workspace. */
function readWorkspace({ server }: ServiceCore, id: string): Promise<OfferedFolders | null> {
  return server.store.read(async ({ workspaces, folders }): Promise<OfferedFolders | null> => {
    const workspace = await workspaces.byId(id);
    if (workspace === undefined) return null;
    const allFolders = await folders.all({ workspace: workspace.seq, after: 0, count: MAX_FOLDERS + 1 });
    const rootQuery = { workspace: workspace.seq, folder: ROOT, after: "", count: MAX_FOLDERS };
    const rows = allFolders.length > MAX_FOLDERS ? await folders.inParentByName(rootQuery) : allFolders;
    // A slash counts as the lowest character, so that the folders below a folder follow it
    // directly.
    const sortedPaths = rows.map(({ path }) => path).toSorted((a, b) => (toSortKey(a) < toSortKey(b) ? -1 : 1));
    return { workspace, folders: sortedPaths.map(toApiPath) };
  });
}

function toSortKey(path: string): string {
  return path.replaceAll("/", "\0");
}

export async function createKey(call: PageCall): Promise<PageResult> {
  const { core, form, now } = call;
  const workspaceId = form.get("workspace") ?? "";
  const offeredFolders = await readWorkspace(core, workspaceId);
  if (offeredFolders === null) return UNKNOWN_WORKSPACE;
  const keyRequest = readNewKeyRequest(form, now);
  const newKey = "field" in keyRequest ? keyRequest : await core.admin.createKey({ workspaceId, ...keyRequest });
  if (!("key" in newKey))
    return makePage(renderNewKeyPage(call, offeredFolders, { fields: form, fault: toFormFault(newKey) }), 422);
  return renderCreatedKey(newKey, call);
}

/**
 * The form itself checks all fields except the grants. So if the service refuses the values of the
 * form, the reason is always a grant.
 */
function toFormFault(fault: FormFault | Refused): FormFault {
  return "field" in fault ? fault : { field: "access", text: fault.detail };
}

export async function createWorkspace(call: PageCall): Promise<PageResult> {
  const { core, form } = call;
  const name = (form.get("name") ?? "").trim();
  if (name === "" || name.length > MAX_LABEL_CHARACTERS)
    return redirectTo(APP_ADDRESS, `a name has 1 to ${MAX_LABEL_CHARACTERS} characters`, { tone: "bad" });
  const workspaces = await listWorkspaces(core);
  if (workspaces.some((workspace) => workspace.name === name))
    return redirectTo(APP_ADDRESS, "there is a workspace with this name already", { tone: "bad" });
  const newKey = await core.admin.createWorkspace(name);
  return renderCreatedKey({ ...newKey, label: `${newKey.label} of ${name}` }, call);
}

export async function changeKey(call: PageCall): Promise<PageResult> {
  const { core, id, form, now } = call;
  const key = await core.admin.key(id);
  if (key === null) return UNKNOWN_KEY;
  const keyRequest = readKeyRequest(form, key.expiresAt, now);
  const changedKey = "field" in keyRequest ? keyRequest : await core.admin.changeKey(id, keyRequest);
  if (!("grants" in changedKey))
    return makePage(await renderKeyPage(call, key, { fields: form, fault: toFormFault(changedKey) }), 422);
  const warning = describeWaitingGrants(changedKey.grants);
  const tone = warning === null ? "good" : "asks";
  return redirectTo(makeItemAddress(KEYS_ADDRESS, id), warning ?? "The key is changed.", { tone });
}

export async function revokeKey({ core, id }: PageCall): Promise<PageResult> {
  const refusal = await core.admin.removeKey(id);
  return refusal === null
    ? redirectTo(KEYS_ADDRESS, "The key is revoked: it is refused from now on.")
    : redirectWithRefusal(KEYS_ADDRESS, refusal);
}

/** Returns a warning about grants on paths where nothing exists yet; null without them. */
function describeWaitingGrants(grants: readonly KeyGrant[]): string | null {
  const waitingGrants = grants.filter(({ on, level }) => on?.startsWith("/") === true && level !== "none");
  if (waitingGrants.length === 0) return null;
  return "A path in a grant does not exist: that grant has no effect yet. Make the folder, then change the key.";
}
