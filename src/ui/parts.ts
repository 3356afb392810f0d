/** Parts of pages about a linked folder: its status, running work, rows, forms, times, pagers. */
import { formatLocalTime, formatTimeOfDay } from "../mirror/operations/results/times.ts";
import type { MirrorEvent } from "../mirror/ports/state.ts";
import { count, plural } from "../common/quantities.ts";
import { ancestorsOf, nameOf } from "../contract/path.ts";
import { toSentence } from "../common/shown-words.ts";
import { html, type Html, type HtmlValue } from "../page/html.ts";
import {
  renderActionForm,
  renderAge,
  renderBanner,
  renderBreadcrumbs,
  renderDetails,
  renderName,
  renderNextStep,
  renderSegments,
  renderSentence,
  type ToneName,
} from "../page/parts.ts";
import { FOLDER_STATES, renderProblemBadge, renderEvent, renderOutcomeBadge } from "./states.ts";
import { documentAddress, mirrorAddress } from "./addresses.ts";
import type { Folder, LinkedProblem } from "./folders.ts";
import { type PageRequest, readNumber } from "./page.ts";
import { findHelpAddress } from "./user-docs.ts";
import type { CurrentTraffic } from "../mirror/daemon/control/protocol.ts";
import { ACTION_WORDS } from "../mirror/operations/results/actions.ts";
import type { ActionKind } from "../mirror/model/action.ts";
import type { JobView } from "./jobs.ts";

export function renderProblemRows(needs: readonly LinkedProblem[]): Html {
  return html`<ul class="rows">${needs.map(renderProblem)}</ul>`;
}

function renderProblem({ path, kind, code, detail, next, address }: LinkedProblem): Html {
  const isStop = path === "" && address !== null;
  const name =
    path === "" ? null : address === null ? renderName(path) : html`<a href="${address}">${renderName(path)}</a>`;
  return html`<li><div class="main">${name} ${renderHelpLink(kind, renderProblemBadge(kind))}<br><span class="faint">${renderSentence(toSentence(detail))}</span>${renderNextStep(next, renderOrigin(code))}</div>${address !== null && html`<a class="button" href="${address}">${isStop ? "Decide" : kind === "conflict" ? "Resolve" : "Open"}</a>`}</li>`;
}

/**
 * Returns a link to the documentation of a code. Without documentation, returns `shown` without a
 * link.
 */
export function renderHelpLink(code: string, shown: HtmlValue): Html {
  const address = findHelpAddress(code);
  return address === null ? html`${shown}` : html`<a href="${address}">${shown}</a>`;
}

/** Shows an error code and a request id, which the user can report; null if both are null. */
export function renderOrigin(code: string | null, requestId: string | null = null): Html | null {
  if (code === null && requestId === null) return null;
  return html`<p>${code !== null && html`Code: ${renderHelpLink(code, renderSentence(code))} `}${requestId !== null && html`Request: ${renderSentence(requestId)}`}</p>`;
}

/**
 * Returns the form of an action on a linked folder. The form also sends the folder's path, because
 * another folder may get this folder's name meanwhile. `path` is already percent-encoded.
 */
export function renderFolderForm(
  { name, root }: Pick<Folder, "name" | "root">,
  { path, fields = {} }: { readonly path: string; readonly fields?: Readonly<Record<string, string>> },
  { csrf }: PageRequest,
  content: HtmlValue,
): Html {
  return renderActionForm({ action: mirrorAddress(name, path), csrf, fields: { ...fields, root } }, content);
}

/** Shows a time (milliseconds since the epoch) in the local time zone, and the time's age. */
export function renderTime(time: number, now: number): Html {
  if (time <= 0) return html`before the first known version`;
  return html`${renderClock(time, formatLocalTime(time))} · <span class="faint">${renderAge(time, now)} ago</span>`;
}

function renderClock(time: number, shown: string): Html {
  return html`<time datetime="${new Date(time).toISOString()}" title="${formatLocalTime(time)}">${shown}</time>`;
}

/** Shows only the time of day of an event, because the page of a run shows the date once. */
export function renderTimeOfDay({ at }: MirrorEvent): Html {
  return renderClock(at, formatTimeOfDay(at));
}

export function renderEventItem(mirror: string, event: MirrorEvent, when: Html): Html {
  const { detail, outcome, code, requestId } = event;
  const origin = renderOrigin(code, requestId);
  return html`<li><div class="main">${renderEvent(mirror, event)} ${renderOutcomeBadge(outcome)}<br><span class="faint">${renderSentence(toSentence(detail))}</span>${origin !== null && renderDetails("Details", origin)}</div>
<span class="faint">${when}</span></li>`;
}

/** Returns links to the folders above a path. If `isLinked`, also returns a link to the path. */
export function renderCrumbs(mirror: string, path: string, isLinked = false): Html {
  const linkedPaths = path === "" ? [] : [...ancestorsOf(path), ...(isLinked ? [path] : [])];
  const links = ["", ...linkedPaths].map((place) => ({
    href: documentAddress(mirror, "docs", place),
    label: place === "" ? "All documents" : nameOf(place),
  }));
  return renderBreadcrumbs("Folders above", links);
}

const HISTORY_TABS = { "history/": "Documents", runs: "Log" } as const;

export function renderHistoryTabs(mirror: string, here: keyof typeof HISTORY_TABS): Html {
  const views = Object.entries(HISTORY_TABS).map(([part, label]) => {
    return { href: mirrorAddress(mirror, part), label, isShown: part === here };
  });
  return renderSegments("History", views);
}

/** One page of a long list. `page` counts from 1; `total` is the number of all items. */
type ListPage<T> = {
  readonly items: readonly T[];
  readonly page: number;
  readonly pages: number;
  readonly total: number;
};

/** Returns the page of a list that the address requests (`?page=N`), or the last page. */
export function cutListPage<T>(all: readonly T[], { query }: PageRequest, size: number): ListPage<T> {
  const pages = Math.max(1, Math.ceil(all.length / size));
  const page = Math.min(pages, readNumber(query.get("page")) ?? 1);
  return { items: all.slice((page - 1) * size, page * size), page, pages, total: all.length };
}

/**
 * Returns links to the other pages of a list; null if the list has only one page.
 * @param what plural noun for the items of the list
 */
export function renderPager(
  { page, pages, total }: Omit<ListPage<unknown>, "items">,
  what: string,
  addressOf: (page: number) => string,
): Html | null {
  if (pages === 1) return null;
  const renderLink = (to: number, label: string) =>
    to >= 1 && to <= pages && to !== page && html`<a class="button" href="${addressOf(to)}">${label}</a>`;
  return html`<nav class="row pager" aria-label="${`Pages of ${what}`}">${renderLink(1, "First")}${renderLink(page - 1, "Previous")}
<span>Page ${count(page)} of ${count(pages)}, ${count(total)} ${what}</span>${renderLink(page + 1, "Next")}${renderLink(pages, "Last")}</nav>`;
}

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

export function announceState(folder: Folder): string {
  const { name, state, needs } = folder;
  const problems = needs.length === 0 ? "" : `, ${plural(needs.length, "problem")} to solve`;
  return `${name}: ${FOLDER_STATES[state][1]}${problems}`;
}

const DAEMON_WORDS: Readonly<Record<string, string>> = {
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
  return html`The daemon runs: ${DAEMON_WORDS[phase] ?? phase}${detail !== "" && html` (${renderSentence(detail)})`}`;
}

export function renderStatusBanner(folder: Folder, request: PageRequest): Html {
  const { status, trouble } = folder;
  const [tone] = chooseStateBadge(folder);
  if (status === null) return renderBanner(tone, describeState(folder), renderNextStep(trouble!.next));
  const { syncedAt } = status;
  const lastSync = syncedAt === null ? "Never in sync yet" : html`Last in sync ${renderAge(syncedAt, request.now)} ago`;
  return html`${renderBanner(tone, describeState(folder), html`${lastSync} · ${renderDaemonState(folder)}`, renderFolderActions(folder, request))}
<div id="job">${renderWork(folder)}</div>`;
}

/**
 * Shows the buttons of a folder: solve the folder's problem, control the daemon, and sync. Marks
 * one button as the main action, unless nothing has to be done.
 */
export function renderFolderActions(folder: Folder, request: PageRequest): Html {
  const { job, daemon, waits } = folder;
  const solution = renderSolutionLink(folder);
  const isBusy = job?.end === null && html` disabled`;
  const mainClass =
    solution === null && (waits.length > 0 || chooseStateBadge(folder)[0] !== "good") && html` class="main-action"`;
  const [path, label] = chooseDaemonAction(daemon);
  return html`${solution}${renderFolderForm(folder, { path }, request, html`<button${isBusy}>${label}</button>`)}${renderFolderForm(
    folder,
    { path: "sync" },
    request,
    html`<button${mainClass}${isBusy}>Sync now</button>`,
  )}`;
}

/** Returns the link to the page that solves the folder's problem; null without such a page. */
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

/** @param total amount of work; null or 0 while unknown */
export function renderProgress(label: string, done: number, total: number | null): Html {
  const progressAttributes = total !== null && total > 0 && html` value="${done}" max="${total}"`;
  return html`<progress aria-label="${label}"${progressAttributes}></progress>`;
}
