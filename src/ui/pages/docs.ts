/** Pages that list folders, show documents, and explain the state of a document. */

import {
  type EntryList,
  findEntry,
  listFolder,
  listTree,
  readEntry,
} from "../../mirror/operations/doctor/list-folder.ts";
import { explainPath, listWhyFacts, type PathExplanation } from "../../mirror/operations/doctor/why.ts";
import { withMirror } from "../../mirror/folder/open-mirror.ts";
import { describeAction } from "../../mirror/operations/results/actions.ts";
import { ok, refuse, unwrap } from "../../common/trouble.ts";
import { count, formatBytes, plural } from "../../common/quantities.ts";
import { ancestorsOf, nameOf, parentOf } from "../../contract/path.ts";
import { toSentence } from "../../common/shown-words.ts";
import { html, type Html, type HtmlValue } from "../../page/html.ts";
import type { Content } from "../../page/layout.ts";
import { renderDocument, type RenderedMarkdown } from "../../page/markdown.ts";
import {
  renderAge,
  renderBadge,
  renderDetails,
  renderEmptyState,
  renderFacts,
  renderName,
  renderSegments,
  renderSentence,
} from "../../page/parts.ts";
import { documentAddress, mirrorAddress } from "../addresses.ts";
import type { Folder } from "../folders.ts";
import { makeFolderPage, type PageRequest, readNumber, readRequestedPath, type Ui } from "../page.ts";
import { renderEntryBadge, renderProblemBadge, renderReviewsBadge } from "../states.ts";
import { renderCrumbs, renderEventItem, renderPager, renderProblemRows } from "../parts.ts";

type FolderEntry = EntryList["entries"][number];

const NAMES_PER_PAGE = 200;
/**
 * LIMIT: number of characters that the page shows of a local document, so that the page stays
 * small. The service accepts only documents with at most a third of these characters.
 */
const MAX_CHARACTERS = 150_000;

export const DOCS_PAGE = makeFolderPage({
  path: "/m/:name/docs/*",
  section: "docs/",
  show(ui, folder, request) {
    const path = readRequestedPath(request);
    if (path === "") return makeFolderContent(ui, folder, path, request);
    const foundEntry = unwrap(findEntry(folder.root, path, ui.random));
    if (foundEntry === null)
      return refuse(
        `nothing is at ${path}`,
        "go back to the folder above; History finds deleted documents",
        "no-document",
      );
    return foundEntry.kind === "folder"
      ? makeFolderContent(ui, folder, path, request)
      : makeDocumentContent(ui, folder, foundEntry, request);
  },
});

function makeFolderContent(ui: Ui, { name: mirror, root }: Folder, path: string, request: PageRequest): Content {
  const page = readNumber(request.query.get("page")) ?? 1;
  const filter = (request.query.get("filter") ?? "").trim();
  const range = { from: (page - 1) * NAMES_PER_PAGE, count: NAMES_PER_PAGE, name: filter };
  const { total, counts, entries } = unwrap(listFolder(root, path, range, ui.random));
  const kindCounts = ENTRY_KINDS.filter(([kind]) => counts[kind] > 0).map(([kind, word]) => plural(counts[kind], word));
  const pages = Math.max(1, Math.ceil(total / NAMES_PER_PAGE));
  const rows = entries.map((entry) => renderEntryRow(mirror, path, entry, request.now));
  const toPageAddress = (to: number) => documentAddress(mirror, "docs", path, { page: to, filter: filter || null });
  return {
    title: `${path === "" ? "Documents" : path} · ${mirror} · mdmirror`,
    main: html`${path !== "" && renderCrumbs(mirror, path)}
<div class="title"><h1>${path === "" ? "Documents" : renderName(nameOf(path))}</h1>
<form class="row" role="search" action="${documentAddress(mirror, "docs", path)}"><label for="filter" class="unseen">Filter by name</label>
<input id="filter" type="search" name="filter" value="${filter}" placeholder="Filter by name" dir="auto"><button>Filter</button></form></div>
<div class="with-tree"><nav aria-label="Folders" class="card tree">${renderTree(mirror, root, path)}</nav>
<section class="card flush"><header><span>${kindCounts.join(", ")}${filter !== "" && html` whose names have “${filter}”`}</span></header>${
      rows.length === 0
        ? renderNothingFound(mirror, path, filter)
        : html`<table class="table"><thead><tr><th scope="col">Name</th><th scope="col">State</th><th scope="col" class="number">Size</th><th scope="col" class="number">Changed</th></tr></thead><tbody>${rows}</tbody></table>`
    }</section></div>
${renderPager({ page: Math.min(page, pages), pages, total }, "names", toPageAddress)}`,
  };
}

function renderNothingFound(mirror: string, path: string, filter: string): Html {
  if (filter === "") return renderEmptyState("No documents", "This folder is empty.");
  const placeName = path === "" ? "this linked folder" : nameOf(path);
  const searchAddress = mirrorAddress(mirror, "search", { q: filter });
  return renderEmptyState(
    "No documents",
    `Nothing in ${placeName} has this text in its name.`,
    html`<a class="button" href="${searchAddress}">Search the contents instead</a>`,
  );
}

const ENTRY_KINDS = [
  ["folder", "folder"],
  ["document", "document"],
  ["other", "other file"],
] as const;

/** LIMIT: number of folders in the tree, so that the page stays small. */
const MAX_TREE_FOLDERS = 300;

/** Shows the folders near the current folder as a tree of links. */
function renderTree(mirror: string, root: string, current: string): Html {
  const treePaths = listTree(root, current);
  const renderFolder = (path: string, label: Html | string) => {
    const depth = path === "" ? 0 : ancestorsOf(path).length + 1;
    return html`<li class="${`deep-${Math.min(depth, 5)}`}"><a href="${documentAddress(mirror, "docs", path)}"${path === current && html` aria-current="page"`}>${label}</a></li>`;
  };
  const moreCount = treePaths.length - MAX_TREE_FOLDERS;
  return html`<ul>${renderFolder("", "All documents")}${treePaths.slice(0, MAX_TREE_FOLDERS).map((path) => renderFolder(path, renderName(nameOf(path))))}</ul>${
    moreCount > 0 && html`<p class="faint">… and ${plural(moreCount, "more folder")}</p>`
  }`;
}

function renderBadges({ state, needs, reviews }: FolderEntry): Html {
  const problemsBadge = needs > 0 && renderBadge("asks", `${plural(needs, "problem")} below`);
  return html`${problemsBadge || renderEntryBadge(state)}${reviews > 0 && html` ${renderReviewsBadge(reviews)}`}`;
}

/**
 * Shows a document or folder in a row. The row has an id, so that an update can replace the row
 * alone.
 */
function renderEntryRow(mirror: string, folder: string, entry: FolderEntry, now: number): Html {
  const { kind, why, file, sum } = entry;
  const size = file === null ? sum !== null && plural(sum.documents, "document") : formatBytes(file.size);
  const changedAt = file?.changedAt ?? sum?.changedAt ?? null;
  const name = folder === "" ? entry.path : entry.path.slice(folder.length + 1);
  const label = html`${renderName(name)}${kind === "folder" && "/"}`;
  const hasPage = kind !== "other" && !(kind === "folder" && entry.state === "ignored");
  const address = documentAddress(mirror, "docs", entry.path);
  return html`<tr id="${`e-${name}`}"><th scope="row">${hasPage ? html`<a href="${address}">${label}</a>` : html`<span>${label}</span>`}</th>
<td>${renderBadges(entry)}${why !== null && html` <span class="faint">${renderSentence(toSentence(why))}</span>`}</td>
<td class="number">${size}</td><td class="number">${changedAt !== null && html`${renderAge(changedAt, now)} ago`}</td></tr>`;
}

async function makeDocumentContent(
  ui: Ui,
  { name: mirror, root, needs, waits }: Folder,
  entry: FolderEntry,
  request: PageRequest,
): Promise<Content> {
  const path = readRequestedPath(request);
  const showsSource = request.query.get("as") === "text";
  const readOutcome = unwrap(readEntry(root, path, ui.random));
  const file = readOutcome.kind === "done" ? readOutcome.value : null;
  const isShort = file !== null && file.text !== "" && file.text.length <= MAX_CHARACTERS;
  const linkBase = { files: documentAddress(mirror, "docs", ""), folder: parentOf(path) };
  const renderedText =
    isShort && !showsSource && entry.kind === "document" ? await ui.documents.render(file.text, linkBase) : null;
  const openProblems = [...needs, ...waits].filter((need) => need.path === path);
  const renderButton = (label: string, address: string) => html`<a class="button" href="${address}">${label}</a>`;
  const views = [
    { href: documentAddress(mirror, "docs", path), label: "Preview", isShown: !showsSource },
    { href: documentAddress(mirror, "docs", path, { as: "text" }), label: "Source", isShown: showsSource },
  ];
  return {
    title: `${nameOf(path)} · ${mirror} · mdmirror`,
    main: html`${renderCrumbs(mirror, path)}
<div class="title"><h1>${renderName(nameOf(path))}</h1><div class="row">${renderSegments("View", views)}
${renderButton("History", documentAddress(mirror, "history", path))}${renderButton("Explain its state", documentAddress(mirror, "why", path))}</div></div>
<p>${renderBadges(entry)}${entry.why !== null && html` ${renderSentence(toSentence(entry.why))}`}${
      file !== null &&
      html` <span class="faint">${formatBytes(file.stamp.size)}, changed ${renderAge(file.stamp.mtimeMs, request.now)} ago</span>`
    }</p>
${openProblems.length > 0 && html`<section class="card flush">${renderProblemRows(openProblems)}</section>`}
${
  readOutcome.kind === "done"
    ? renderDocumentText(renderedText, readOutcome.value.text, showsSource)
    : html`<p class="notice quiet">${renderSentence(readOutcome.detail)}</p>`
}`,
  };
}

function renderDocumentText(rendered: RenderedMarkdown | null, text: string, asText: boolean): Html {
  if (text === "") return html`<p class="faint">This document is empty.</p>`;
  const moreCharacters = text.length - MAX_CHARACTERS;
  return html`${rendered === null && !asText && moreCharacters <= 0 && html`<p class="faint">The document takes too long to render, so this is its source.</p>`}
${renderDocument(rendered, text.slice(0, MAX_CHARACTERS))}${
  moreCharacters > 0 && html`<p class="faint">… and ${count(moreCharacters)} more characters</p>`
}`;
}

/**
 * Shows the output of `mdmirror why`. The page is not updated automatically, because each update
 * would send requests to the service.
 */
export const WHY_PAGE = makeFolderPage({
  path: "/m/:name/why/*",
  section: "docs/",
  isLive: false,
  async show(ui, { name: mirror, root }, request) {
    const path = readRequestedPath(request);
    const openOptions = { ...ui, mode: "read", what: "why" } as const;
    const explanation = unwrap(
      await withMirror(root, openOptions, async (opened) => ok(await explainPath(opened, path))),
    );
    const { events, open } = explanation;
    const facts = renderFacts(
      listWhyFacts(explanation, request.now).map(([term, fact]) => [term, renderSentence(fact)]),
    );
    return {
      title: `State of ${nameOf(path)} · ${mirror} · mdmirror`,
      main: html`${renderCrumbs(mirror, path, true)}
<h1>State of ${path === "" ? "the linked folder" : renderName(nameOf(path))}</h1>
<p class="faint">Both sides were scanned for this page; reload to scan again.</p>
<section class="card flush"><dl class="facts"><dt>On this computer</dt><dd>${describeLocal(explanation)}</dd><dt>On the service</dt><dd>${describeService(explanation)}</dd>
${open !== null && html`<dt>Problem</dt><dd>${renderProblemBadge(open.kind)} ${renderSentence(toSentence(open.detail))}</dd>`}<dt>Next sync</dt><dd>${renderNextSteps(explanation)}</dd></dl></section>
${renderDetails("Details", facts)}
${events.length > 0 && html`<h2>Last events</h2><ul class="card flush rows">${events.map((event) => renderEventItem(mirror, event, html`<a href="${mirrorAddress(mirror, `runs/${event.run}`)}">run ${event.run}</a> · ${renderAge(event.at, request.now)} ago`))}</ul>`}`,
    };
  },
});

const UNCHANGED_SENTENCE = "Unchanged since the last sync.";
const EDITED_SENTENCE = "Edited since the last sync.";

function describeLocal({ atPath, record, stays }: PathExplanation): HtmlValue {
  if (stays !== null) return html`It is not synced: ${renderSentence(toSentence(stays.why))}`;
  switch (atPath.kind) {
    case "file":
      if (record === null) return "A file that was not synced yet.";
      return atPath.digest === record.localDigest ? UNCHANGED_SENTENCE : EDITED_SENTENCE;
    case "folder":
      return "A folder.";
    case "other":
      return "Neither a file nor a folder.";
    case "absent":
      return "No file has this path.";
    case "unknown":
      return renderSentence(toSentence(atPath.why));
  }
}

function describeService({ offline, remote, record, folder, path }: PathExplanation): string {
  if (offline !== null) return "Not known: the service cannot be reached.";
  if (remote === null) return folder === null && path !== "" ? "No document has this path." : "A folder.";
  const protectedSentence = remote.protected ? " It is protected." : "";
  if (record === null) return `A document that was not downloaded yet.${protectedSentence}`;
  return `${remote.changeId === record.changeId ? UNCHANGED_SENTENCE : EDITED_SENTENCE}${protectedSentence}`;
}

/** LIMIT: number of steps of the next sync that are listed, so that the page stays short. */
const MAX_STEPS = 10;

function renderNextSteps({ steps, open, offline, stays }: PathExplanation): HtmlValue {
  if (offline !== null) return "It checks again when it reaches the service.";
  if (steps.length > 0) {
    const items = steps.slice(0, MAX_STEPS).map(({ action, stopped }) => {
      const label = toSentence(`${describeAction(action).label}${stopped ? ", after your approval" : ""}`);
      return html`<li>${label}</li>`;
    });
    const moreCount = steps.length - items.length;
    return html`<ul>${items}${moreCount > 0 && html`<li>… and ${count(moreCount)} more</li>`}</ul>`;
  }
  return open === null && stays === null ? "Nothing to do: both sides are equal." : "It leaves this path alone.";
}
