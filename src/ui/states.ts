/**
 * Words and colours for states and events, the same on all pages. Red: stopped. Amber: the user has
 * to act. Grey: the user need not act. Green: in sync or done.
 */
import type { EntryState } from "../mirror/operations/doctor/list-folder.ts";
import { BLOCK_REASONS, type BlockReason, isReviewReason } from "../mirror/model/block.ts";
import { count } from "../common/quantities.ts";
import { type Html, html } from "../page/html.ts";
import { renderBadge, renderName, type ToneName } from "../page/parts.ts";
import type { Folder } from "./folders.ts";
import type { MirrorEvent } from "../mirror/ports/state.ts";
import { documentAddress } from "./addresses.ts";

type StateBadge = readonly [ToneName, string];

/** Colour and word for each state of a linked folder or a run, from the worst state to the best. */
export const FOLDER_STATES: Readonly<Record<Folder["state"], StateBadge>> = {
  stopped: ["bad", "Stopped"],
  untrusted: ["bad", "Not trusted"],
  unreadable: ["bad", "Unreadable"],
  offline: ["bad", "Offline"],
  attention: ["asks", "Action required"],
  never: ["asks", "Never synced"],
  "in-sync": ["good", "In sync"],
  gone: ["quiet", "Missing"],
  other: ["quiet", "Replaced"],
};

const CONFLICT_BADGE: StateBadge = ["asks", "conflict"];
const BLOCKED_BADGE: StateBadge = ["asks", "blocked"];
const IN_REVIEW_BADGE: StateBadge = ["quiet", "in review"];
const PENDING_BADGE: StateBadge = ["quiet", "pending"];
const IGNORED_BADGE: StateBadge = ["quiet", "ignored"];
const STOPPED_BADGE: StateBadge = ["bad", "stopped"];

/** Badge for each state of a document or folder; null for `in-sync`, which is not shown. */
const ENTRY_STATES: Readonly<Record<EntryState, StateBadge | null>> = {
  "in-sync": null,
  waiting: PENDING_BADGE,
  blocked: BLOCKED_BADGE,
  "in-review": IN_REVIEW_BADGE,
  conflict: CONFLICT_BADGE,
  ignored: IGNORED_BADGE,
};

/**
 * Badges for some kinds of problems. Each other kind is the reason of a block or stop, and has the
 * badge of blocks or stops.
 */
const PROBLEM_STATES: Readonly<Record<string, StateBadge>> = {
  conflict: CONFLICT_BADGE,
  "conflict-markers": CONFLICT_BADGE,
  suspended: IGNORED_BADGE,
  "direction-off": IGNORED_BADGE,
  "listing-misread": BLOCKED_BADGE,
  "listing-cut-short": PENDING_BADGE,
  unfinished: ["asks", "unfinished"],
  offline: ["bad", "offline"],
};

const OUTCOME_STATES: Readonly<Record<string, StateBadge>> = {
  refused: ["asks", "refused"],
  uncertain: ["asks", "unfinished"],
  stale: PENDING_BADGE,
  later: PENDING_BADGE,
};

export function renderEntryBadge(state: EntryState): Html | null {
  const stateBadge = ENTRY_STATES[state];
  return stateBadge && renderBadge(...stateBadge);
}

export function renderReviewsBadge(reviews: number): Html {
  const [tone, word] = IN_REVIEW_BADGE;
  return renderBadge(tone, `${count(reviews)} ${word}`);
}

export function renderProblemBadge(kind: string): Html {
  return renderBadge(...(PROBLEM_STATES[kind] ?? toBlockBadge(kind)));
}

function toBlockBadge(kind: string): StateBadge {
  if (!Object.hasOwn(BLOCK_REASONS, kind)) return STOPPED_BADGE;
  const reason = kind as BlockReason;
  const needsUser = BLOCK_REASONS[reason].work === "action-required";
  if (isReviewReason(reason)) return needsUser ? ["asks", IN_REVIEW_BADGE[1]] : IN_REVIEW_BADGE;
  return needsUser ? BLOCKED_BADGE : PENDING_BADGE;
}

export function renderOutcomeBadge(outcome: string): Html | null {
  const outcomeState = OUTCOME_STATES[outcome];
  return outcomeState === undefined ? null : renderBadge(...outcomeState);
}

/** Words for an event: a sign, a verb, and words after the name of the document. */
type EventWords = readonly [sign: string, verb: string, after?: string];

const ON_SERVICE = " on the service";

const EVENT_WORDS: Readonly<Record<string, EventWords>> = {
  put: ["↑", "Uploaded"],
  "create-remote": ["↑", "Uploaded"],
  "rename-remote": ["↑", "Renamed", ON_SERVICE],
  "reparent-remote": ["↑", "Moved", ON_SERVICE],
  "delete-remote": ["↑", "Deleted", ON_SERVICE],
  "make-folder-remote": ["↑", "Created", ON_SERVICE],
  "rename-folder-remote": ["↑", "Renamed", ON_SERVICE],
  "reparent-folder-remote": ["↑", "Moved", ON_SERVICE],
  "remove-folder-remote": ["↑", "Removed", ON_SERVICE],
  "write-local": ["↓", "Downloaded"],
  "create-local": ["↓", "Downloaded"],
  "move-local": ["↓", "Moved"],
  "trash-local": ["↓", "Moved", " to the trash"],
  "make-folder-local": ["↓", "Created"],
  "move-folder-local": ["↓", "Moved"],
  "remove-folder-local": ["↓", "Removed"],
  merge: ["↔", "Merged both edits of"],
  meet: ["↔", "Joined both new versions of"],
  conflict: ["!", "Found a conflict in"],
  "renew-conflict": ["!", "Updated the conflict copy of"],
  "move-conflict-copy": ["↓", "Moved the conflict copy of"],
  "end-conflict": ["✓", "Resolved the conflict in"],
  "drop-conflict": ["✓", "Ended the conflict in"],
  block: ["!", "Left", " alone"],
  restore: ["↺", "Restored"],
  "settle-review": ["✓", "Ended the review of"],
  "safety-stop": ["!", "Stopped the sync of"],
  approve: ["✓", "Approved the stopped changes of"],
  protect: ["✓", "Protected"],
  unprotect: ["✓", "Removed the protection of"],
  fault: ["!", "Could not finish"],
  recover: ["↺", "Recovered"],
  "late-write": ["↺", "Kept a late edit of"],
  respell: ["✓", "Updated the links in"],
  relink: ["·", "Recorded a move of"],
  "note-facts": ["·", "Noted a change of"],
  forget: ["·", "Removed the record of"],
  "look-again": ["·", "Checked", " again"],
  "link-folder": ["·", "Linked"],
  "forget-folder": ["·", "Removed the record of"],
};

/** Words for an event whose kind was added by a newer version of mdmirror. */
const OTHER_EVENT_WORDS: EventWords = ["·", "Changed"];
const SUBMITTED_WORDS: EventWords = ["↑", "Sent", " to review"];

function findEventWords(kind: string): EventWords {
  return EVENT_WORDS[kind] ?? OTHER_EVENT_WORDS;
}

export function formatVerb(kind: string): string {
  const [, verb, after = ""] = findEventWords(kind);
  return verb + after;
}

/** Kinds of events that only update mdmirror's state and change no document. */
const RECORD_KINDS: ReadonlySet<string> = new Set(["relink", "note-facts", "forget", "look-again", "forget-folder"]);

/** Returns true if an event is about a change of a document or folder, even a failed change. */
export function isChange({ kind }: MirrorEvent): boolean {
  return !RECORD_KINDS.has(kind);
}

export function renderEvent(mirror: string, event: MirrorEvent): Html {
  const [sign, verb, after = ""] = event.outcome === "submitted" ? SUBMITTED_WORDS : findEventWords(event.kind);
  return html`<span class="sign" aria-hidden="true">${sign}</span> ${verb} ${renderEventObject(mirror, event)}${after}`;
}

function renderEventObject(mirror: string, { path, id }: MirrorEvent): Html {
  if (path === "") return html`the linked folder`;
  const isDocument = id?.startsWith("doc_") === true;
  return isDocument
    ? html`<a href="${documentAddress(mirror, "history", path)}">${renderName(path)}</a>`
    : renderName(path);
}
