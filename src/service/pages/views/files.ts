import { html, type Html } from "../../../page/html.ts";
import { documentView, type RenderedMarkdown } from "../../../page/markdown.ts";
import { badgeOf, nameOf } from "../../../page/parts.ts";
import { parentOf } from "../../../contract/path.ts";
import { isRefused, type Refused } from "../../requests/answer.ts";
import { admitOnce } from "../../requests/authenticate.ts";
import { workingIn } from "../../requests/context.ts";
import { admitByRate } from "../../requests/dispatch.ts";
import type { FileRow, WorkspaceRow } from "../../store/rows.ts";
import { filesAddress, withQuery } from "../addresses.ts";
import { NO_PAGE, notShown, page, type PageResult, refusedPage } from "../answer.ts";
import { type Entry, type FolderPage, find, listFolder } from "../browse.ts";
import type { PageCall } from "../call.ts";
import type { Render } from "../../../page/renderer.ts";
import { contextFor } from "../who.ts";
import { titled } from "../title.ts";

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
function lookAt({ core, who, params, query }: PageCall): Promise<Looked | Refused> {
  const [workspaceId = "", rest = ""] = params;
  const admit = admitOnce(admitByRate(core));
  return core.server.store.read(async (tables): Promise<Looked | Refused> => {
    const context = await contextFor(workingIn(core.server, tables), who, workspaceId, admit);
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
    title: titled(path === "" ? workspace.name : path),
    main: html`${crumbs(workspace, path)}
<h1>${nameOf(path === "" ? workspace.name : path.slice(path.lastIndexOf("/") + 1))}</h1>
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
  return html`<li class="${kind}"><a href="${filesAddress(workspace.id, whole)}">${nameOf(name)}${kind === "folder" && "/"}</a>${
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
    title: titled(row.path),
    main: html`${crumbs(workspace, row.path)}
<h1>${nameOf(row.name)}</h1>
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
  const first = html`<li><a href="${filesAddress(workspace.id, "")}"${path === "" && html` aria-current="page"`}>${nameOf(workspace.name)}</a></li>`;
  return html`<nav aria-label="Where this is"><ol class="crumbs">${first}${steps.map(
    ({ name, to }) =>
      html`<li><a href="${filesAddress(workspace.id, to)}"${to === path && html` aria-current="page"`}>${nameOf(name)}</a></li>`,
  )}</ol></nav>`;
}
