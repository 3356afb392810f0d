/**
 * All that is true of a hold's reason.
 *
 * `kept`: `computed` holds follow from the trees and are found anew by each plan; `remembered`
 * holds follow from an answer (a refusal) and stay, across restarts (I22), until what they are
 * about changes or they are tried again.
 *
 * `open`: whether something is left to do while it stands. `needs-you`: it ends when a person does
 * something. `waits`: it ends by itself, and until then the sides are not equal. `no`: the mirror
 * has done all there is to do, and nothing is owed.
 */
export type HoldFacts = {
  readonly kept: "computed" | "remembered";
  readonly open: "needs-you" | "waits" | "no";
};

const COMPUTED = { kept: "computed", open: "needs-you" } as const;
const REMEMBERED = { kept: "remembered", open: "needs-you" } as const;
const WAITS = { kept: "computed", open: "waits" } as const;

export const HOLD_REASONS = {
  // what a side could not show
  "not-seen": COMPUTED,
  "local-unreadable": COMPUTED,
  "still-being-written": WAITS,
  "not-utf-8": COMPUTED,
  "holds-nul": COMPUTED,
  "too-large": COMPUTED,
  "remote-text-unfit": REMEMBERED,
  // names and places
  "name-refused": COMPUTED,
  "name-clash": COMPUTED,
  "remote-name-unsafe": COMPUTED,
  "path-taken": COMPUTED,
  "type-clash": COMPUTED,
  "renamed-out-of-mirror": COMPUTED,
  "no-move-to-root": REMEMBERED,
  "folder-held": COMPUTED,
  "occupied-unseen": REMEMBERED,
  // grants, reviews, absences
  "read-only": REMEMBERED,
  "delete-refused": REMEMBERED,
  /** The service has no way to delete folders: an empty one that went here stays there. */
  "folder-stays": { kept: "remembered", open: "no" },
  /**
   * The text was handed over whole: what is left to do is a reviewer's. It is told by its own line,
   * not as something open.
   */
  "in-review": { kept: "computed", open: "no" },
  /** Not sent yet, so that each save is not a review. */
  "review-quiet": WAITS,
  "review-unknown": COMPUTED,
  "gone-or-unreadable": COMPUTED,
  outside: COMPUTED,
  /** The user's own ignore rules leave it out, on both sides. */
  suspended: { kept: "computed", open: "no" },
  "direction-off": COMPUTED,
  "second-look": WAITS,
  // refusals
  refused: REMEMBERED,
  conflict: COMPUTED,
  "conflict-markers": COMPUTED,
} as const satisfies Record<string, HoldFacts>;

export type HoldReason = keyof typeof HOLD_REASONS;

/** Whether the sides are not as they are to be while it stands. */
export function isOpen(reason: HoldReason): boolean {
  return HOLD_REASONS[reason].open !== "no";
}

export function needsYou(reason: HoldReason): boolean {
  return HOLD_REASONS[reason].open === "needs-you";
}
