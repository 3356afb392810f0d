import { readRuns, type RunLine } from "../../mirror/operations/history/runs.ts";
import { readUndoPlan } from "../../mirror/operations/history/undo-operation.ts";
import type { UndoItem } from "../../mirror/operations/history/undo-item.ts";
import type { LocalMirror } from "../../mirror/folder/open-local.ts";
import { ok, type Result, trouble } from "../../common/trouble.ts";
import { undoClause } from "../../mirror/operations/results/undo.ts";
import { count, plural } from "../../common/count.ts";
import { html, type Html } from "../../page/html.ts";
import { nameView, sentenceView } from "../../page/parts.ts";
import { mirrorForm } from "../action.ts";
import { mirrorAddress } from "../addresses.ts";
import { type EventLine, eventItem, eventLineOf } from "../event-parts.ts";
import { lastRunResult, jobOf } from "../mirror-parts.ts";
import type { Moment } from "../page.ts";
import { type Part, pagerOf, partOf } from "../paging.ts";
import { versionNumber } from "../path-parts.ts";
import { defineMirrorPage, type SeenMirror } from "../seen-mirror.ts";
import { timeOf } from "../time-parts.ts";
import { runBadge } from "./runs.ts";

/** Shows one run: its events, and the plan for its undo. */

/** LIMIT: events on one page, and documents of the plan that are listed. */
const SIZE = 100;
/** LIMIT: events of the run that are read. */
const EVENTS = 10_000;

type Seen = {
  readonly line: RunLine;
  /** Events, oldest first. */
  readonly events: readonly EventLine[];
  readonly undo: Undo;
};

type Undo =
  | {
      readonly kind: "plan";
      readonly version: string;
      /** First items of the plan, as many as the page shows. */
      readonly items: readonly UndoItem[];
      readonly total: number;
      /** Number of items that can be undone. */
      readonly doable: number;
    }
  | { readonly kind: "none"; readonly why: string };

type Model = Omit<Seen, "events"> & {
  readonly mirror: Pick<SeenMirror, "name" | "root" | "job">;
  readonly part: Part<EventLine>;
};

export const RUN = defineMirrorPage<Model>({
  path: "/m/:name/runs/:run",
  isLive: true,
  look(ui, { name, root, job }, asked) {
    const run = versionNumber(asked.params["run"]!);
    if (run === null) return noRun(asked.params["run"]!);
    const read = ui.reads.read(root, { key: `run ${run}`, file: null }, (local) => readRun(local, run));
    if (read.kind === "trouble") return read;
    const { events, ...rest } = read.value;
    return ok({ ...rest, mirror: { name, root, job }, part: partOf(events, asked, SIZE) });
  },
  show: (model, moment) => {
    const { mirror, line, part } = model;
    const { run, kind, startedAt } = line;
    return {
      title: `Run ${run} · ${mirror.name} · mdmirror`,
      main: html`<p><a href="${mirrorAddress(mirror.name, "runs")}">All runs</a></p>
<h1>Run ${run}</h1>
<p>${kind} ${runBadge(line)} ${timeOf(startedAt, moment.now)}</p>
${mirror.job?.end === null ? jobOf(mirror.job) : lastRunResult(mirror)}
<p>${line.done ?? "No document was synced."}</p>
<h2>What it did</h2>
${part.total === 0 ? html`<p>No details of this run are stored.</p>` : html`<ul class="lines">${part.items.map((one) => eventItem(mirror.name, one, false))}</ul>`}
${pagerOf(part, "lines", (page) => mirrorAddress(mirror.name, `runs/${run}`, { page }))}
<h2>Undo this run</h2>
${undoPart(model, moment)}`,
    };
  },
});

function readRun(mirror: LocalMirror, run: number): Result<Seen> {
  const { state } = mirror;
  const line = readRuns(state).find((one) => one.run === run);
  if (line === undefined) return noRun(String(run));
  const events = state.events({ limit: EVENTS, run }).toReversed().map(eventLineOf);
  const seen = readUndoPlan(mirror, run);
  if (seen.kind === "trouble") return ok({ line, events, undo: { kind: "none", why: seen.trouble.what } });
  const { plan, version } = seen.value;
  const doable = plan.items.filter(({ kind }) => kind !== "left").length;
  const items = plan.items.slice(0, SIZE);
  return ok({ line, events, undo: { kind: "plan", version, items, total: plan.items.length, doable } });
}

function noRun(run: string): Result<never> {
  return trouble("usage", `there is no run ${run}`, "go back to the list of runs", { code: "no-run" });
}

/** Shows the plan. The button undoes exactly the plan that the page shows. */
function undoPart({ mirror, line, undo }: Model, moment: Moment): Html {
  if (undo.kind === "none") return html`<p>${sentenceView(undo.why)}</p>`;
  const { items, version, total, doable } = undo;
  const plan = html`<ul class="lines">${items.map(planItem)}</ul>${
    total > items.length && html`<p class="faint">… and ${plural(total - items.length, "more document")}</p>`
  }`;
  if (total === 0) return html`<p>This run changed no document.</p>`;
  if (doable === 0) return html`<p>Nothing in this run can be undone:</p>${plan}`;
  const action = { path: `runs/${line.run}/undo`, fields: { version } };
  const button = html`<button class="main-action">Undo ${count(doable)} of run ${line.run}</button>`;
  return html`<p>Undo would do this. Versions are restored as edits; documents that changed since are left alone.</p>${plan}
${mirrorForm(mirror, action, moment, button)}`;
}

function planItem(item: UndoItem): Html {
  return html`<li><b>${nameView(item.path)}</b> ${sentenceView(undoClause(item))}</li>`;
}
