/**
 * Why a row is left alone. Two kinds: `computed` holds follow from the trees and are found anew by each plan; `remembered` holds follow
 * from an answer (a refusal) and stay, across restarts (I22), until what they are about changes or they are tried again.
 */
export const HOLD_REASONS = {
  // what a side could not show
  "not-seen": "computed",
  "local-unreadable": "computed",
  "still-being-written": "computed",
  "not-utf-8": "computed",
  "holds-nul": "computed",
  "too-large": "computed",
  "remote-text-unfit": "remembered",
  // names and places
  "name-refused": "computed",
  "name-clash": "computed",
  "remote-name-unsafe": "computed",
  "path-taken": "computed",
  "type-clash": "computed",
  "renamed-out-of-mirror": "computed",
  "no-move-to-root": "remembered",
  "folder-held": "computed",
  "occupied-unseen": "remembered",
  // grants, reviews, absences
  "read-only": "remembered",
  "delete-refused": "remembered",
  /** The service has no way to delete folders: an empty one that went here stays there. */
  "folder-stays": "remembered",
  "in-review": "computed",
  "review-quiet": "computed",
  "review-unknown": "computed",
  "gone-or-unreadable": "computed",
  outside: "computed",
  suspended: "computed",
  "direction-off": "computed",
  "second-look": "computed",
  // refusals
  refused: "remembered",
  conflict: "computed",
  "conflict-markers": "computed",
} as const;

export type HoldReason = keyof typeof HOLD_REASONS;

/** Reasons that need nothing of the user: they end by themselves and do not make a run "attention". */
export const QUIET_REASONS: ReadonlySet<HoldReason> = new Set([
  "in-review",
  "review-quiet",
  "suspended",
  "second-look",
  "folder-stays",
  "still-being-written",
]);
