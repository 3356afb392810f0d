import { shownName } from "../../common/shown-words.ts";
import { formatBytes } from "../../common/quantities.ts";
import type { DocId } from "../../contract/ids.ts";
import { joinPath, nameOf, parentOf } from "../../contract/path.ts";
import { withQuery } from "../../page/addresses.ts";
import { type Html, html } from "../../page/html.ts";
import { renderDocument } from "../../page/markdown.ts";
import {
  renderActionForm,
  renderBadge,
  renderBreadcrumbs,
  renderEmptyState,
  renderName,
  renderSegments,
} from "../../page/parts.ts";
import { includesLevel } from "../files/access.ts";
import { patchFile } from "../files/files.ts";
import { findReadableItem } from "../files/place.ts";
import { type Answer, type DoneAnswer, type Refused, isRefused } from "../requests/answer.ts";
import { admitOnce } from "../requests/authenticate.ts";
import { runRead, type RequestContext, runWrite } from "../requests/context.ts";
import { makeRateCheck } from "../requests/dispatch.ts";
import type { PublishedInfo } from "../store/files-table.ts";
import { type FileRow, type ItemRow, ROOT, type WorkspaceRow } from "../store/rows.ts";
import {
  DOCUMENTS_ADDRESS,
  type FilesPart,
  makeFilesAddress,
  makeItemAddress,
  makeSearchAddress,
  REVIEWS_ADDRESS,
} from "./addresses.ts";
import { makePage, makeUnknownPage, type PageResult, redirectTo, redirectWithRefusal } from "./answer.ts";
import type { PageCall } from "./call.ts";
import { renderAgo, renderListNav } from "./parts.ts";
import { makeUserContext } from "./sign-in-sessions.ts";

/**
 * Shows the parts of a folder or document that the user's key may see. One transaction reads all
 * data of the page, and ends before the document is rendered.
 */
export async function showFiles(call: PageCall): Promise<PageResult> {
  const makeResult = await runInWorkspace(call, async (context): Promise<() => PageResult | Promise<PageResult>> => {
    const item = await findItem(context, readPath(call));
    if (item === null) return () => UNKNOWN_DOCUMENT;
    if (item.kind === "file") {
      const document = await readDocument(context, item);
      return () => renderDocumentPage(document, call);
    }
    const folderPage = await listFolder(context, item, call.query.get("after"));
    return () => renderFolderPage(context.workspace, folderPage, call);
  });
  return isRefused(makeResult) ? makeResult : makeResult();
}

export const UNKNOWN_DOCUMENT = makeUnknownPage("there is no such document or folder, or this key may not see it");

type DocumentData = {
  readonly workspace: WorkspaceRow;
  readonly row: FileRow;
  readonly text: string;
  /** Time of the published change, in milliseconds since the epoch. */
  readonly at: number;
  /** Id of a change in review; null if there is none. */
  readonly reviewId: string | null;
  readonly mayProtect: boolean;
};

async function readDocument({ workspace, tables, access }: RequestContext, row: FileRow): Promise<DocumentData> {
  const [text, published] = [await tables.changes.text(row.changeId), await tables.files.published([row.seq])];
  const reviewId = (await tables.changes.filesInReview([row.seq])).get(row.seq) ?? null;
  const mayProtect = includesLevel(await access.levelOfFile(row), "full");
  return { workspace, row, text, at: published.get(row.seq)!.at, reviewId, mayProtect };
}

/** Runs `work` in one transaction, in the workspace of the page and with the user's access. */
export function runInWorkspace<T>(
  { core, who, id }: PageCall,
  work: (context: RequestContext) => Promise<T>,
  run: typeof runRead = runRead,
): Promise<T | Refused> {
  const admit = admitOnce(makeRateCheck(core));
  return run(core.server, async (transaction): Promise<T | Refused> => {
    const context = await makeUserContext(transaction, who, id, admit);
    return isRefused(context) ? context : work(context);
  });
}

/**
 * Runs `work` like `runInWorkspace`, on the document of the page's address.
 * @returns null if the document does not exist, or the user may not see it
 */
export function runOnDocument<T>(
  call: PageCall,
  work: (context: RequestContext, row: FileRow) => Promise<T>,
  run: typeof runRead = runRead,
): Promise<T | Refused | null> {
  const runOnFoundItem = async (context: RequestContext) => {
    const item = await findItem(context, readPath(call));
    return item?.kind === "file" ? work(context, item) : null;
  };
  return runInWorkspace(call, runOnFoundItem, run);
}

/**
 * Changes the document of the page's address. Then redirects the browser to a page of the document,
 * which `part` selects, such as its history.
 * @param textOf returns the text of the notice about the change
 */
export async function changeDocument(
  call: PageCall,
  part: FilesPart,
  work: (context: RequestContext, row: FileRow) => Promise<Answer>,
  textOf: (answer: DoneAnswer) => string,
): Promise<PageResult> {
  const answer = await runOnDocument(call, work, runWrite);
  if (answer === null) return UNKNOWN_DOCUMENT;
  const address = makeFilesAddress(call.id, readPath(call), part);
  return isRefused(answer) ? redirectWithRefusal(address, answer) : redirectTo(address, textOf(answer));
}

function readPath({ rest }: PageCall): string {
  return rest.replace(/\/+$/, "");
}

function renderFolderPage(workspace: WorkspaceRow, { path, entries, next }: FolderPage, call: PageCall): PageResult {
  const { query } = call;
  const address = makeFilesAddress(workspace.id, path);
  const name = path === "" ? workspace.name : nameOf(path);
  return makePage({
    title: path === "" ? workspace.name : path,
    main: html`${renderTrail(workspace, path)}
<div class="title"><h1>${renderName(name)}</h1>${renderSearchForm(workspace, path, "")}</div>
${
  entries.length === 0
    ? renderEmptyState(
        next === null ? "No documents" : "No documents on this page",
        next === null
          ? "This folder is empty, or this key may not see its documents."
          : "This key may see none of these documents; the next page may have more.",
      )
    : html`<div class="card flush"><table class="table"><thead><tr><th scope="col">Name</th><th scope="col" class="number">Size</th><th scope="col" class="number">Changed</th></tr></thead>
<tbody>${entries.map((entry) => renderEntryRow(workspace, path, { entry, call }))}</tbody></table></div>`
}
${renderListNav(query.has("after") ? address : null, next === null ? null : withQuery(address, { after: next }))}`,
  });
}

function renderEntryRow(
  workspace: WorkspaceRow,
  folder: string,
  { entry, call }: { readonly entry: FolderEntry; readonly call: PageCall },
): Html {
  const { kind, name, isProtected, reviewId: review, published } = entry;
  const path = joinPath(folder, name);
  return html`<tr class="${kind}"><th scope="row"><a href="${makeFilesAddress(workspace.id, path)}">${renderName(name)}${kind === "folder" && "/"}</a>${
    isProtected && html` ${renderBadge("quiet", "protected")}`
  }${review !== null && html` ${renderReviewBadge(review, call)}`}</th>
<td data-label="Size" class="number">${published === null ? "" : formatBytes(published.bytes)}</td>
<td data-label="Changed" class="number">${published === null ? "" : renderAgo(published.at, call.now)}</td></tr>`;
}

function renderReviewBadge(id: string, { who }: PageCall): Html {
  const badge = renderBadge("asks", "in review");
  return who.kind === "admin" ? html`<a href="${makeItemAddress(REVIEWS_ADDRESS, id)}">${badge}</a>` : badge;
}

/** @param path path of the searched folder, without slashes at its ends; "" is the root */
export function renderSearchForm(workspace: WorkspaceRow, path: string, query: string): Html {
  const folderName = shownName(path === "" ? workspace.name : nameOf(path));
  return html`<form role="search" method="get" action="${makeSearchAddress(workspace.id)}" class="row search">${
    path !== "" && html`<input type="hidden" name="in" value="${path}">`
  }<input type="search" id="q" name="q" value="${query}" dir="auto" autocomplete="off" spellcheck="false" aria-label="${`Search in ${folderName}`}" placeholder="${`Search in ${folderName}`}">
<button>Search</button></form>`;
}

async function renderDocumentPage(document: DocumentData, call: PageCall): Promise<PageResult> {
  const { workspace, row, text, at, reviewId: review, mayProtect } = document;
  const { who, csrf, now } = call;
  const linkBase = { files: makeFilesAddress(workspace.id, ""), folder: parentOf(row.path) };
  const isSource = call.query.get("view") === "source";
  // `renderedDocument` is null if the user wants to see the source, or if rendering failed.
  const renderedDocument = isSource ? null : await call.render(text, linkBase);
  const address = makeFilesAddress(workspace.id, row.path);
  const views = [
    { href: address, label: "Preview", isShown: !isSource },
    { href: withQuery(address, { view: "source" }), label: "Source", isShown: isSource },
  ];
  return makePage({
    title: row.path,
    main: html`${renderTrail(workspace, row.path)}
<div class="title"><h1>${renderName(row.name)}</h1><span class="row">${renderSegments("Views", views)}${
      who.kind === "admin" &&
      html`<a class="button" href="${makeFilesAddress(workspace.id, row.path, "history")}">History</a>`
    }${mayProtect && renderProtectionForm(workspace, row, csrf)}</span></div>
<p class="meta">${row.protected === 1 && renderBadge("quiet", "protected")}${review !== null && renderReviewBadge(review, call)}<span>Changed ${renderAgo(at, now)}</span><span>${formatBytes(Buffer.byteLength(text))}</span></p>
${text === "" && html`<p class="notice quiet">This document is empty.</p>`}${
  renderedDocument === null &&
  !isSource &&
  html`<p class="notice asks">The document takes too long to render, so this is its source.</p>`
}
${renderDocument(renderedDocument, text)}`,
  });
}

function renderProtectionForm(workspace: WorkspaceRow, row: FileRow, csrf: string): Html {
  const isProtected = row.protected === 1;
  const fields = { protected: isProtected ? "no" : "yes" };
  const action = makeFilesAddress(workspace.id, row.path, "protect");
  const hint = isProtected ? "Publish edits immediately" : "Send edits to review first";
  return renderActionForm(
    { action, csrf, fields },
    html`<button title="${hint}">${isProtected ? "Remove protection" : "Protect"}</button>`,
  );
}

export function changeProtection(call: PageCall): Promise<PageResult> {
  const isProtected = call.form.get("protected") === "yes";
  return changeDocument(
    call,
    "files",
    (context, row) => patchFile({ context, id: row.id as DocId, query: null, body: { protected: isProtected } }),
    () =>
      isProtected ? "Protected: edits now go to review first." : "Not protected: edits are published immediately.",
  );
}

export function renderTrail(workspace: WorkspaceRow, path: string): Html {
  const names = path === "" ? [] : path.split("/");
  const ancestors = names.map((label, i) => ({ label, to: names.slice(0, i + 1).join("/") }));
  const links = [{ label: workspace.name, to: "" }, ...ancestors].map(({ label, to }) => {
    return { href: makeFilesAddress(workspace.id, to), label, current: to === path ? ("page" as const) : null };
  });
  return renderBreadcrumbs("Path to this page", [{ href: DOCUMENTS_ADDRESS, label: "Documents" }, ...links]);
}

/** LIMIT: number of files and folders on one page, so that the page stays small. */
const MAX_ENTRIES = 200;
/**
 * LIMIT: number of rows that are read for one page, because a key may see only a few of many files.
 * So a page may be short or empty although another page follows.
 */
const MAX_ROWS_READ = 2_000;

type FolderEntry = {
  readonly kind: "folder" | "file";
  readonly name: string;
  readonly isProtected: boolean;
  /** Id of a change in review; null if there is none. */
  readonly reviewId: string | null;
  /** Time and size of the published content; null for a folder. */
  readonly published: PublishedInfo | null;
};

type FolderPage = {
  readonly path: string;
  readonly entries: readonly FolderEntry[];
  /** Position at which the next page begins; null if this page is the last. */
  readonly next: string | null;
};

/**
 * Returns the folder or document at a path; null if the key sees neither at this path.
 * @param path without slashes at its ends; "" is the root
 */
async function findItem(context: RequestContext, path: string) {
  // Every key may open the root. If the key may see nothing directly in the root, the page is
  // empty.
  return path === "" ? ({ kind: "folder", seq: ROOT, path } as const) : findReadableItem(context, path);
}

/**
 * Returns a page of the contents of a folder: first folders by name, then documents by name.
 * @param after `next` of the previous page; null for the first page
 */
async function listFolder(
  context: RequestContext,
  folder: { readonly seq: number; readonly path: string },
  after: string | null,
): Promise<FolderPage> {
  const entries: FolderEntry[] = [];
  let position = parsePosition(after);
  let rowsRead = 0;
  while (position !== null && entries.length < MAX_ENTRIES && rowsRead < MAX_ROWS_READ) {
    const remainingCount = MAX_ENTRIES - entries.length;
    // One row more than the page shows is read. If that row exists, another page follows.
    const rows = await readRows(context, folder.seq, position, remainingCount + 1);
    const shownRows = rows.slice(0, remainingCount);
    rowsRead += shownRows.length;
    entries.push(...(await readEntries(context, position.kind, shownRows)));
    if (rows.length > remainingCount) position = { kind: position.kind, name: shownRows.at(-1)!.name };
    else position = position.kind === "folder" ? FIRST_FILE : null;
  }
  return {
    path: folder.path,
    entries,
    next: position === null ? null : `${KIND_LETTERS[position.kind]}${position.name}`,
  };
}

/** Position in the contents of a folder: the page begins after this folder or document. */
type EntryPosition = { readonly kind: "folder" | "file"; readonly name: string };

const FIRST_FILE: EntryPosition = { kind: "file", name: "" };
const KIND_LETTERS = { folder: "d", file: "f" } as const;

function parsePosition(after: string | null): EntryPosition | null {
  if (after === null || after === "") return { kind: "folder", name: "" };
  return { kind: after.startsWith(KIND_LETTERS.file) ? "file" : "folder", name: after.slice(1) };
}

function readRows(
  { tables, workspace }: RequestContext,
  folder: number,
  { kind, name }: EntryPosition,
  count: number,
): Promise<readonly ItemRow[]> {
  const page = { workspace: workspace.seq, folder, after: name, count };
  return kind === "folder" ? tables.folders.inParentByName(page) : tables.files.inFolderByName(page);
}

async function readEntries(
  { access, tables }: RequestContext,
  kind: EntryPosition["kind"],
  rows: readonly ItemRow[],
): Promise<FolderEntry[]> {
  await access.loadAncestors(rows.map((row) => (kind === "folder" ? row.seq : row.parent)));
  if (kind === "folder") {
    const readableRows = rows.filter(({ seq }) => includesLevel(access.folder(seq), "read"));
    return readableRows.map(({ name }) => ({ kind, name, isProtected: false, reviewId: null, published: null }));
  }
  const readableFiles = (rows as readonly FileRow[]).filter((row) => includesLevel(access.file(row), "read"));
  const seqs = readableFiles.map(({ seq }) => seq);
  const [published, inReview] = [await tables.files.published(seqs), await tables.changes.filesInReview(seqs)];
  return readableFiles.map(({ seq, name, protected: isProtected }): FolderEntry => {
    const reviewId = inReview.get(seq) ?? null;
    return { kind, name, isProtected: isProtected === 1, reviewId, published: published.get(seq) ?? null };
  });
}
