/** Pages of the log: all runs, and one run with what its undo would change. */

import { readRuns, type RunLine } from "../../mirror/operations/history/runs.ts";
import { readUndo, type UndoPlan } from "../../mirror/operations/history/undo.ts";
import { undoClause } from "../../mirror/operations/results/undo.ts";
import { localTime } from "../../mirror/operations/results/when.ts";
import type { MirrorEvent, State } from "../../mirror/ports/state.ts";
import type { LocalMirror } from "../../mirror/folder/open-local.ts";
import { refuse } from "../../common/trouble.ts";
import { count, plural } from "../../common/count.ts";
import { html, type Html } from "../../page/html.ts";
import { ageOf, badgeOf, emptyOf, nameView, sentenceView } from "../../page/parts.ts";
import { eventSentence, isChange } from "../activity.ts";
import { mirrorAddress } from "../addresses.ts";
import type { Folder } from "../folders.ts";
import { folderPage, type PageRequest, readLocal } from "../page.ts";
import { eventItem, folderForm, historyTabs, numberIn, pagerOf, partOf, timeInRun, timeOf } from "../parts.ts";
import { FOLDER_STATES, outcomeBadge } from "../states.ts";
import { jobOf } from "../status.ts";

/** LIMIT: number of runs on one page. */
const RUNS_SIZE = 50;
/** LIMIT: number of events on the page of a run, and of documents in the plan of its undo. */
const SIZE = 100;
/** LIMIT: number of changes of a run in the list of runs. The page of the run shows all. */
const MAX_LINES = 10;
/**
 * LIMIT: number of events that are read from the log, the newest first. `mdmirror log` prints older
 * ones.
 */
const EVENTS = 10_000;

export const RUNS = folderPage({
  path: "/m/:name/runs",
  section: "history/",
  show(ui, { name, root, job }, request) {
    const runs = readLocal(ui, root, ({ state }) => readActivity(state, EVENTS));
    const part = partOf(runs, request, RUNS_SIZE);
    return {
      title: `Log · ${name} · mdmirror`,
      main: html`<div class="title"><h1>History</h1>${historyTabs(name, "runs")}</div>
${jobOf(job)}
${part.total === 0 ? emptyOf("No changes yet", "The first sync shows them.") : html`<section class="card flush">${runRows(name, part.items, request.now)}</section>`}
${pagerOf(part, "runs", (page) => mirrorAddress(name, "runs", { page }))}`,
    };
  },
});

/** A run and its changes, the newest change first. */
type Activity = { readonly line: RunLine; readonly changes: readonly MirrorEvent[] };

/**
 * Returns all runs with their changes, the newest run first.
 * @param limit number of events to read, the newest first; runs before these events show no changes
 */
export function readActivity(state: State, limit: number): readonly Activity[] {
  const byRun = Map.groupBy(state.events({ limit }).filter(isChange), ({ run }) => run);
  return readRuns(state).map((line) => ({ line, changes: byRun.get(line.run) ?? [] }));
}

/** Lists runs. A run with several changes can be expanded; the first run is expanded already. */
export function runRows(mirror: string, runs: readonly Activity[], now: number): Html {
  return html`<ul class="rows">${runs.map((row, i) => {
    const { run, startedAt } = row.line;
    const address = mirrorAddress(mirror, `runs/${run}`);
    return html`<li id="${`run-${run}`}"><div class="main">${changesOf(mirror, row, address, i === 0)}</div>
<span class="faint"><a href="${address}">run ${run}</a> · ${ageOf(startedAt, now)} ago</span></li>`;
  })}</ul>`;
}

function changesOf(mirror: string, { line, changes }: Activity, address: string, isOpen: boolean): Html {
  const [first, ...others] = changes;
  const title = html`${titleOf(line)} ${runBadge(line)}`;
  if (first === undefined) return title;
  if (others.length === 0) return html`${eventSentence(mirror, first)} ${outcomeBadge(first.outcome)}`;
  const more = changes.length - MAX_LINES;
  return html`<details${isOpen && html` open`}><summary>${title}</summary><ul class="lines">${changes
    .slice(0, MAX_LINES)
    .map((event) => html`<li>${eventSentence(mirror, event)} ${outcomeBadge(event.outcome)}</li>`)}${
    more > 0 && html`<li><a href="${address}">… and ${count(more)} more</a></li>`
  }</ul></details>`;
}

/** Titles of runs by their kind. All other kinds are a sync. */
const TITLES: Readonly<Record<string, string>> = {
  init: "First sync",
  approve: "Approval of stopped changes",
  reject: "Undo of stopped changes",
  resolve: "Resolved conflicts",
  restore: "Restored a version",
  undo: "Undo of a run",
  links: "Change of the form of links",
};

/** Returns the title of a run: what it was, its local time, and what it did. */
function titleOf({ done, kind, startedAt }: RunLine): string {
  const time = localTime(startedAt).slice("2026-11-21 ".length, "2026-11-21 09:05".length);
  const what = done ?? (kind in TITLES ? null : "nothing changed");
  return `${TITLES[kind] ?? "Sync"} at ${time}${what === null ? "" : `: ${what}`}`;
}

/**
 * Shows that a run has not ended, was stopped or did not reach the service; null otherwise. Does
 * not show problems of documents.
 */
function runBadge({ state, endedAt }: RunLine): Html | null {
  if (endedAt === null) return badgeOf("asks", "not ended");
  const [tone, word] = FOLDER_STATES[state as keyof typeof FOLDER_STATES] ?? ["quiet", ""];
  return tone === "bad" ? badgeOf(tone, word) : null;
}

export const RUN = folderPage({
  path: "/m/:name/runs/:run",
  section: "history/",
  show(ui, folder, request) {
    const { name, root, job } = folder;
    const run = numberIn(request.params["run"]);
    if (run === null) return noRun(request.params["run"]!);
    const { line, events, undo } = readLocal(ui, root, (local) => readRun(local, run));
    const part = partOf(events, request, SIZE);
    return {
      title: `Run ${run} · ${name} · mdmirror`,
      main: html`<p><a href="${mirrorAddress(name, "runs")}">All runs</a></p>
<div class="title"><h1>${titleOf(line)}</h1>${undo.kind === "ok" && undoButton(folder, line, undo.value, request)}</div>
<p class="faint">Run ${run} · ${line.kind} · ${timeOf(line.startedAt, request.now)} ${runBadge(line)}</p>
${jobOf(job)}
${line.undoneBy !== null && html`<p>${badgeOf("good", "Undone")} ${ageOf(line.undoneBy.startedAt, request.now)} ago by <a href="${mirrorAddress(name, `runs/${line.undoneBy.run}`)}">run ${line.undoneBy.run}</a>.</p>`}
${undo.kind === "trouble" ? html`<p>${sentenceView(undo.trouble.what)}</p>` : undoPart(line, undo.value)}
${part.total === 0 ? html`<p>No details of this run are stored.</p>` : html`<ul class="card flush rows">${part.items.map((event) => eventItem(name, event, timeInRun(event)))}</ul>`}
${pagerOf(part, "lines", (page) => mirrorAddress(name, `runs/${run}`, { page }))}`,
    };
  },
});

function readRun(local: LocalMirror, run: number) {
  const line = readRuns(local.state).find((candidate) => candidate.run === run);
  if (line === undefined) return noRun(String(run));
  const events = local.state.events({ limit: EVENTS, run }).toReversed();
  // If the run changed a document, events that only update its record are left out, because the
  // change says more.
  const changed = new Set(events.filter(isChange).flatMap(({ id }) => id ?? []));
  const shown = events.filter((event) => isChange(event) || event.id === null || !changed.has(event.id));
  return { line, events: shown, undo: readUndo(local, run) };
}

function noRun(run: string): never {
  return refuse(`there is no run ${run}`, "go back to the list of runs", "no-run");
}

/**
 * Returns the button that undoes a run, exactly as the page shows it; null if nothing can be
 * undone.
 */
function undoButton(folder: Folder, { run }: RunLine, { items, version }: UndoPlan, request: PageRequest): Html | null {
  if (!items.some(isDoable)) return null;
  const button = html`<button>Undo this run</button>`;
  return folderForm(folder, { path: `runs/${run}/undo`, fields: { version } }, request, button);
}

function isDoable({ kind }: UndoPlan["items"][number]): boolean {
  return kind !== "left";
}

/**
 * Lists, in an element that the user can expand, what the undo of a run would change; null if the
 * run is already undone.
 */
function undoPart({ undoneBy }: RunLine, { items }: UndoPlan): Html | null {
  const doable = items.filter(isDoable).length;
  const more = items.length - SIZE;
  if (items.length === 0) return html`<p>This run changed no document.</p>`;
  if (doable === 0 && undoneBy !== null) return null;
  const title = doable === 0 ? "Nothing in this run can be undone" : `What undo changes (${count(doable)})`;
  return html`<details class="card flush" id="undo"><summary>${title}</summary>
<p class="faint">Versions are restored as edits; documents that changed since are left alone.</p><ul class="rows">${items
    .slice(0, SIZE)
    .map((item) => html`<li><b>${nameView(item.path)}</b> ${sentenceView(undoClause(item))}</li>`)}</ul>${
    more > 0 && html`<p class="faint">… and ${plural(more, "more document")}</p>`
  }</details>`;
}
