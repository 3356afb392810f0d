import { findEntry, listFolder } from "../../mirror/operations/doctor/list-folder.ts";
import { ok, type Result, trouble } from "../../common/trouble.ts";
import { plural } from "../../common/count.ts";
import { html } from "../../page/html.ts";
import type { Content } from "../../page/layout.ts";
import { nameView } from "../../page/parts.ts";
import { documentAddress } from "../addresses.ts";
import { entryRow, type ShownEntry } from "../entry-parts.ts";
import type { PageRequest, Moment, Ui } from "../page.ts";
import { requestedPage, pagerOf } from "../paging.ts";
import { crumbsOf, requestedPath } from "../path-parts.ts";
import { defineMirrorPage, type SeenMirror } from "../seen-mirror.ts";
import { type DocumentModel, lookAtDocument, showDocument } from "./document.ts";

/** Lists the entries of a folder, or shows the document at the path. */

/** LIMIT: names on one page. */
const SIZE = 200;

type FolderModel = {
  readonly kind: "folder";
  readonly mirror: string;
  readonly path: string;
  readonly entries: readonly ShownEntry[];
  readonly page: number;
  readonly pages: number;
  readonly total: number;
};

export const DOCS = defineMirrorPage<FolderModel | DocumentModel>({
  path: "/m/:name/docs/*",
  isLive: true,
  look(ui, mirror, asked) {
    const path = requestedPath(asked.params);
    if (path === "") return lookAtFolder(ui, mirror, path, asked);
    const found = findEntry(mirror.root, path, ui.random);
    if (found.kind === "trouble") return found;
    if (found.value === null) return nothingAt(path);
    return found.value.kind === "folder"
      ? lookAtFolder(ui, mirror, path, asked)
      : lookAtDocument(ui, mirror, found.value, { path, asText: asked.query.get("as") === "text" });
  },
  show: (model, moment) => (model.kind === "folder" ? showFolder(model, moment) : showDocument(model, moment)),
});

function nothingAt(path: string): Result<never> {
  const next = "go back to the folder above; History finds deleted documents";
  return trouble("usage", `nothing is at ${path}`, next, { code: "no-document" });
}

function lookAtFolder(ui: Ui, { name, root }: SeenMirror, path: string, { query }: PageRequest): Result<FolderModel> {
  const asked = requestedPage(query);
  const listed = listFolder(root, path, { from: (asked - 1) * SIZE, count: SIZE }, ui.random);
  if (listed.kind === "trouble") return listed;
  const { total, entries } = listed.value;
  const pages = Math.max(1, Math.ceil(total / SIZE));
  return ok({ kind: "folder", mirror: name, path, entries, page: Math.min(asked, pages), pages, total });
}

function showFolder(model: FolderModel, _moment: Moment): Content {
  const { mirror, path, entries, total } = model;
  const title = path === "" ? "Documents" : path;
  return {
    title: `${title} · ${mirror} · mdmirror`,
    main: html`${path !== "" && crumbsOf(mirror, path)}
<h1>${path === "" ? html`Documents of ${nameView(mirror)}` : nameView(path)}</h1>
<p class="faint">${total === 0 ? "Nothing is in this folder." : plural(total, "name")}</p>
<ul class="rows">${entries.map((entry) => entryRow(mirror, path, entry))}</ul>
${pagerOf(model, "names", (page) => documentAddress(mirror, "docs", path, { page }))}`,
  };
}
