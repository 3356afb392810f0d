import type { PendingReview } from "../manual/problem-lists.ts";

export const REVIEW_REASONS = {
  protected: "its document is protected",
  conflict: "it conflicts with another edit",
} as const satisfies Record<NonNullable<PendingReview["reason"]>, string>;

export const UNKNOWN_VERSION_TEXT = "the uploaded version is not known locally";
/** Beginning of a sentence. Paths that cannot be deleted before the review ends follow. */
export const UNDELETABLE_PATHS_TEXT =
  "until somebody decides the review in the web app, these cannot be deleted on the service";
export const PENDING_DELETION_TEXT = "the deletion of the local file is pending until then";

export function explainReview({ reason, liveChangeId }: Pick<PendingReview, "reason" | "liveChangeId">): string | null {
  if (reason === null) return null;
  return reason === "conflict" ? `${REVIEW_REASONS.conflict} (published now: ${liveChangeId})` : REVIEW_REASONS[reason];
}
