import type { WaitingReview } from "../manual/reviews.ts";

/** What is said of a text that waits in review. */

const WHY = {
  protected: "its document is protected",
  conflict: "it conflicts with another edit",
} as const satisfies Record<NonNullable<WaitingReview["reason"]>, string>;

export const SENT_UNKNOWN = "the uploaded version is not known locally";
/** Stands before the names of what it stops. */
export const STOPS = "until it is decided in the web app, these cannot be deleted on the service";
export const DELETION_WAITS = "the local deletion waits for the decision";

/** @returns a clause; null: the service did not say */
export function whyInReview({ reason, liveChangeId }: WaitingReview): string | null {
  if (reason === null) return null;
  return reason === "conflict" ? `${WHY.conflict} (published now: ${liveChangeId})` : WHY[reason];
}
