/** Shows the status of a linked folder, and the work that is running. */

import type { CurrentTraffic } from "../mirror/daemon/control/protocol.ts";
import { ACTION_WORDS } from "../mirror/operations/results/actions.ts";
import type { ActionKind } from "../mirror/model/action.ts";
import { count, plural } from "../common/count.ts";
import { html, type Html, type HtmlValue } from "../page/html.ts";
import { renderAge, renderBanner, renderName, renderNextStep, renderSentence, type ToneName } from "../page/parts.ts";
import { mirrorAddress } from "./addresses.ts";
import type { Folder } from "./folders.ts";
import type { JobView } from "./jobs.ts";
import type { PageRequest } from "./page.ts";
import { FOLDER_STATES } from "./states.ts";
import { renderFolderForm } from "./parts.ts";

export function sortWorstFirst(folders: readonly Folder[]): readonly Folder[] {
  const ranks = Object.keys(FOLDER_STATES);
  const rankState = ({ state }: Folder) => ranks.indexOf(state);
  return folders.toSorted((a, b) => rankState(a) - rankState(b) || b.needs.length - a.needs.length);
}

/** Returns the colour and word for the state of a folder. Pending changes count as in sync. */
export function chooseStateBadge(folder: Folder): readonly [ToneName, string] {
  const { state, needs } = folder;
  if (isFirstSync(folder)) return ["quiet", "First sync"];
  if (isPaused(folder)) return ["quiet", "Paused"];
  return state === "attention" && needs.length === 0 ? ["good", "In sync"] : FOLDER_STATES[state];
}

function isFirstSync({ needs, status, job }: Folder): boolean {
  return job?.end === null && needs.length === 0 && status !== null && status.syncedAt === null;
}

/** Returns true if the daemon is paused and nothing else prevents a sync. */
function isPaused({ state, needs, daemon }: Folder): boolean {
  return daemon?.paused === true && needs.length === 0 && (state === "in-sync" || state === "attention");
}

function describeState(folder: Folder): HtmlValue {
  const { state, needs, waits, status, trouble } = folder;
  if (trouble !== null) return renderSentence(trouble.what);
  if (isFirstSync(folder)) return "The first sync is under way";
  if (isPaused(folder)) return "Paused: changes wait until you resume";
  switch (state) {
    case "in-sync":
      return "Everything is in sync";
    case "stopped":
      return html`Stopped: ${renderSentence(status!.safetyStop?.reasons[0]?.detail ?? "a safety check")}`;
    case "never":
      return "Not synced yet";
    case "attention":
      return needs.length === 0
        ? `In sync, except for ${plural(waits.length, "pending change")}`
        : `${plural(needs.length, "problem")} to solve`;
    default:
      return status?.fault?.kind === "locked-out" ? "The service refuses the key" : "The service cannot be reached";
  }
}

export function describeForScreenReader(folder: Folder): string {
  const { name, state, needs } = folder;
  const problems = needs.length === 0 ? "" : `, ${plural(needs.length, "problem")} to solve`;
  return `${name}: ${FOLDER_STATES[state][1]}${problems}`;
}

const PHASE_WORDS: Readonly<Record<string, string>> = {
  idle: "watching for changes",
  observing: "scanning both sides",
  applying: "applying changes",
  lent: "a command uses the folder",
  opening: "the daemon opens the folder",
  closed: "the daemon cannot sync the folder",
  stopped: "watching, but stopped by a safety check",
  ended: "the daemon ends",
};

function renderDaemonState({ daemon }: Folder): HtmlValue {
  if (daemon === null) return "Changes wait for the next sync: mdmirror does not watch this folder";
  const { phase, detail, paused } = daemon;
  if (paused) return "The daemon is paused";
  return html`The daemon runs: ${PHASE_WORDS[phase] ?? phase}${detail !== "" && html` (${renderSentence(detail)})`}`;
}

export function renderStatusBanner(folder: Folder, request: PageRequest): Html {
  const { status, trouble } = folder;
  const [tone] = chooseStateBadge(folder);
  if (status === null) return renderBanner(tone, describeState(folder), renderNextStep(trouble!.next));
  const { syncedAt } = status;
  const lastInSync =
    syncedAt === null ? "Never in sync yet" : html`Last in sync ${renderAge(syncedAt, request.now)} ago`;
  return html`${renderBanner(tone, describeState(folder), html`${lastInSync} · ${renderDaemonState(folder)}`, folderActions(folder, request))}
<div id="job">${renderWork(folder)}</div>`;
}

/**
 * Shows the buttons of a folder: solve its problem, control its daemon, and sync. Marks one button
 * as the main action, unless there is nothing to do.
 */
export function folderActions(folder: Folder, request: PageRequest): Html {
  const { job, daemon, waits } = folder;
  const solution = renderSolutionLink(folder);
  const isBusy = job?.end === null && html` disabled`;
  const isMain =
    solution === null && (waits.length > 0 || chooseStateBadge(folder)[0] !== "good") && html` class="main-action"`;
  const [path, label] = chooseDaemonAction(daemon);
  return html`${solution}${renderFolderForm(folder, { path }, request, html`<button${isBusy}>${label}</button>`)}${renderFolderForm(
    folder,
    { path: "sync" },
    request,
    html`<button${isMain}${isBusy}>Sync now</button>`,
  )}`;
}

/** Returns the link to the page that solves the problem of a folder; null if a sync is enough. */
function renderSolutionLink({ name, state, needs }: Folder): Html | null {
  const renderLink = (page: string, label: string) =>
    html`<a class="button main-action" href="${mirrorAddress(name, page)}">${label}</a>`;
  if (state === "stopped") return renderLink("safety-stop", "Decide");
  return state === "attention" && needs.length > 0 ? renderLink("needs", "Solve") : null;
}

function chooseDaemonAction(daemon: Folder["daemon"]): readonly [path: string, label: string] {
  if (daemon === null) return ["start", "Watch"];
  return daemon.paused ? ["resume", "Resume"] : ["pause", "Pause"];
}

/** Shows the running job, or the changes that the daemon carries out; null if nothing runs. */
export function renderWork({ daemon, job }: Folder): Html | null {
  const traffic = daemon?.traffic ?? null;
  return renderJob(job) ?? (traffic === null ? null : renderTraffic("Syncing now", traffic));
}

function renderTraffic(what: string, { done, total, under, more }: CurrentTraffic): Html {
  return html`<section class="card flush" id="traffic"><header><h2>${what}</h2><span>${count(done)} of ${count(total)}</span></header>
<p>${renderProgress("changes synced", done, total)}</p>
<ul class="rows">${under.map(({ kind, path }) => {
    const { arrow, label } = ACTION_WORDS[kind as ActionKind] ?? { arrow: "·", label: kind };
    return html`<li><span><span aria-hidden="true">${arrow}</span> ${path !== "" && renderName(path)}</span><span class="faint">${label}</span></li>`;
  })}</ul>${more > 0 && html`<p class="faint">… and ${count(more)} more</p>`}</section>`;
}

export function renderJob(job: JobView | null): Html | null {
  if (job === null || job.end !== null) return null;
  const { what, phase, done, total, traffic } = job;
  if (traffic !== null) return renderTraffic(what, traffic);
  const countsClause = total === null ? (done > 0 ? `, ${count(done)}` : "") : `, ${count(done)} of ${count(total)}`;
  return html`<div class="card"><p>${what}${phase !== null && `: ${phase}${countsClause}`} …</p>${renderProgress(what, done, total)}</div>`;
}

/** @param total null or 0 if it is not known yet */
export function renderProgress(label: string, done: number, total: number | null): Html {
  const progressAttributes = total !== null && total > 0 && html` value="${done}" max="${total}"`;
  return html`<progress aria-label="${label}"${progressAttributes}></progress>`;
}
