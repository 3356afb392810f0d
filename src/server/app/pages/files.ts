import { html, type Html } from "../../../page/html.ts";
import { documentView, type RenderedMarkdown } from "../../../page/markdown.ts";
import { badgeOf, nameOf } from "../../../page/parts.ts";
import { parentOf } from "../../../model/path.ts";
import { isRefused, type Refused } from "../../answer.ts";
import type { RequestContext } from "../../context.ts";
import { admitByRate } from "../../dispatch.ts";
import type { FileRow } from "../../files-table.ts";
import { filesAddress, withQuery } from "../addresses.ts";
import { NO_PAGE, notShown, page, type PageResult, refusedPage } from "../answer.ts";
import { type Entry, type FolderPage, find, type Found, listFolder } from "../browse.ts";
import type { PageCall } from "../call.ts";
import type { Render } from "../renderer.ts";
import { contextFor } from "../who.ts";
import { titled } from "../title.ts";

/** A folder or a document, as far as the signed-in key may see it. */
export function showFiles(call: PageCall): PageResult {
  const looked = lookAt(call);
  if (isRefused(looked)) return refusedPage(looked);
  const { context, path, found } = looked;
  if (found === null) return notShown(NOT_THERE);
  if (found.kind === "file") return documentPage(context, found.row, call.render);
  return folderPage(context, listFolder(context, found, call.query.get("after")), path, call.query.has("after"));
}

/** The text of a document alone, as it was saved. */
export function showRaw(call: PageCall): PageResult {
  const looked = lookAt(call);
  if (isRefused(looked)) return refusedPage(looked);
  const { context, found } = looked;
  if (found?.kind !== "file") return notShown(NOT_THERE);
  return { kind: "text", text: context.store.changes.text(found.row.changeId) };
}

const NOT_THERE = { ...NO_PAGE, what: "there is no such document or folder, or this key may not see it" };

type Looked = { readonly context: RequestContext; readonly path: string; readonly found: Found | null };

function lookAt({ core, who, params }: PageCall): Looked | Refused {
  const [workspaceId = "", rest = ""] = params;
  const context = contextFor(core, who, workspaceId, admitByRate(core));
  if (isRefused(context)) return context;
  const path = rest.replace(/\/+$/, "");
  return { context, path, found: find(context, path) };
}

function folderPage(context: RequestContext, folder: FolderPage, path: string, isLater: boolean): PageResult {
  const { workspace } = context;
  const { entries, next } = folder;
  const here = filesAddress(workspace.id, path);
  return page({
    title: titled(path === "" ? workspace.name : path),
    main: html`${crumbs(context, path)}
<h1>${nameOf(path === "" ? workspace.name : path.slice(path.lastIndexOf("/") + 1))}</h1>
${
  entries.length === 0
    ? html`<p class="notice quiet">${next === null ? "Nothing is here, or nothing that this key may see." : "Nothing on this page may be seen by this key; the next one may have more."}</p>`
    : html`<ul class="entries">${entries.map((entry) => entryItem(context, path, entry))}</ul>`
}
<nav aria-label="Parts of the list" class="row">${isLater && html`<a class="button" href="${here}">From the beginning</a>`}
${next !== null && html`<a class="button" href="${withQuery(here, { after: next })}">Next</a>`}</nav>`,
  });
}

function entryItem({ workspace }: RequestContext, path: string, { kind, name, isProtected }: Entry): Html {
  const whole = path === "" ? name : `${path}/${name}`;
  return html`<li class="${kind}"><a href="${filesAddress(workspace.id, whole)}">${nameOf(name)}${kind === "folder" && "/"}</a>${
    isProtected && html` ${badgeOf("quiet", "protected")}`
  }</li>`;
}

function documentPage(context: RequestContext, row: FileRow, render: Render): PageResult {
  const text = context.store.changes.text(row.changeId);
  const base = { files: filesAddress(context.workspace.id, ""), folder: parentOf(row.path) };
  const rendered = render(text, base);
  if (!(rendered instanceof Promise)) return renderedPage(context, row, text, rendered);
  return { kind: "later", result: rendered.then((one) => renderedPage(context, row, text, one)) };
}

/** @param rendered null: it could not be rendered, and the text is shown as it is */
function renderedPage(
  context: RequestContext,
  row: FileRow,
  text: string,
  rendered: RenderedMarkdown | null,
): PageResult {
  const { store, workspace } = context;
  const raw = filesAddress(workspace.id, row.path).replace("/files/", "/raw/");
  return page({
    title: titled(row.path),
    main: html`${crumbs(context, row.path)}
<h1>${nameOf(row.name)}</h1>
<p>${row.protected === 1 && html`${badgeOf("quiet", "protected")} `}${
      store.changes.hasReview(row.seq) && html`${badgeOf("asks", "a change is in review")} `
    }<a href="${raw}">As text</a></p>
${text === "" && html`<p class="notice quiet">This document is empty.</p>`}${
  rendered === null && html`<p class="notice asks">It takes too long to lay out, so this is its text.</p>`
}
<article class="document" dir="auto">${rendered === null ? html`<pre>${text}</pre>` : documentView(rendered)}</article>`,
  });
}

/** Links from the workspace down to this folder or document. */
function crumbs({ workspace }: RequestContext, path: string): Html {
  const names = path === "" ? [] : path.split("/");
  const steps = names.map((name, at) => ({ name, to: names.slice(0, at + 1).join("/") }));
  const first = html`<li><a href="${filesAddress(workspace.id, "")}"${path === "" && html` aria-current="page"`}>${nameOf(workspace.name)}</a></li>`;
  return html`<nav aria-label="Where this is"><ol class="crumbs">${first}${steps.map(
    ({ name, to }) =>
      html`<li><a href="${filesAddress(workspace.id, to)}"${to === path && html` aria-current="page"`}>${nameOf(name)}</a></li>`,
  )}</ol></nav>`;
}
