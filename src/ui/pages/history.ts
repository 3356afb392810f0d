/** Shows the documents that changed last, or one document: its timeline beside one version. */

import type { HistoryEntry } from "../../mirror/operations/history/history.ts";
import type { MergeOf } from "../../mirror/operations/history/origins.ts";
import { readVersion } from "../../mirror/operations/history/read-texts.ts";
import {
  type RecentDocument,
  readRecent,
  readTimeline,
  type Timeline,
  type TimelineStep,
} from "../../mirror/operations/history/timeline.ts";
import { RUNS } from "../../mirror/operations/history/events.ts";
import type { State } from "../../mirror/ports/state.ts";
import { type LocalMirror, withLocal } from "../../mirror/folder/open-local.ts";
import { countLines } from "../../markdown/merge/line-diff.ts";
import { ok, type Result } from "../../common/trouble.ts";
import { bytesText, count, plural } from "../../common/count.ts";
import { nameOf } from "../../contract/path.ts";
import { html, type Html } from "../../page/html.ts";
import type { Content } from "../../page/layout.ts";
import { ageOf, badgeOf, emptyOf, nameView, sentenceView } from "../../page/parts.ts";
import { verbWords } from "../activity.ts";
import { documentAddress, mirrorAddress } from "../addresses.ts";
import type { Folder } from "../folders.ts";
import { folderPage, type PageRequest, type Ui } from "../page.ts";
import { crumbsOf, historyTabs, numberIn, pagerOf, partOf, requestedPath, timeOf } from "../parts.ts";
import { jobOf } from "../status.ts";
import { compareForm } from "./diff.ts";
import { versionPart } from "./version.ts";

/** LIMIT: steps of a timeline, and documents of the list, on one page. */
const STEPS_PER_PAGE = 100;
const DOCUMENTS_PER_PAGE = 25;

export const HISTORY = folderPage({
  path: "/m/:name/history/*",
  section: "history/",
  show(ui, folder, request) {
    const path = requestedPath(request) || (request.query.get("of") ?? "").trim();
    return path === "" ? recentContent(ui, folder, request) : timelineContent(ui, folder, path, request);
  },
});

function recentContent(ui: Ui, { name: mirror, root }: Folder, request: PageRequest): Result<Content> {
  const recent = withLocal(root, ui, ({ state }) => ok(recentGroups(state)));
  if (recent.kind === "trouble") return recent;
  const part = partOf(recent.value, request, DOCUMENTS_PER_PAGE);
  return ok({
    title: `History · ${mirror} · mdmirror`,
    main: html`<div class="title"><h1>History</h1>${historyTabs(mirror, "history/")}</div>
<form action="${mirrorAddress(mirror, "history/")}" class="row"><label for="of">History of a document, also of a deleted one</label>
<input id="of" name="of" dir="auto" placeholder="folder/name.md"><button>Show</button></form>
${part.total === 0 ? emptyOf("No changes yet", "The first sync shows them.") : html`<ul class="card flush rows">${part.items.map((group) => groupRow(mirror, group, request.now))}</ul>`}
${pagerOf(part, "entries", (page) => mirrorAddress(mirror, "history/", { page }))}`,
  });
}

/** Documents that share a row: those of a first sync without a later change, or one document. */
type RecentGroup = { readonly isFirstSync: boolean; readonly documents: readonly RecentDocument[] };

function recentGroups(state: State): readonly RecentGroup[] {
  const firstSyncs = new Set(state.runs(RUNS).flatMap(({ run, kind }) => (kind === "init" ? [run] : [])));
  const groups = Map.groupBy(readRecent(state), ({ run, path }) => (firstSyncs.has(run) ? run : path));
  return [...groups].map(([key, documents]) => ({ isFirstSync: typeof key === "number", documents }));
}

function groupRow(mirror: string, { isFirstSync, documents }: RecentGroup, now: number): Html {
  const [first] = documents as [RecentDocument];
  if (!isFirstSync) return recentRow(mirror, first, now);
  const { run, at } = first;
  return html`<li id="${`h-run-${run}`}"><span class="main"><a href="${mirrorAddress(mirror, `runs/${run}`)}">First sync</a><br><span class="faint">${plural(documents.length, "document")} without a later change</span></span><span class="faint">${ageOf(at, now)} ago</span></li>`;
}

function recentRow(mirror: string, { path, at, kind, detail, isGone }: RecentDocument, now: number): Html {
  return html`<li id="${`h-${path}`}"><span class="main"><a href="${documentAddress(mirror, "history", path)}">${nameView(path)}</a>${
    isGone && html` ${badgeOf("quiet", "gone")}`
  }<br><span class="faint">${verbWords(kind)}: ${sentenceView(detail)}</span></span><span class="faint">${ageOf(at, now)} ago</span></li>`;
}

/** Lines that a version added and removed; null for a version whose content is no longer kept. */
type Lines = ReturnType<typeof countLines> | null;

function timelineContent(ui: Ui, folder: Folder, name: string, request: PageRequest): Result<Content> {
  const { name: mirror, root, job } = folder;
  const read = withLocal(root, ui, (localMirror) => readSelection(localMirror, name, request));
  if (read.kind === "trouble") return read;
  const { timeline, entries, part, lines, selected, before } = read.value;
  const { path, isGone, texts } = timeline;
  const items = part.items.map((step) =>
    step.kind === "text"
      ? versionItem(
          mirror,
          timeline,
          entries,
          step.entry,
          lines.get(step.entry.n) ?? null,
          selected?.entry.n === step.entry.n,
          request,
        )
      : otherItem(step, request.now),
  );
  return ok({
    title: `History of ${nameOf(path)} · ${mirror} · mdmirror`,
    main: html`${crumbsOf(mirror, path)}
<div class="title"><h1>History of ${nameView(nameOf(path))}</h1><div class="row">${
      isGone
        ? badgeOf("quiet", "gone")
        : html`<a class="button" href="${documentAddress(mirror, "docs", path)}">Open the document</a>`
    }</div></div>
<div id="job">${jobOf(job)}</div>
<div class="with-tree"><div><p class="faint">${plural(texts, "version")}</p><ol class="timeline" reversed>${items}</ol>
${pagerOf(part, "steps", (page) => documentAddress(mirror, "history", path, { page }))}
${compareForm(mirror, timeline, entries)}</div>
<div>${selected !== null && versionPart(folder, selected, before, request)}</div></div>`,
  });
}

/** Reads a timeline and the version that the address names, or the newest one. */
function readSelection(local: LocalMirror, name: string, request: PageRequest) {
  const read = readTimeline(local, name);
  if (read.kind === "trouble") return read;
  const timeline = read.value;
  const entries = timeline.steps.flatMap((step) => (step.kind === "text" ? [step.entry] : [])).toReversed();
  const part = partOf(timeline.steps, request, STEPS_PER_PAGE);
  const lines = countChanged(local, entries, part.items);
  const kept = entries.findLast(({ size }) => size !== null)?.n ?? null;
  const asksFor = request.query.get("n");
  const n = asksFor === null ? kept : numberIn(asksFor);
  const seen = n === null ? null : readVersion(local, timeline.path, n);
  if (seen?.kind === "trouble") return seen;
  const previous = n === null || n === 1 ? null : readVersion(local, timeline.path, n - 1);
  const before = previous?.kind === "ok" ? { n: n! - 1, text: previous.value.text } : null;
  return ok({ timeline, entries, part, lines, selected: seen?.value ?? null, before });
}

/** Counts the changed lines of each version in the steps, by the number of the version. */
function countChanged({ state }: LocalMirror, entries: readonly HistoryEntry[], steps: readonly TimelineStep[]) {
  const textOf = (n: number) => (n === 0 ? "" : state.text(entries[n - 1]!.digest));
  const versions = steps.flatMap((step) => (step.kind === "text" ? [step.entry.n] : []));
  return new Map(
    versions.map((n): [number, Lines] => {
      const [before, after] = [textOf(n - 1), textOf(n)];
      return [n, before === null || after === null ? null : countLines(before, after)];
    }),
  );
}

function otherItem(step: Exclude<TimelineStep, { kind: "text" }>, now: number): Html {
  if (step.kind === "gone")
    return html`<li class="step"><p>${badgeOf("bad", "deleted")} <span class="faint">${ageOf(step.at, now)} ago</span></p><p class="faint">${sentenceView(step.detail)}</p></li>`;
  const where = step.side === "local" ? "locally" : "on the service";
  return html`<li class="step"><p>${badgeOf("quiet", "renamed")} ${where} <span class="faint">${ageOf(step.at, now)} ago</span></p>
<p class="faint">${nameView(step.from)} → ${nameView(step.to)}</p></li>`;
}

function versionItem(
  mirror: string,
  timeline: Timeline,
  entries: readonly HistoryEntry[],
  entry: HistoryEntry,
  lines: Lines,
  isSelected: boolean,
  { now, query }: PageRequest,
): Html {
  const { n, at, from, size, what, other, merge } = entry;
  const address = documentAddress(mirror, "history", timeline.path, { n, page: query.get("page") });
  const label = `Version ${n}`;
  return html`<li class="step" id="${`v-${n}`}"${isSelected && html` aria-current="true"`}><p><b>${size === null ? label : html`<a href="${address}">${label}</a>`}</b>
${lines !== null && html`<span class="changed"><ins>+${count(lines.added)}</ins> <del>−${count(lines.removed)}</del></span> `}<span class="faint">${timeOrStart(at, now)}</span></p>
<p>${timeline.now === n && badgeOf("good", "current")}${from !== "service" && badgeOf("quiet", "only local")}</p>
<p class="faint">${merge === null ? sentenceView(what) : mergedSentence(merge, entries.slice(0, n))}${other !== null && ", of another document that was at this path"} · ${
    size === null ? "no longer in the history" : bytesText(size)
  }</p></li>`;
}

/** Says which versions were merged, by their numbers. */
function mergedSentence({ mine, theirs }: MergeOf, entries: readonly HistoryEntry[]): string {
  const named = (digest: string, words: string) => {
    const entry = entries.findLast((version) => version.digest === digest);
    return entry === undefined ? words : `${words} (version ${entry.n})`;
  };
  return `Merged: ${named(mine, "the local edit")} and ${named(theirs, "the edit on the service")}`;
}

function timeOrStart(time: number, now: number): Html {
  return time <= 0 ? timeOf(time, now) : html`${ageOf(time, now)} ago`;
}
