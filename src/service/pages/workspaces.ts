import { count, plural } from "../../common/quantities.ts";
import { shownName } from "../../common/shown-words.ts";
import { withQuery } from "../../page/addresses.ts";
import { type Html, html } from "../../page/html.ts";
import { renderActionForm, renderDot, renderEmptyState, renderName } from "../../page/parts.ts";
import { MAX_LABEL_CHARACTERS } from "../admin/operations.ts";
import { type KeyInfo, readKeyInfos } from "../keys/keys.ts";
import { type Refused, isRefused } from "../requests/answer.ts";
import { admitOnce, findHolder, findReader } from "../requests/authenticate.ts";
import { runRead } from "../requests/context.ts";
import { type ServiceCore, makeRateCheck } from "../requests/dispatch.ts";
import type { WorkspaceRow } from "../store/rows.ts";
import {
  APP_ADDRESS,
  KEYS_ADDRESS,
  makeFilesAddress,
  makeItemAddress,
  REVIEWS_ADDRESS,
  WORKSPACES_ADDRESS,
} from "./addresses.ts";
import {
  makePage,
  makeUnknownPage,
  NOT_SIGNED_IN,
  type PageResult,
  redirectTo,
  redirectWithRefusal,
} from "./answer.ts";
import type { PageCall } from "./call.ts";
import type { UserIdentity } from "./sign-in-sessions.ts";
import { renderSearchForm } from "./documents.ts";
import { LEVEL_LABELS } from "./parts.ts";

type Workspace = Awaited<ReturnType<PageCall["core"]["admin"]["workspaces"]>>[number];

const STATE_TONES = { open: "good", closed: "quiet", restoring: "asks" } as const;

export function renderWorkspaces(workspaces: readonly Workspace[], csrf: string): Html {
  const form = renderActionForm(
    { action: WORKSPACES_ADDRESS, csrf },
    html`<span class="row"><label for="name">Name</label><input id="name" name="name" required maxlength="${MAX_LABEL_CHARACTERS}">
<button class="main-action">Create workspace</button></span>`,
  );
  return html`<section class="card flush" aria-labelledby="workspaces"><header><h2 id="workspaces">Workspaces</h2></header>
${
  workspaces.length === 0
    ? renderEmptyState("No workspace yet", "A workspace holds the documents that its keys can read and edit.")
    : html`<table class="table"><thead><tr><th scope="col">Name</th><th scope="col">State</th><th scope="col" class="number">Documents</th>
<th scope="col" class="number">Open reviews</th><th scope="col">Keys</th><th scope="col" class="end">Actions</th></tr></thead>
<tbody>${workspaces.map((workspace) => renderWorkspaceRow(workspace, csrf))}</tbody></table>`
}
<details${workspaces.length === 0 && html` open`}><summary>New workspace</summary>${form}</details></section>`;
}

function renderWorkspaceRow({ id, name, state, documents, inReview }: Workspace, csrf: string): Html {
  const reviews = withQuery(REVIEWS_ADDRESS, { workspace: id });
  const verb = state === "open" ? "Close or remove …" : "Remove …";
  return html`<tr><th scope="row"><a href="${makeFilesAddress(id, "")}">${renderName(name)}</a></th>
<td data-label="State">${renderDot(STATE_TONES[state], state)}</td><td data-label="Documents" class="number">${count(documents)}</td>
<td data-label="Open reviews" class="number">${inReview === 0 ? "0" : html`<a href="${reviews}">${count(inReview)}</a>`}</td>
<td><a href="${withQuery(KEYS_ADDRESS, { workspace: id })}" aria-label="${`Keys of ${shownName(name)}`}">Keys</a></td>
<td class="end">${state !== "open" && renderStateForm(id, "open", csrf, html`<button aria-label="${`Open ${shownName(name)}`}">Open</button>`)}
<a class="button" aria-label="${`${verb} ${shownName(name)}`}" href="${makeItemAddress(WORKSPACES_ADDRESS, id)}/remove">${verb}</a></td></tr>`;
}

function renderStateForm(id: string, state: "open" | "closed", csrf: string, button: Html): Html {
  return renderActionForm(
    { action: `${makeItemAddress(WORKSPACES_ADDRESS, id)}/state`, csrf, fields: { state } },
    button,
  );
}

/**
 * Lists the workspaces, with links to their documents. If there is only one workspace, opens that
 * workspace instead.
 */
export async function showDocuments({ core }: PageCall): Promise<PageResult> {
  const workspaces = await core.admin.workspaces();
  if (workspaces.length === 1) return { kind: "go", to: makeFilesAddress(workspaces[0]!.id, ""), notice: null };
  return makePage({
    title: "Documents",
    main: html`<h1>Documents</h1>
${
  workspaces.length === 0
    ? renderEmptyState(
        "No documents",
        "Documents belong to a workspace.",
        html`<a class="button" href="${APP_ADDRESS}">Create a workspace</a>`,
      )
    : html`<ul class="card rows">${workspaces.map(
        ({ id, name, documents }) =>
          html`<li><a href="${makeFilesAddress(id, "")}">${renderName(name)}</a><span class="faint">${plural(documents, "document")}</span></li>`,
      )}</ul>`
}`,
  });
}

/**
 * Lists the grants of the user's key, each with a link to its documents. The link works even if the
 * key may not see the folder above the documents.
 */
export async function showOwnDocuments({ core, who }: PageCall): Promise<PageResult> {
  const ownAccess = await readOwnAccess(core, who);
  if (isRefused(ownAccess)) return ownAccess.code === "unauthenticated" ? NOT_SIGNED_IN : ownAccess;
  const { workspace } = ownAccess;
  const { label, grants, grantPaths } = ownAccess.info;
  const visibleGrants = grants.flatMap(({ level }, i) => (level === "none" ? [] : [{ level, path: grantPaths[i]! }]));
  return makePage({
    title: `Documents of ${workspace.name}`,
    main: html`<div class="title"><h1>${renderName(workspace.name)}</h1>${visibleGrants.length > 0 && renderSearchForm(workspace, "", "")}</div>
<p class="faint">Signed in with the key ${label === "" ? "without a name" : renderName(label)}.</p>
${
  visibleGrants.length === 0
    ? renderEmptyState("No access", "The key has no grant. The person who created it can add one.")
    : html`<div class="card flush"><table class="table"><thead><tr><th scope="col">Folder or document</th><th scope="col">Access</th></tr></thead>
<tbody>${visibleGrants.map(
        ({ path, level }) =>
          html`<tr><th scope="row"><a href="${makeFilesAddress(workspace.id, path.slice(1))}">${path === "/" ? "Whole workspace" : renderName(path.slice(1))}</a></th><td data-label="Access">${LEVEL_LABELS[level]}</td></tr>`,
      )}</tbody></table></div>`
}`,
  });
}

type OwnAccess = { readonly workspace: WorkspaceRow; readonly info: KeyInfo };

function readOwnAccess(core: ServiceCore, { hash }: UserIdentity): Promise<OwnAccess | Refused> {
  const admit = admitOnce(makeRateCheck(core));
  return runRead(core.server, async (transaction): Promise<OwnAccess | Refused> => {
    const reader = findReader(await findHolder(transaction.tables, hash, transaction.now()), admit);
    if (isRefused(reader)) return reader;
    const [info] = await readKeyInfos(transaction, [reader.key]);
    return { workspace: reader.workspace, info: info! };
  });
}

export async function showRemoval({ core, id, csrf }: PageCall): Promise<PageResult> {
  const workspace = await readWorkspaceInfo(core, id);
  if (workspace === undefined) return makeUnknownPage("there is no such workspace");
  const { name, state, documents } = workspace;
  const isOpen = state === "open";
  return makePage({
    title: `${isOpen ? "Close or remove" : "Remove"} ${name}`,
    main: html`<div class="alone"><h1>${isOpen ? "Close or remove" : "Remove"} ${renderName(name)}?</h1>
${
  isOpen &&
  html`<h2>Close</h2><p>Its keys then do not work and no linked folder syncs, until you open it again. Nothing is deleted.</p>
${renderStateForm(id, "closed", csrf, html`<button>Close ${renderName(name)}</button>`)}`
}
<h2>Remove</h2><p><strong>${plural(documents, "document")}</strong> with all their history would be deleted for good. Linked folders keep
their files.</p>
${renderActionForm(
  { action: `${makeItemAddress(WORKSPACES_ADDRESS, id)}/remove`, csrf },
  html`${
    documents > 0 &&
    html`<span class="field"><label for="name">Type its name to confirm</label>
<input id="name" name="name" required autocomplete="off" spellcheck="false"></span>`
  }<span class="row"><button class="danger">Delete permanently</button><a class="button" href="${APP_ADDRESS}">Keep it</a></span>`,
)}</div>`,
  });
}

async function readWorkspaceInfo({ admin }: ServiceCore, id: string): Promise<Workspace | undefined> {
  return (await admin.workspaces()).find((workspace) => workspace.id === id);
}

const STATE_NOTICES = {
  open: "is open: its keys work.",
  closed: "is closed: its keys do not work until you open it.",
};

export async function setState({ core, id, form }: PageCall): Promise<PageResult> {
  const state = (["open", "closed"] as const).find((name) => name === form.get("state"));
  if (state === undefined) return redirectTo(APP_ADDRESS, "a workspace is open or closed", { tone: "bad" });
  const changedWorkspace = await core.admin.setWorkspaceState(id, state);
  if (isRefused(changedWorkspace)) return redirectWithRefusal(APP_ADDRESS, changedWorkspace);
  return redirectTo(APP_ADDRESS, `“${changedWorkspace.name}” ${STATE_NOTICES[state]}`);
}

export async function removeWorkspace({ core, id, form }: PageCall): Promise<PageResult> {
  const workspace = await readWorkspaceInfo(core, id);
  if (workspace !== undefined && workspace.documents > 0 && form.get("name") !== workspace.name) {
    const formAddress = `${makeItemAddress(WORKSPACES_ADDRESS, id)}/remove`;
    return redirectTo(formAddress, "this is not its name; nothing was removed", { tone: "bad" });
  }
  const refusal = await core.admin.removeWorkspace(id);
  return refusal === null
    ? redirectTo(APP_ADDRESS, `“${workspace?.name ?? id}” is removed.`)
    : redirectWithRefusal(APP_ADDRESS, refusal);
}

export function listWorkspaces({ server }: ServiceCore): Promise<WorkspaceRow[]> {
  return server.store.read((tables) => tables.workspaces.all());
}

export async function readWorkspaceNames(core: ServiceCore): Promise<ReadonlyMap<string, string>> {
  return new Map((await listWorkspaces(core)).map(({ id, name }) => [id, name]));
}
