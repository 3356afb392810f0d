/**
 * Pages of the history: the latest changes, the versions of a document, and the difference between
 * two versions.
 */

import type { LocalMirror } from "../../mirror/folder/open-local.ts";
import { MAX_RUNS } from "../../mirror/operations/history/lookup.ts";
import {
  type HistoryEntry,
  type NamedVersion,
  readText,
  readVersion,
  type VersionName,
  type VersionView,
} from "../../mirror/operations/history/history.ts";
import {
  type RecordedMerge,
  type MergeOrigins,
  type MergeRow,
  makeOriginHunks,
} from "../../mirror/operations/history/origins.ts";
import {
  readRecent,
  readTimeline,
  type RecentDocument,
  type Timeline,
  type TimelineStep,
} from "../../mirror/operations/history/timeline.ts";
import type { State } from "../../mirror/ports/state.ts";
import { countLines } from "../../markdown/merge/line-diff.ts";
import { count, formatBytes, plural } from "../../common/quantities.ts";
import { refuse, unwrap } from "../../common/trouble.ts";
import { nameOf } from "../../contract/path.ts";
import { html, type Html } from "../../page/html.ts";
import type { Content } from "../../page/layout.ts";
import {
  renderAge,
  renderBadge,
  renderEmptyState,
  renderName,
  renderNextStep,
  renderSentence,
} from "../../page/parts.ts";
import { renderComparison } from "../../page/side-by-side.ts";
import { formatVerb } from "../states.ts";
import { documentAddress, documentPart, mirrorAddress } from "../addresses.ts";
import type { Folder } from "../folders.ts";
import { makeFolderPage, type PageRequest, readLocalMirror, readNumber, readRequestedPath, type Ui } from "../page.ts";
import {
  cutListPage,
  renderCrumbs,
  renderFolderForm,
  renderHistoryTabs,
  renderJob,
  renderPager,
  renderTime,
} from "../parts.ts";

/**
 * LIMIT: number of rows on one page, so that pages stay small. A row is a version, move or
 * deletion, or in the list of the latest changes a document.
 */
const STEPS_PER_PAGE = 100;
const DOCUMENTS_PER_PAGE = 25;

export const HISTORY_PAGE = makeFolderPage({
  path: "/m/:name/history/*",
  section: "history/",
  show(ui, folder, request) {
    const path = readRequestedPath(request) || (request.query.get("of") ?? "").trim();
    return path === "" ? makeRecentContent(ui, folder, request) : makeTimelineContent(ui, folder, path, request);
  },
});

function makeRecentContent(ui: Ui, { name: mirror, root }: Folder, request: PageRequest): Content {
  const recentDocuments = readLocalMirror(ui, root, ({ state }) => groupRecent(state));
  const listPage = cutListPage(recentDocuments, request, DOCUMENTS_PER_PAGE);
  return {
    title: `History · ${mirror} · mdmirror`,
    main: html`<div class="title"><h1>History</h1>${renderHistoryTabs(mirror, "history/")}</div>
<form action="${mirrorAddress(mirror, "history/")}" class="row"><label for="of">History of a document, also of a deleted one</label>
<input id="of" name="of" dir="auto" placeholder="folder/name.md"><button>Show</button></form>
${listPage.total === 0 ? renderEmptyState("No changes yet", "The first sync shows them.") : html`<ul class="card flush rows">${listPage.items.map((group) => renderGroup(mirror, group, request.now))}</ul>`}
${renderPager(listPage, "entries", (page) => mirrorAddress(mirror, "history/", { page }))}`,
  };
}

/** A row of the list: one document, or all documents that have not changed since a first sync. */
type RecentDocuments = { readonly isFirstSync: boolean; readonly documents: readonly RecentDocument[] };

function groupRecent(state: State): readonly RecentDocuments[] {
  const firstSyncs = new Set(state.runs(MAX_RUNS).flatMap(({ run, kind }) => (kind === "init" ? [run] : [])));
  const groups = Map.groupBy(readRecent(state), ({ run, path }) => (firstSyncs.has(run) ? run : path));
  return [...groups].map(([key, documents]) => ({ isFirstSync: typeof key === "number", documents }));
}

function renderGroup(mirror: string, { isFirstSync, documents }: RecentDocuments, now: number): Html {
  const [first] = documents as [RecentDocument];
  if (!isFirstSync) return renderRecentDocument(mirror, first, now);
  const { run, at } = first;
  return html`<li id="${`h-run-${run}`}"><span class="main"><a href="${mirrorAddress(mirror, `runs/${run}`)}">First sync</a><br><span class="faint">${plural(documents.length, "document")} without a later change</span></span><span class="faint">${renderAge(at, now)} ago</span></li>`;
}

function renderRecentDocument(mirror: string, { path, at, kind, detail, isGone }: RecentDocument, now: number): Html {
  return html`<li id="${`h-${path}`}"><span class="main"><a href="${documentAddress(mirror, "history", path)}">${renderName(path)}</a>${
    isGone && html` ${renderBadge("quiet", "gone")}`
  }<br><span class="faint">${formatVerb(kind)}: ${renderSentence(detail)}</span></span><span class="faint">${renderAge(at, now)} ago</span></li>`;
}

/** Numbers of added and removed lines of a version; null if the content is no longer stored. */
type LineCounts = ReturnType<typeof countLines> | null;

function makeTimelineContent(ui: Ui, folder: Folder, name: string, request: PageRequest): Content {
  const { name: mirror, root, job } = folder;
  const selection = readLocalMirror(ui, root, (local) => readSelection(local, name, request));
  const { timeline, part, lines, selected, before } = selection;
  const { path, isGone, entries } = timeline;
  const items = part.items.map((step) =>
    step.kind === "text"
      ? renderVersionItem(
          mirror,
          timeline,
          step.entry,
          lines.get(step.entry.n) ?? null,
          selected?.entry.n === step.entry.n,
          request,
        )
      : renderOtherStep(step, request.now),
  );
  return {
    title: `History of ${nameOf(path)} · ${mirror} · mdmirror`,
    main: html`${renderCrumbs(mirror, path)}
<div class="title"><h1>History of ${renderName(nameOf(path))}</h1><div class="row">${
      isGone
        ? renderBadge("quiet", "gone")
        : html`<a class="button" href="${documentAddress(mirror, "docs", path)}">Open the document</a>`
    }</div></div>
<div id="job">${renderJob(job)}</div>
<div class="with-tree"><div><p class="faint">${plural(entries.length, "version")}</p><ol class="timeline" reversed>${items}</ol>
${renderPager(part, "steps", (page) => documentAddress(mirror, "history", path, { page }))}
${renderCompareForm(mirror, timeline)}</div>
<div>${selected !== null && renderVersion(folder, selected, before, request)}</div></div>`,
  };
}

/**
 * Returns the timeline of a document, and the version in the page's address. Default: the newest
 * version with stored content.
 */
function readSelection(local: LocalMirror, name: string, request: PageRequest) {
  const timeline = unwrap(readTimeline(local, name));
  const { entries } = timeline;
  const listPage = cutListPage(timeline.steps, request, STEPS_PER_PAGE);
  const lineCounts = countChangedLines(local, entries, listPage.items);
  const newestStoredNumber = entries.findLast(({ size }) => size !== null)?.n ?? null;
  const requestedNumber = request.query.get("n");
  const n = requestedNumber === null ? newestStoredNumber : readNumber(requestedNumber);
  const selectedVersion = n === null ? null : unwrap(readVersion(local, timeline.path, n));
  const previousResult = n === null || n === 1 ? null : readVersion(local, timeline.path, n - 1);
  const previousVersion = previousResult?.kind === "ok" ? { n: n! - 1, text: previousResult.value.text } : null;
  return { timeline, part: listPage, lines: lineCounts, selected: selectedVersion, before: previousVersion };
}

function countChangedLines({ state }: LocalMirror, entries: readonly HistoryEntry[], steps: readonly TimelineStep[]) {
  const readContent = (n: number) => (n === 0 ? "" : state.text(entries[n - 1]!.digest));
  const versions = steps.flatMap((step) => (step.kind === "text" ? [step.entry.n] : []));
  return new Map(
    versions.map((n): [number, LineCounts] => {
      const [before, after] = [readContent(n - 1), readContent(n)];
      return [n, before === null || after === null ? null : countLines(before, after)];
    }),
  );
}

function renderOtherStep(step: Exclude<TimelineStep, { kind: "text" }>, now: number): Html {
  if (step.kind === "gone")
    return html`<li class="step"><p>${renderBadge("bad", "deleted")} <span class="faint">${renderAge(step.at, now)} ago</span></p><p class="faint">${renderSentence(step.detail)}</p></li>`;
  const sideWords = step.side === "local" ? "locally" : "on the service";
  return html`<li class="step"><p>${renderBadge("quiet", "renamed")} ${sideWords} <span class="faint">${renderAge(step.at, now)} ago</span></p>
<p class="faint">${renderName(step.from)} → ${renderName(step.to)}</p></li>`;
}

function renderVersionItem(
  mirror: string,
  timeline: Timeline,
  entry: HistoryEntry,
  lines: LineCounts,
  isSelected: boolean,
  { now, query }: PageRequest,
): Html {
  const { n, at, from, size, what, other, merge } = entry;
  const address = documentAddress(mirror, "history", timeline.path, { n, page: query.get("page") });
  const label = `Version ${n}`;
  return html`<li class="step" id="${`v-${n}`}"${isSelected && html` aria-current="true"`}><p><b>${size === null ? label : html`<a href="${address}">${label}</a>`}</b>
${lines !== null && html`<span class="changed"><ins>+${count(lines.added)}</ins> <del>−${count(lines.removed)}</del></span> `}<span class="faint">${renderAgeOrStart(at, now)}</span></p>
<p>${timeline.now === n && renderBadge("good", "current")}${from !== "service" && renderBadge("quiet", "only local")}</p>
<p class="faint">${merge === null ? renderSentence(what) : describeMerge(merge, timeline.entries.slice(0, n))}${other !== null && ", of another document that was at this path"} · ${
    size === null ? "no longer in the history" : formatBytes(size)
  }</p></li>`;
}

function describeMerge({ mine, theirs }: RecordedMerge, entries: readonly HistoryEntry[]): string {
  const nameVersion = (digest: string, words: string) => {
    const entry = entries.findLast((version) => version.digest === digest);
    return entry === undefined ? words : `${words} (version ${entry.n})`;
  };
  return `Merged: ${nameVersion(mine, "the local edit")} and ${nameVersion(theirs, "the edit on the service")}`;
}

function renderAgeOrStart(time: number, now: number): Html {
  return time <= 0 ? renderTime(time, now) : html`${renderAge(time, now)} ago`;
}

/** @param before previous version; null if there is none, or if its content is no longer stored */
function renderVersion(
  folder: Folder,
  seen: VersionView,
  before: { readonly n: number; readonly text: string } | null,
  request: PageRequest,
): Html {
  const { entry, text, origins } = seen;
  const label = `Version ${entry.n}`;
  return html`<section class="card flush" id="version"><header><h2>${label} · ${renderTime(entry.at, request.now)}</h2>${renderRestoreForm(folder, seen, request)}</header>
<div>${renderRestoreNote(seen)}${
    before === null
      ? renderMissingChanges(entry)
      : html`<h3>Changes since version ${before.n}</h3>${renderComparison({ text: before.text, label: `Version ${before.n}` }, { text, label })}`
  }
${origins !== null && renderOrigins(origins)}
<details><summary>The whole text</summary><pre class="text" dir="auto">${text}</pre></details></div></section>`;
}

function renderMissingChanges({ n }: HistoryEntry): Html {
  if (n === 1) return html`<p class="faint" data-changes="first">The first known version.</p>`;
  return html`<p class="faint" data-changes="not-stored">The content of version ${n - 1} is no longer stored, so its changes cannot be shown.</p>`;
}

function renderRestoreNote({ entry, localFile, asNew, obstacle }: VersionView): Html {
  if (localFile?.digest === entry.digest)
    return html`<p class="faint">This is the present content of the local file.</p>`;
  if (obstacle !== null)
    return html`<div class="notice asks"><p>It cannot be restored now: ${renderSentence(obstacle.what)}</p>${renderNextStep(obstacle.next)}</div>`;
  const restoreSentence = asNew
    ? "A restore uploads the version as a new document."
    : "A restore makes this version an edit; the present version stays in the history.";
  return html`<p class="faint">${restoreSentence}</p>`;
}

function renderRestoreForm(
  folder: Folder,
  { path, entry, localFile, obstacle }: VersionView,
  request: PageRequest,
): Html | null {
  if (localFile?.digest === entry.digest || obstacle !== null) return null;
  const fields = { n: String(entry.n), version: entry.digest, local: localFile?.digest ?? "" };
  const button = html`<button class="main-action">Restore</button>`;
  return renderFolderForm(folder, { path: documentPart("restore", path), fields }, request, button);
}

/** LIMIT: number of lines of a merged version that the page shows, so that the page stays small. */
const MAX_ORIGIN_LINES = 2_000;

const SIDE_LABELS: Readonly<Record<string, string>> = {
  base: "",
  both: "both",
  mixed: "mine and theirs",
  mine: "mine",
  theirs: "theirs",
};

function renderOrigins(origins: MergeOrigins): Html {
  if (origins.kind === "gone")
    return html`<h3>Origin of each line</h3><p>The origin is not known: ${origins.gone.join(" and ")} ${origins.gone.length === 1 ? "is" : "are"} no longer in the history.</p>`;
  const rows = makeOriginHunks(origins.rows).flatMap(({ after, lines }) => [`line ${after.line}`, ...lines]);
  return html`<h3>Origin of each line</h3>
<p class="faint">This version was merged: mine was local, theirs was on the service, both was equal on both sides.</p>
<table class="sides whose"><caption class="unseen">Whose each line is</caption><tbody>${rows.slice(0, MAX_ORIGIN_LINES).map(renderLine)}</tbody></table>`;
}

const MARK_CLASSES: Readonly<Record<string, string>> = { added: "new", removed: "gone" };

function renderLine(row: MergeRow | string): Html {
  if (typeof row === "string") return html`<tr class="gap"><td colspan="2">${row}</td></tr>`;
  const sideLabel = SIDE_LABELS[row.kind === "conflict" ? row.of : row.from] ?? "";
  const mark = MARK_CLASSES[row.kind] ?? "";
  return html`<tr><td class="no ${mark}">${sideLabel}</td><td class="line ${mark}">${renderSentence(row.line.replace(/\n$/, ""))}</td></tr>`;
}

/** LIMIT: number of versions to choose from, so that the list stays usable. */
const MAX_VERSIONS = 100;

/**
 * Returns a form that compares two versions, or a version with the local file; null if there is
 * nothing to compare with.
 */
function renderCompareForm(mirror: string, { path, localDigest, now, entries }: Timeline): Html | null {
  const storedNumbers = entries
    .filter(({ size }) => size !== null)
    .map(({ n }) => n)
    .toReversed()
    .slice(0, MAX_VERSIONS);
  if (storedNumbers.length + (localDigest === null ? 0 : 1) < 2) return null;
  const renderVersionOptions = (chosen: string) => [
    localDigest !== null && html`<option value="here"${chosen === "here" && html` selected`}>the file now</option>`,
    ...storedNumbers.map(
      (n) => html`<option value="${n}"${chosen === String(n) && html` selected`}>version ${n}</option>`,
    ),
  ];
  const newestName = localDigest === null ? String(storedNumbers[0]) : "here";
  const beforeName = String(storedNumbers.find((n) => n !== now && String(n) !== newestName) ?? storedNumbers[0]);
  return html`<form action="${documentAddress(mirror, "diff", path)}" class="row">
<label for="from">Compare</label><select id="from" name="from">${renderVersionOptions(beforeName)}</select>
<label for="to">with</label><select id="to" name="to">${renderVersionOptions(newestName)}</select><button>Show</button></form>`;
}

export const DIFF_PAGE = makeFolderPage({
  path: "/m/:name/diff/*",
  section: "history/",
  show(ui, { name: mirror, root }, request) {
    const requestedPath = readRequestedPath(request);
    const [from, to] = [readTextName(request.query.get("from")), readTextName(request.query.get("to"))];
    if (from === null || to === null)
      return refuse("two versions are missing in the address", "go back to its history");
    const [before, after] = readLocalMirror(ui, root, (local) => [
      unwrap(readText(local, requestedPath, from)),
      unwrap(readText(local, requestedPath, to)),
    ]);
    const { path } = after;
    const renderTextName = (text: NamedVersion) => renderVersionName(mirror, path, text, request.now);
    return {
      title: `Changes of ${nameOf(path)} · ${mirror} · mdmirror`,
      main: html`${renderCrumbs(mirror, path, true)}
<h1>Changes of ${renderName(nameOf(path))}</h1>
<dl class="facts"><dt>From</dt><dd>${renderTextName(before)}</dd><dt>To</dt><dd>${renderTextName(after)}</dd></dl>
<p><a href="${documentAddress(mirror, "history", path)}">Its history</a></p>
${renderComparison(toLabelled(before), toLabelled(after))}`,
    };
  },
});

function toLabelled({ text, name }: NamedVersion): { readonly text: string; readonly label: string } {
  return { text, label: name === "here" ? "The file now" : `Version ${name}` };
}

function readTextName(text: string | null): VersionName | null {
  return text === "here" ? text : readNumber(text);
}

function renderVersionName(mirror: string, path: string, { name, at }: NamedVersion, now: number): Html {
  if (name === "here") return html`<a href="${documentAddress(mirror, "docs", path)}">the file now</a>`;
  return html`<a href="${documentAddress(mirror, "history", path, { n: name })}">version ${name}</a> ${renderTime(at ?? 0, now)}`;
}
