import { readEvents } from "../../mirror/operations/history/events.ts";
import { readRuns, type RunLine } from "../../mirror/operations/history/runs.ts";
import { readUndoPlan } from "../../mirror/operations/history/undo.ts";
import { undoClause } from "../../mirror/operations/results/undo.ts";
import { type LocalMirror, withLocal } from "../../mirror/folder/open-local.ts";
import { ok, type Result, trouble } from "../../common/trouble.ts";
import { count, plural } from "../../common/count.ts";
import { html, type Html } from "../../page/html.ts";
import { ageOf, badgeOf, nameView, sentenceView } from "../../page/parts.ts";
import { mirrorAddress } from "../addresses.ts";
import type { Folder } from "../folders.ts";
import { folderPage, type PageRequest } from "../page.ts";
import { eventItem, folderForm, historyTabs, numberIn, pagerOf, partOf, timeOf } from "../parts.ts";
import { FOLDER_STATES } from "../states.ts";
import { jobOf } from "../status.ts";

/** Shows all runs, one run with the plan for its undo, and the log. */

/** LIMIT: runs on one page. */
const RUNS_SIZE = 50;
/** LIMIT: lines on one page, and documents of a plan that are listed. */
const SIZE = 100;
/** LIMIT: events that are read, newest first; `mdmirror log` prints older ones. */
const EVENTS = 10_000;

export const RUNS = folderPage({
  path: "/m/:name/runs",
  section: "history/",
  show(ui, { name, root, job }, asked) {
    const runs = withLocal(root, ui, ({ state }) => ok(readRuns(state)));
    if (runs.kind === "trouble") return runs;
    const part = partOf(runs.value, asked, RUNS_SIZE);
    return ok({
      title: `Runs · ${name} · mdmirror`,
      main: html`<div class="title"><h1>History</h1>${historyTabs(name, "runs")}</div>
${jobOf(job)}
${part.total === 0 ? html`<p>No run has changed anything yet.</p>` : html`<ul class="card flush rows">${part.items.map((run) => runRow(name, run, asked.now))}</ul>`}
${pagerOf(part, "runs", (page) => mirrorAddress(name, "runs", { page }))}`,
    });
  },
});

function runRow(mirror: string, line: RunLine, now: number): Html {
  const { run, kind, startedAt } = line;
  return html`<li id="${`run-${run}`}"><span class="main"><a href="${mirrorAddress(mirror, `runs/${run}`)}">${titleOf(line)}</a> ${runBadge(line)}<br>
<span class="faint">Run ${run}, ${kind}</span></span>${timeOf(startedAt, now)}</li>`;
}

/** Titles of runs that sync nothing, by their kinds. */
const TITLES: Readonly<Record<string, string>> = {
  approve: "Approved what a safety check stopped",
  reject: "Undid what a safety check stopped",
  resolve: "Resolved conflicts",
  restore: "Restored a version",
  undo: "Undid a run",
  links: "Changed the form of links",
};

function titleOf({ done, kind }: RunLine): string {
  return done ?? TITLES[kind] ?? "Synced nothing";
}

/** Shows an end that is not usual; null for others. It says nothing of problems of documents. */
function runBadge({ state, endedAt }: RunLine): Html | null {
  if (endedAt === null) return badgeOf("asks", "not ended");
  const [tone, word] = FOLDER_STATES[state as keyof typeof FOLDER_STATES] ?? ["quiet", ""];
  return tone === "bad" ? badgeOf(tone, word) : null;
}

export const RUN = folderPage({
  path: "/m/:name/runs/:run",
  section: "history/",
  show(ui, folder, asked) {
    const { name, root, job } = folder;
    const run = numberIn(asked.params["run"]);
    if (run === null) return noRun(asked.params["run"]!);
    const read = withLocal(root, ui, (local) => readRun(local, run));
    if (read.kind === "trouble") return read;
    const { line, events, undo } = read.value;
    const part = partOf(events, asked, SIZE);
    return ok({
      title: `Run ${run} · ${name} · mdmirror`,
      main: html`<p><a href="${mirrorAddress(name, "runs")}">All runs</a></p>
<h1>${titleOf(line)}</h1>
<p class="meta">Run ${run}, ${line.kind} <span>${timeOf(line.startedAt, asked.now)}</span> ${runBadge(line)}</p>
${jobOf(job)}
<h2>What it did</h2>
${part.total === 0 ? html`<p>No details of this run are stored.</p>` : html`<ul class="card flush rows">${part.items.map((one) => eventItem(name, one, false))}</ul>`}
${pagerOf(part, "lines", (page) => mirrorAddress(name, `runs/${run}`, { page }))}
<h2 id="undo">Undo this run</h2>
${line.undoneBy !== null && html`<p>${badgeOf("good", "Undone")} ${ageOf(line.undoneBy.startedAt, asked.now)} ago by <a href="${mirrorAddress(name, `runs/${line.undoneBy.run}`)}">run ${line.undoneBy.run}</a>.</p>`}
${undo.kind === "trouble" ? html`<p>${sentenceView(undo.trouble.what)}</p>` : undoPart(folder, line, undo.value, asked)}`,
    });
  },
});

type UndoPlan = Extract<ReturnType<typeof readUndoPlan>, { kind: "ok" }>["value"];

function readRun(local: LocalMirror, run: number) {
  const line = readRuns(local.state).find((one) => one.run === run);
  if (line === undefined) return noRun(String(run));
  const events = local.state.events({ limit: EVENTS, run }).toReversed();
  return ok({ line, events, undo: readUndoPlan(local, run) });
}

function noRun(run: string): Result<never> {
  return trouble("usage", `there is no run ${run}`, "go back to the list of runs", { code: "no-run" });
}

/** Shows the plan. The button undoes exactly the plan that the page shows. */
function undoPart(
  folder: Folder,
  { run, undoneBy }: RunLine,
  { plan, version }: UndoPlan,
  asked: PageRequest,
): Html | null {
  const { items } = plan;
  const doable = items.filter(({ kind }) => kind !== "left").length;
  const more = items.length - SIZE;
  const list = html`<ul class="card flush rows">${items
    .slice(0, SIZE)
    .map((item) => html`<li><b>${nameView(item.path)}</b> ${sentenceView(undoClause(item))}</li>`)}</ul>${
    more > 0 && html`<p class="faint">… and ${plural(more, "more document")}</p>`
  }`;
  if (items.length === 0) return html`<p>This run changed no document.</p>`;
  if (doable === 0) return undoneBy === null ? html`<p>Nothing in this run can be undone:</p>${list}` : null;
  const button = html`<button class="main-action">Undo ${count(doable)} of run ${run}</button>`;
  return html`<p>Undo would do this. Versions are restored as edits; documents that changed since are left alone.</p>${list}
${folderForm(folder, { path: `runs/${run}/undo`, fields: { version } }, asked, button)}`;
}

/** Shows the folder's events, newest first. */
export const LOG = folderPage({
  path: "/m/:name/log",
  section: "history/",
  show(ui, { name, root }, asked) {
    const read = withLocal(root, ui, ({ state }) =>
      ok(readEvents(state, { limit: EVENTS, run: null, path: null }).toReversed()),
    );
    if (read.kind === "trouble") return read;
    const part = partOf(read.value, asked, SIZE);
    const lines = part.items.map((event) => eventItem(name, event, true));
    return ok({
      title: `Log · ${name} · mdmirror`,
      main: html`<div class="title"><h1>History</h1>${historyTabs(name, "log")}</div>
${part.total === 0 ? html`<p>No events yet.</p>` : html`<ol class="card flush rows">${lines}</ol>`}
${pagerOf(part, "lines", (page) => mirrorAddress(name, "log", { page }))}`,
    });
  },
});
