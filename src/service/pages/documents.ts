import { parentOf } from "../../contract/path.ts";
import { type Html, html } from "../../page/html.ts";
import { type RenderedMarkdown, documentView } from "../../page/markdown.ts";
import { badgeOf, nameView } from "../../page/parts.ts";
import type { Render } from "../../page/renderer.ts";
import { includes } from "../files/access.ts";
import { placeAt } from "../keys/kept-grants.ts";
import { type Refused, isRefused } from "../requests/answer.ts";
import { admitOnce } from "../requests/authenticate.ts";
import { type RequestContext, workingIn } from "../requests/context.ts";
import { admitByRate } from "../requests/dispatch.ts";
import { type FileRow, type FolderRow, ROOT, type WorkspaceRow } from "../store/rows.ts";
import { filesAddress, withQuery } from "./addresses.ts";
import { NO_PAGE, type PageResult, notShown, page, refusedPage } from "./answer.ts";
import type { PageCall } from "./call.ts";
import { contextFor } from "./who.ts";

/** Shows a folder or a document, as far as the signed-in key may see it. */
export async function showFiles(call: PageCall): Promise<PageResult> {
  const looked = await lookAt(call);
  if (isRefused(looked)) return refusedPage(looked);
  switch (looked.kind) {
    case "nothing":
      return notShown(NOT_THERE);
    case "document":
      return documentPage(looked, call.render);
    case "folder":
      return folderPage(looked.workspace, looked.page, call.query.has("after"));
  }
}

/** Shows the saved content of a document as plain text. */
export async function showRaw(call: PageCall): Promise<PageResult> {
  const looked = await lookAt(call);
  if (isRefused(looked)) return refusedPage(looked);
  return looked.kind === "document" ? { kind: "text", text: looked.text } : notShown(NOT_THERE);
}

const NOT_THERE = { ...NO_PAGE, what: "there is no such document or folder, or this key may not see it" };

type Document = {
  readonly kind: "document";
  readonly workspace: WorkspaceRow;
  readonly row: FileRow;
  readonly text: string;
  readonly isInReview: boolean;
};

type Looked =
  | Document
  | { readonly kind: "folder"; readonly workspace: WorkspaceRow; readonly page: FolderPage }
  | { readonly kind: "nothing" };

/** Reads everything that a page shows in one transaction. */
function lookAt({ core, who, id, rest, query }: PageCall): Promise<Looked | Refused> {
  const admit = admitOnce(admitByRate(core));
  return core.server.store.read(async (tables): Promise<Looked | Refused> => {
    const context = await contextFor(workingIn(core.server, tables), who, id, admit);
    if (isRefused(context)) return context;
    const { workspace } = context;
    const found = await find(context, rest.replace(/\/+$/, ""));
    if (found === null) return { kind: "nothing" };
    if (found.kind === "folder") {
      return { kind: "folder", workspace, page: await listFolder(context, found, query.get("after")) };
    }
    const { row } = found;
    const text = await tables.changes.text(row.changeId);
    return { kind: "document", workspace, row, text, isInReview: await tables.changes.hasReview(row.seq) };
  });
}

function folderPage(workspace: WorkspaceRow, { path, entries, next }: FolderPage, isLater: boolean): PageResult {
  const here = filesAddress(workspace.id, path);
  return page({
    title: path === "" ? workspace.name : path,
    main: html`${crumbs(workspace, path)}
<h1>${nameView(path === "" ? workspace.name : path.slice(path.lastIndexOf("/") + 1))}</h1>
${
  entries.length === 0
    ? html`<p class="notice quiet">${next === null ? "This folder is empty, or this key may not see its documents." : "Nothing on this page may be seen by this key; the next one may have more."}</p>`
    : html`<ul class="entries">${entries.map((entry) => entryItem(workspace, path, entry))}</ul>`
}
<nav aria-label="Parts of the list" class="row">${isLater && html`<a class="button" href="${here}">First page</a>`}
${next !== null && html`<a class="button" href="${withQuery(here, { after: next })}">Next</a>`}</nav>`,
  });
}

function entryItem(workspace: WorkspaceRow, path: string, { kind, name, isProtected }: Entry): Html {
  const whole = path === "" ? name : `${path}/${name}`;
  return html`<li class="${kind}"><a href="${filesAddress(workspace.id, whole)}">${nameView(name)}${kind === "folder" && "/"}</a>${
    isProtected && html` ${badgeOf("quiet", "protected")}`
  }</li>`;
}

async function documentPage(document: Document, render: Render): Promise<PageResult> {
  const { workspace, row, text } = document;
  const base = { files: filesAddress(workspace.id, ""), folder: parentOf(row.path) };
  return renderedPage(document, await render(text, base));
}

/** @param rendered null if rendering failed; the content is then shown as plain text */
function renderedPage({ workspace, row, text, isInReview }: Document, rendered: RenderedMarkdown | null): PageResult {
  const raw = filesAddress(workspace.id, row.path).replace("/files/", "/raw/");
  return page({
    title: row.path,
    main: html`${crumbs(workspace, row.path)}
<h1>${nameView(row.name)}</h1>
<p>${row.protected === 1 && html`${badgeOf("quiet", "protected")} `}${
      isInReview && html`${badgeOf("asks", "a change is in review")} `
    }<a href="${raw}">As text</a></p>
${text === "" && html`<p class="notice quiet">This document is empty.</p>`}${
  rendered === null && html`<p class="notice asks">The document takes too long to render, so this is its source.</p>`
}
<article class="document" dir="auto">${rendered === null ? html`<pre>${text}</pre>` : documentView(rendered)}</article>`,
  });
}

/** Returns links from the workspace down to this folder or document. */
function crumbs(workspace: WorkspaceRow, path: string): Html {
  const names = path === "" ? [] : path.split("/");
  const steps = names.map((name, at) => ({ name, to: names.slice(0, at + 1).join("/") }));
  const first = html`<li><a href="${filesAddress(workspace.id, "")}"${path === "" && html` aria-current="page"`}>${nameView(workspace.name)}</a></li>`;
  return html`<nav aria-label="Where this is"><ol class="crumbs">${first}${steps.map(
    ({ name, to }) =>
      html`<li><a href="${filesAddress(workspace.id, to)}"${to === path && html` aria-current="page"`}>${nameView(name)}</a></li>`,
  )}</ol></nav>`;
}

/**
 * Reads what a page may show of a workspace: nothing that the API would not show to the same key.
 */

/** LIMIT: entries on one page. */
const MOST_ENTRIES = 200;
/**
 * LIMIT: rows read for one page. If a key may see little of a folder, a page may be short or empty
 * and still have a next one.
 */
const MOST_READ = 2_000;

type Entry = { readonly kind: "folder" | "file"; readonly name: string; readonly isProtected: boolean };

type FolderPage = {
  readonly path: string;
  readonly entries: readonly Entry[];
  /** Start of the next page; null if this page is the last. */
  readonly next: string | null;
};

type Found =
  | { readonly kind: "folder"; readonly seq: number; readonly path: string }
  | { readonly kind: "file"; readonly row: FileRow };

/**
 * Finds the folder or document at a path.
 * @param path without slashes at its ends; "" is the root
 */
async function find(context: RequestContext, path: string): Promise<Found | null> {
  const { tables, access } = context;
  // Every key may open the root. The page is empty if the key may see nothing directly in the root.
  if (path === "") return { kind: "folder", seq: ROOT, path };
  const place = await placeAt(context, path);
  if (place === undefined) return null;
  if (place.kind === "folder") {
    return includes(await access.levelOfFolder(place.seq), "read") ? { kind: "folder", seq: place.seq, path } : null;
  }
  const row = (await tables.files.bySeqs([place.seq]))[0]!;
  return includes(await access.levelOfFile(row), "read") ? { kind: "file", row } : null;
}

/**
 * Returns one page of a folder: folders by name, then documents by name.
 * @param after `next` of the previous page; null for the first page
 */
async function listFolder(
  context: RequestContext,
  folder: { readonly seq: number; readonly path: string },
  after: string | null,
): Promise<FolderPage> {
  const entries: Entry[] = [];
  let at = placeOf(after);
  let read = 0;
  while (at !== null && entries.length < MOST_ENTRIES && read < MOST_READ) {
    const count = MOST_ENTRIES - entries.length;
    // One row more than the page shows, to find out if there is a next page.
    const rows: readonly (FileRow | FolderRow)[] = await rowsOf(context, folder.seq, at, count + 1);
    const kept = rows.slice(0, count);
    read += kept.length;
    entries.push(...(await entriesOf(context, at.kind, kept)));
    at = nextOf(at, kept, rows.length > count);
  }
  return { path: folder.path, entries, next: at === null ? null : `${LETTER[at.kind]}${at.name}` };
}

/** Place at which a page begins: after this name, among the folders or among the documents. */
type At = { readonly kind: "folder" | "file"; readonly name: string };

const LETTER = { folder: "d", file: "f" } as const;

function placeOf(after: string | null): At | null {
  if (after === null || after === "") return { kind: "folder", name: "" };
  return { kind: after.startsWith(LETTER.file) ? "file" : "folder", name: after.slice(1) };
}

function rowsOf({ tables, workspace }: RequestContext, folder: number, { kind, name }: At, count: number) {
  const page = { workspace: workspace.seq, folder, after: name, count };
  return kind === "folder" ? tables.folders.inParentByName(page) : tables.files.inFolderByName(page);
}

async function entriesOf(
  { access }: RequestContext,
  kind: At["kind"],
  rows: readonly (FileRow | FolderRow)[],
): Promise<Entry[]> {
  await access.know(rows.map((row) => ("folder" in row ? row.folder : row.seq)));
  if (kind === "folder") {
    const seen = rows.filter(({ seq }) => includes(access.folder(seq), "read"));
    return seen.map(({ name }) => ({ kind, name, isProtected: false }));
  }
  const seen = (rows as readonly FileRow[]).filter((row) => includes(access.file(row), "read"));
  return seen.map((row) => ({ kind, name: row.name, isProtected: row.protected === 1 }));
}

/**
 * Returns the place of the next page: documents follow the last folder; nothing follows the last
 * document.
 */
function nextOf(at: At, rows: readonly { readonly name: string }[], hasMore: boolean): At | null {
  if (hasMore) return { kind: at.kind, name: rows.at(-1)!.name };
  return at.kind === "folder" ? { kind: "file", name: "" } : null;
}
