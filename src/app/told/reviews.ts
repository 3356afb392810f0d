import type { WaitingReview } from "../by-hand/reviews.ts";

/** What is said of a text that waits in review. */

const WHY = {
  protected: "its document is protected",
  conflict: "it met another edit",
} as const satisfies Record<NonNullable<WaitingReview["reason"]>, string>;

export const SENT_UNKNOWN = "the text that was sent is not known here";
/** Stands before the names of what it stops. */
export const STOPS = "until it is decided in the app, these cannot be deleted there";
export const DELETION_WAITS = "the deletion made here waits for that";

/** @returns a clause; null: the service did not say */
export function whyInReview({ reason, liveChangeId }: WaitingReview): string | null {
  if (reason === null) return null;
  return reason === "conflict" ? `${WHY.conflict} (live now: ${liveChangeId})` : WHY[reason];
}
