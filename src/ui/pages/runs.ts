/** Pages of the log: all runs, and one run with the changes that its undo would make. */

import { readRuns, type RunLine } from "../../mirror/operations/history/timeline.ts";
import { describeUndo, readUndoPlan, type UndoPlan } from "../../mirror/operations/history/undo.ts";
import { formatTimeOfDay } from "../../mirror/operations/results/times.ts";
import type { MirrorEvent, State } from "../../mirror/ports/state.ts";
import type { LocalMirror } from "../../mirror/folder/open-local.ts";
import { refuse } from "../../common/trouble.ts";
import { count, plural } from "../../common/quantities.ts";
import { html, type Html } from "../../page/html.ts";
import { renderAge, renderBadge, renderEmptyState, renderName, renderSentence } from "../../page/parts.ts";
import { FOLDER_STATES, isChange, renderEvent, renderOutcomeBadge } from "../states.ts";
import { mirrorAddress } from "../addresses.ts";
import type { Folder } from "../folders.ts";
import { makeFolderPage, type PageRequest, readLocalMirror, readNumber } from "../page.ts";
import {
  cutListPage,
  renderEventItem,
  renderFolderForm,
  renderHistoryTabs,
  renderJob,
  renderPager,
  renderTime,
  renderTimeOfDay,
} from "../parts.ts";

const RUNS_PER_PAGE = 50;
/**
 * LIMIT: number of events on the page of a run, and number of documents in the plan of an undo, so
 * that pages stay small.
 */
const LINES_PER_PAGE = 100;
/**
 * LIMIT: number of changes for each run in the list of runs, so that the list stays short. The page
 * of a run shows all changes of the run.
 */
const MAX_CHANGES = 10;
/**
 * LIMIT: number of newest events that are read, so that the page is fast. `mdmirror log` prints
 * older events.
 */
const MAX_EVENTS = 10_000;

export const RUNS_PAGE = makeFolderPage({
  path: "/m/:name/runs",
  section: "history/",
  show(ui, { name, root, job }, request) {
    const runs = readLocalMirror(ui, root, ({ state }) => readActivity(state, MAX_EVENTS));
    const listPage = cutListPage(runs, request, RUNS_PER_PAGE);
    return {
      title: `Log · ${name} · mdmirror`,
      main: html`<div class="title"><h1>History</h1>${renderHistoryTabs(name, "runs")}</div>
${renderJob(job)}
${listPage.total === 0 ? renderEmptyState("No changes yet", "The first sync shows them.") : html`<section class="card flush">${renderRuns(name, listPage.items, request.now)}</section>`}
${renderPager(listPage, "runs", (page) => mirrorAddress(name, "runs", { page }))}`,
    };
  },
});

type RunActivity = { readonly line: RunLine; readonly changes: readonly MirrorEvent[] };

/**
 * Returns all runs, newest first. Reads only the newest `limit` events, so older runs have no
 * changes.
 */
export function readActivity(state: State, limit: number): readonly RunActivity[] {
  const changesByRun = Map.groupBy(state.events({ limit }).filter(isChange), ({ run }) => run);
  return readRuns(state).map((line) => ({ line, changes: changesByRun.get(line.run) ?? [] }));
}

/** Lists runs. A run with several changes can be expanded; the newest run already is. */
export function renderRuns(mirror: string, runs: readonly RunActivity[], now: number): Html {
  return html`<ul class="rows">${runs.map((row, i) => {
    const { run, startedAt } = row.line;
    const address = mirrorAddress(mirror, `runs/${run}`);
    return html`<li id="${`run-${run}`}"><div class="main">${renderChanges(mirror, row, address, i === 0)}</div>
<span class="faint"><a href="${address}">run ${run}</a> · ${renderAge(startedAt, now)} ago</span></li>`;
  })}</ul>`;
}

function renderChanges(mirror: string, { line, changes }: RunActivity, address: string, isOpen: boolean): Html {
  const [first, ...others] = changes;
  const title = html`${formatRunTitle(line)} ${renderRunBadge(line)}`;
  if (first === undefined) return title;
  if (others.length === 0) return html`${renderEvent(mirror, first)} ${renderOutcomeBadge(first.outcome)}`;
  const moreCount = changes.length - MAX_CHANGES;
  return html`<details${isOpen && html` open`}><summary>${title}</summary><ul class="lines">${changes
    .slice(0, MAX_CHANGES)
    .map((event) => html`<li>${renderEvent(mirror, event)} ${renderOutcomeBadge(event.outcome)}</li>`)}${
    moreCount > 0 && html`<li><a href="${address}">… and ${count(moreCount)} more</a></li>`
  }</ul></details>`;
}

/** Titles of runs by kind. A kind without a title is a sync. */
const RUN_TITLES: Readonly<Record<string, string>> = {
  init: "First sync",
  approve: "Approval of stopped changes",
  reject: "Undo of stopped changes",
  resolve: "Resolved conflicts",
  restore: "Restored a version",
  undo: "Undo of a run",
  links: "Change of the form of links",
};

function formatRunTitle({ done, kind, startedAt }: RunLine): string {
  const time = formatTimeOfDay(startedAt).slice(0, "09:05".length);
  const outcomeWords = done ?? (kind in RUN_TITLES ? null : "nothing changed");
  return `${RUN_TITLES[kind] ?? "Sync"} at ${time}${outcomeWords === null ? "" : `: ${outcomeWords}`}`;
}

/**
 * Shows that a run has not ended, was stopped or did not reach the service. Returns null for any
 * other run.
 */
function renderRunBadge({ state, endedAt }: RunLine): Html | null {
  if (endedAt === null) return renderBadge("asks", "not ended");
  const [tone, word] = FOLDER_STATES[state as keyof typeof FOLDER_STATES] ?? ["quiet", ""];
  return tone === "bad" ? renderBadge(tone, word) : null;
}

export const RUN_PAGE = makeFolderPage({
  path: "/m/:name/runs/:run",
  section: "history/",
  show(ui, folder, request) {
    const { name, root, job } = folder;
    const run = readNumber(request.params["run"]);
    if (run === null) return refuseRun(request.params["run"]!);
    const { line, events, undo } = readLocalMirror(ui, root, (local) => readRun(local, run));
    const listPage = cutListPage(events, request, LINES_PER_PAGE);
    return {
      title: `Run ${run} · ${name} · mdmirror`,
      main: html`<p><a href="${mirrorAddress(name, "runs")}">All runs</a></p>
<div class="title"><h1>${formatRunTitle(line)}</h1>${undo.kind === "ok" && renderUndo(folder, line, undo.value, request)}</div>
<p class="faint">Run ${run} · ${line.kind} · ${renderTime(line.startedAt, request.now)} ${renderRunBadge(line)}</p>
${renderJob(job)}
${line.undoneBy !== null && html`<p>${renderBadge("good", "Undone")} ${renderAge(line.undoneBy.startedAt, request.now)} ago by <a href="${mirrorAddress(name, `runs/${line.undoneBy.run}`)}">run ${line.undoneBy.run}</a>.</p>`}
${undo.kind === "trouble" ? html`<p>${renderSentence(undo.trouble.what)}</p>` : renderUndoPart(line, undo.value)}
${listPage.total === 0 ? html`<p>No details of this run are stored.</p>` : html`<ul class="card flush rows">${listPage.items.map((event) => renderEventItem(name, event, renderTimeOfDay(event)))}</ul>`}
${renderPager(listPage, "lines", (page) => mirrorAddress(name, `runs/${run}`, { page }))}`,
    };
  },
});

function readRun(local: LocalMirror, run: number) {
  const runLine = readRuns(local.state).find((candidate) => candidate.run === run);
  if (runLine === undefined) return refuseRun(String(run));
  const events = local.state.events({ limit: MAX_EVENTS, run }).toReversed();
  // If a document changed, the page does not show events that only update the document's record.
  const changedIds = new Set(events.filter(isChange).flatMap(({ id }) => id ?? []));
  const shownEvents = events.filter((event) => isChange(event) || event.id === null || !changedIds.has(event.id));
  return { line: runLine, events: shownEvents, undo: readUndoPlan(local, run) };
}

function refuseRun(run: string): never {
  return refuse(`there is no run ${run}`, "go back to the list of runs", "no-run");
}

function renderUndo(folder: Folder, { run }: RunLine, { items, version }: UndoPlan, request: PageRequest): Html | null {
  if (!items.some(canBeUndone)) return null;
  const button = html`<button>Undo this run</button>`;
  return renderFolderForm(folder, { path: `runs/${run}/undo`, fields: { version } }, request, button);
}

function canBeUndone({ kind }: UndoPlan["items"][number]): boolean {
  return kind !== "left";
}

/** Lists the changes that the undo of a run would make; null if the run is already undone. */
function renderUndoPart({ undoneBy }: RunLine, { items }: UndoPlan): Html | null {
  const doableCount = items.filter(canBeUndone).length;
  const moreCount = items.length - LINES_PER_PAGE;
  if (items.length === 0) return html`<p>This run changed no document.</p>`;
  if (doableCount === 0 && undoneBy !== null) return null;
  const title = doableCount === 0 ? "Nothing in this run can be undone" : `What undo changes (${count(doableCount)})`;
  return html`<details class="card flush" id="undo"><summary>${title}</summary>
<p class="faint">Versions are restored as edits; documents that changed since are left alone.</p><ul class="rows">${items
    .slice(0, LINES_PER_PAGE)
    .map((item) => html`<li><b>${renderName(item.path)}</b> ${renderSentence(describeUndo(item))}</li>`)}</ul>${
    moreCount > 0 && html`<p class="faint">… and ${plural(moreCount, "more document")}</p>`
  }</details>`;
}
