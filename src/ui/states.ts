/**
 * Colour and word of each state, which are the same on all pages. Red: stopped. Amber: the user has
 * to act. Grey: the user need not act. Green: in sync or done.
 */

import type { EntryState } from "../mirror/operations/doctor/list-folder.ts";
import { BLOCK_REASONS, type BlockReason, isReviewReason } from "../mirror/model/block.ts";
import { count } from "../common/count.ts";
import type { Html } from "../page/html.ts";
import { renderBadge, type ToneName } from "../page/parts.ts";
import type { Folder } from "./folders.ts";

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
 * Badges for some kinds of problems. Any other kind is the reason for a block or for a stop, and
 * has the badge of that block or stop.
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

export function entryBadge(state: EntryState): Html | null {
  const stateBadge = ENTRY_STATES[state];
  return stateBadge && renderBadge(...stateBadge);
}

export function renderReviewsBadge(reviews: number): Html {
  const [tone, word] = IN_REVIEW_BADGE;
  return renderBadge(tone, `${count(reviews)} ${word}`);
}

export function problemBadge(kind: string): Html {
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
