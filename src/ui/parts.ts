import type { CurrentTraffic } from "../mirror/daemon/control/protocol.ts";
import { ACTION_WORDS, publicKind } from "../mirror/operations/results/actions.ts";
import { whyNotInSync } from "../mirror/operations/results/needs.ts";
import { localTime } from "../mirror/operations/results/when.ts";
import type { ActionKind } from "../mirror/model/action.ts";
import type { MirrorStatus } from "../mirror/folder/status.ts";
import type { MirrorEvent } from "../mirror/ports/state.ts";
import { count, plural } from "../common/count.ts";
import { ancestorsOf, nameOf } from "../contract/path.ts";
import { html, type Html, type Shown } from "../page/html.ts";
import { noticeOf, type Tone } from "../page/layout.ts";
import { actionForm, ageOf, badgeOf, nameView, nextOf, sentenceView } from "../page/parts.ts";
import { documentAddress, mirrorAddress } from "./addresses.ts";
import type { Folder, Need } from "./folders.ts";
import type { JobView } from "./jobs.ts";
import type { PageRequest } from "./page.ts";
import { helpAddress } from "./user-docs.ts";

/** Shows parts of a linked folder that several pages share. */

/** LIMIT: problems in a list. */
const MOST_NEEDS = 200;

/** Colour and word of each state of a linked folder, or of a run. */
export const STATES: Readonly<Record<Folder["state"], readonly [Tone, string]>> = {
  "in-sync": ["good", "in sync"],
  attention: ["asks", "attention"],
  stopped: ["bad", "stopped"],
  offline: ["bad", "offline"],
  never: ["asks", "never in sync yet"],
  gone: ["quiet", "gone"],
  other: ["quiet", "other"],
  untrusted: ["bad", "not trusted"],
  unreadable: ["bad", "unreadable"],
};

/** Shows the state in one word with its colour, and the last sync. */
export function stateOf(folder: Folder, now: number): Html {
  const { state, needs, status } = folder;
  const [tone, word] = STATES[state];
  const onlyWaits = status !== null && state === "attention" && needs.length === 0;
  const why = whyOf(folder);
  const syncedAt = status?.syncedAt ?? null;
  const last = syncedAt === null ? "never in sync yet" : html`last in sync ${ageOf(syncedAt, now)} ago`;
  return html`${badgeOf(onlyWaits ? "quiet" : tone, word)} ${
    state === "in-sync" && html`<span>last sync ${ageOf(syncedAt!, now)} ago</span>`
  }${why !== null && html`<span>${why}; ${last}</span>`}`;
}

/**
 * Returns why a folder is not in sync, as a clause; null if the folder is in sync, or never was.
 */
function whyOf({ status, state }: Folder): string | null {
  return status === null || state === "in-sync" || state === "never" ? null : whyNotInSync(status);
}

/** Returns the text for screen readers when the state changes. */
export function screenReaderText(folder: Folder): string {
  const why = whyOf(folder);
  return `${folder.name}: ${STATES[folder.state][1]}${why === null ? "" : `, ${why}`}`;
}

const PHASES: Readonly<Record<string, string>> = {
  idle: "the daemon watches; nothing to do",
  observing: "the daemon scans both sides",
  applying: "the daemon applies changes",
  lent: "a command uses the folder",
  opening: "the daemon opens the folder",
  closed: "the daemon cannot sync the folder",
  stopped: "the daemon watches; a safety check stopped it",
  ended: "the daemon ends",
};

/** Shows the transfers that are running. */
export function trafficOf({ daemon, job, status }: Folder): Html | null {
  if (job?.end === null) return jobOf(job);
  if (status === null) return null;
  if (daemon === null)
    return html`<p class="faint">No daemon syncs this folder: nothing is uploaded or downloaded until the next sync.</p>`;
  const { phase, detail, paused, traffic = null } = daemon;
  if (traffic !== null) return transfersOf(traffic);
  const words = paused ? "the daemon is paused" : (PHASES[phase] ?? `the daemon is ${phase}`);
  return html`<p class="faint">${words}${detail !== "" && !paused && html`: ${sentenceView(detail)}`}</p>`;
}

/** Shows the transfers that are running, and the result of the last job that a page started. */
export function workOf(folder: Folder): Html {
  const { job } = folder;
  return html`${trafficOf(folder)}${job !== null && job.end !== null && jobOf(job)}`;
}

function transfersOf({ done, total, under, more }: CurrentTraffic): Html {
  return html`<p>The daemon syncs changes: ${count(done)} of ${count(total)} …</p>
<progress aria-label="changes synced" value="${done}" max="${total}"></progress>
<ul class="traffic">${under.map(({ kind, path }) => {
    const { arrow, label } = ACTION_WORDS[kind as ActionKind] ?? { arrow: "·", label: kind };
    return html`<li><span aria-hidden="true">${arrow}</span> ${path !== "" && html`${nameView(path)}: `}${label}</li>`;
  })}</ul>${more > 0 && html`<p class="faint">… and ${count(more)} more</p>`}`;
}

/** Shows the progress of a job that a page started, or its result. */
export function jobOf(job: JobView | null): Html | null {
  if (job === null) return null;
  const { what, phase, done, total, end } = job;
  if (end !== null) return noticeOf(end);
  const counts = total === null ? (done > 0 ? ` ${count(done)}` : "") : ` ${count(done)} of ${count(total)}`;
  const bar =
    total === null || total === 0
      ? html`<progress aria-label="${what}"></progress>`
      : html`<progress aria-label="${what}" value="${done}" max="${total}"></progress>`;
  return html`<p>${what}: ${phase ?? "under way"}${counts} …</p>${bar}`;
}

/**
 * Lists problems to fix in the words of `status`, each with a link to the page on which it can be
 * resolved.
 */
export function attentionList(needs: readonly Need[]): Html {
  const more = needs.length - MOST_NEEDS;
  return html`<ul class="cards">${needs.slice(0, MOST_NEEDS).map(attentionItem)}</ul>${
    more > 0 && html`<p>… and ${count(more)} more: <code>mdmirror status</code></p>`
  }`;
}

function attentionItem({ path, kind, code, detail, next, address }: Need): Html {
  const what = path === "" ? kind : nameView(path);
  const named = address === null ? explained(kind, what) : html`<a href="${address}">${what}</a>`;
  return html`<li class="card"><p><strong>${named}</strong>: ${path !== "" && html`<b>${explained(kind, kind)}</b>: `}${sentenceView(detail)}${
    code !== null && html` (${explained(code, code)})`
  }</p>${nextOf(next)}</li>`;
}

/**
 * Returns a link from a code, or from text that shows the code, to the document that explains it.
 */
export function explained(code: string, shown: Shown): Html {
  const address = helpAddress(code);
  return address === null ? html`${shown}` : html`<a href="${address}">${shown}</a>`;
}

/** Returns a text such as `12 documents in 3 folders`. */
export function sizeOf({ documents, folders }: MirrorStatus): string {
  return `${plural(documents, "document")} in ${plural(folders, "folder")}`;
}

/**
 * Returns the form of an action. The form also sends the folder's path, because the name may belong
 * to another folder by then.
 * @param path the action's path, with its parts filled in and encoded
 */
export function folderForm(
  { name, root }: Pick<Folder, "name" | "root">,
  { path, fields = {} }: { readonly path: string; readonly fields?: Readonly<Record<string, string>> },
  { csrf }: PageRequest,
  content: Shown,
): Html {
  return actionForm({ action: mirrorAddress(name, path), csrf, fields: { ...fields, root } }, content);
}

/**
 * Shows a local time and its age.
 * @param at milliseconds since the epoch
 */
export function timeOf(at: number, now: number): Html {
  if (at <= 0) return html`<span class="when">before the first known version</span>`;
  return html`<span class="when"><time datetime="${new Date(at).toISOString()}">${localTime(at)}</time> <span class="faint">${ageOf(at, now)} ago</span></span>`;
}

/**
 * Returns the line of an event.
 * @param withRun false on a page of one run
 */
export function eventItem(mirror: string, event: MirrorEvent, withRun: boolean): Html {
  const { run, at, kind, path, detail, outcome, code, requestId, id } = event;
  const origin = [code, requestId === null ? null : `request ${requestId}`].filter((one) => one !== null);
  const place = path === "" ? "the linked folder" : nameView(path);
  const isDocument = id?.startsWith("doc_") === true;
  const named = isDocument ? html`<a href="${documentAddress(mirror, "history", path)}">${place}</a>` : place;
  return html`<li><span><time datetime="${new Date(at).toISOString()}">${localTime(at)}</time>${
    withRun && html` <a href="${mirrorAddress(mirror, `runs/${run}`)}">run ${run}</a>`
  } <b>${publicKind(kind)}</b> ${named}</span>
<span>${sentenceView(detail)}${origin.length > 0 && html` <span class="faint">(${sentenceView(origin.join(", "))})</span>`}${
    outcome !== "done" && html` ${badgeOf("asks", outcome)}`
  }</span></li>`;
}

/** Returns the path that an address names, without a slash at its end. */
export function requestedPath({ params }: PageRequest): string {
  return (params["*"] ?? "").replace(/\/+$/, "");
}

/** Returns the number of a version, a run or a page; null if the text is no number. */
export function numberIn(text: string | null | undefined): number | null {
  return /^[1-9]\d{0,8}$/.test(text ?? "") ? Number(text) : null;
}

/** Returns links from the linked folder down to `path`, without `path` itself unless `isLinked`. */
export function crumbsOf(mirror: string, path: string, isLinked = false): Html {
  const linked = path === "" ? [] : [...ancestorsOf(path), ...(isLinked ? [path] : [])];
  return html`<nav aria-label="Folders above"><ol class="crumbs">${["", ...linked].map(
    (one) =>
      html`<li><a href="${documentAddress(mirror, "docs", one)}">${one === "" ? "All documents" : nameView(nameOf(one))}</a></li>`,
  )}</ol></nav>`;
}

/** One page of a long list (`?page=N`). */
type Part<T> = { readonly items: readonly T[]; readonly page: number; readonly pages: number; readonly total: number };

/** Returns one page of a list. If the page number is out of range, returns the nearest page. */
export function partOf<T>(all: readonly T[], { query }: PageRequest, size: number): Part<T> {
  const pages = Math.max(1, Math.ceil(all.length / size));
  const page = Math.min(pages, numberIn(query.get("page")) ?? 1);
  return { items: all.slice((page - 1) * size, page * size), page, pages, total: all.length };
}

/**
 * Returns links to the previous and next page; null if there is only one page.
 * @param addressOf returns the address of a page by its number
 */
export function pagerOf(
  { page, pages, total }: Omit<Part<unknown>, "items">,
  what: string,
  addressOf: (page: number) => string,
): Html | null {
  if (pages === 1) return null;
  const link = (to: number, label: string) =>
    to >= 1 && to <= pages && to !== page && html`<a class="button" href="${addressOf(to)}">${label}</a>`;
  return html`<nav class="row pager" aria-label="${`Pages of ${what}`}">${link(1, "First")}${link(page - 1, "Previous")}
<span>Page ${count(page)} of ${count(pages)}, ${count(total)} ${what}</span>${link(page + 1, "Next")}${link(pages, "Last")}</nav>`;
}
