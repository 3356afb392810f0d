import type { CurrentTraffic } from "../mirror/daemon/control/protocol.ts";
import { ACTION_WORDS } from "../mirror/operations/results/actions.ts";
import type { ActionKind } from "../mirror/model/action.ts";
import type { MirrorWord } from "../mirror/folder/all-statuses.ts";
import { count, plural } from "../common/count.ts";
import { html, type Html } from "../page/html.ts";
import { noticeOf } from "../page/layout.ts";
import { ageOf, badgeOf, nameView, nextOf, sentenceView } from "../page/parts.ts";
import { explained } from "./help-parts.ts";
import type { MirrorModel } from "./mirror-model.ts";
import { addressOf, type Need } from "./needs.ts";

/** Shows parts about a linked folder that several pages share. */

/** LIMIT: entries of a list. */
const MOST = 200;

const LABELS: Readonly<Record<MirrorWord, string>> = {
  "in-sync": "in sync",
  attention: "attention",
  stopped: "stopped",
  offline: "offline",
  never: "never in sync yet",
  gone: "gone",
  other: "other",
  untrusted: "not trusted",
  unreadable: "unreadable",
};

/** Shows the state in one word with its colour, and the last sync. */
export function stateOf({ state, tone, why, syncedAt }: MirrorModel, now: number): Html {
  return html`${badgeOf(tone, LABELS[state])} ${proofOf(state, why, syncedAt, now)}`;
}

function proofOf(state: MirrorWord, why: string | null, syncedAt: number | null, now: number): Html | null {
  if (state === "in-sync") return html`<span>last sync ${ageOf(syncedAt!, now)} ago</span>`;
  if (why === null) return null;
  const last = syncedAt === null ? "never in sync yet" : html`last in sync ${ageOf(syncedAt, now)} ago`;
  return html`<span>${why}; ${last}</span>`;
}

/** Returns the text for screen readers when the state changes. */
export function saidOf({ name, state, why }: MirrorModel): string {
  return `${name}: ${LABELS[state]}${why === null ? "" : `, ${why}`}`;
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
export function trafficOf({ daemon, job, facts }: MirrorModel): Html | null {
  if (job !== null && job.end === null) return jobOf(job);
  if (facts === null) return null;
  if (daemon === null)
    return html`<p class="faint">No daemon syncs this folder: nothing is uploaded or downloaded until the next sync.</p>`;
  const { phase, detail, paused, traffic } = daemon;
  if (traffic !== null) return underWayOf(traffic);
  const words = paused ? "the daemon is paused" : (PHASES[phase] ?? `the daemon is ${phase}`);
  return html`<p class="faint">${words}${detail !== "" && !paused && html`: ${sentenceView(detail)}`}</p>`;
}

function underWayOf({ done, total, under, more }: CurrentTraffic): Html {
  return html`<p>The daemon syncs changes: ${count(done)} of ${count(total)} …</p>
<progress aria-label="changes synced" value="${done}" max="${total}"></progress>
<ul class="traffic">${under.map(({ kind, path }) => {
    const { arrow, label } = ACTION_WORDS[kind as ActionKind] ?? { arrow: "·", label: kind };
    return html`<li><span aria-hidden="true">${arrow}</span> ${path !== "" && html`${nameView(path)}: `}${label}</li>`;
  })}</ul>${more > 0 && html`<p class="faint">… and ${count(more)} more</p>`}`;
}

/** Shows the progress of a job that a page started. */
export function jobOf({ what, phase, done, total }: NonNullable<MirrorModel["job"]>): Html {
  const counts = total === null ? (done > 0 ? ` ${count(done)}` : "") : ` ${count(done)} of ${count(total)}`;
  const bar =
    total === null || total === 0
      ? html`<progress aria-label="${what}"></progress>`
      : html`<progress aria-label="${what}" value="${done}" max="${total}"></progress>`;
  return html`<p>${what}: ${phase ?? "under way"}${counts} …</p>${bar}`;
}

/** Shows the result of the last job that a page started. */
export function lastRunResult({ job }: Pick<MirrorModel, "job">): Html | null {
  return job === null || job.end === null ? null : noticeOf(job.end);
}

/**
 * Lists problems to fix in the words of `status`, each with a link to the page on which it can be
 * resolved.
 */
export function attentionList(needs: readonly Need[], mirror: string): Html {
  const more = needs.length - MOST;
  return html`<ul class="cards">${needs.slice(0, MOST).map((need) => attentionItem(need, addressOf(need, mirror)))}</ul>${
    more > 0 && html`<p>… and ${count(more)} more: <code>mdmirror status</code></p>`
  }`;
}

function attentionItem({ path, kind, code, detail, next }: Need, address: string | null): Html {
  const what = path === "" ? kind : nameView(path);
  const named = address === null ? explained(kind, what) : html`<a href="${address}">${what}</a>`;
  return html`<li class="card"><p><strong>${named}</strong>: ${path !== "" && html`<b>${explained(kind, kind)}</b>: `}${sentenceView(detail)}${
    code !== null && html` (${explained(code, code)})`
  }</p>${nextOf(next)}</li>`;
}

/** Returns `12 documents in 3 folders`. */
export function sizeOf({ documents, folders }: NonNullable<MirrorModel["facts"]>): string {
  return `${plural(documents, "document")} in ${plural(folders, "folder")}`;
}
