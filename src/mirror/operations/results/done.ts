import { count } from "../../../common/count.ts";
import type { RunReport } from "../../folder/run.ts";

const COUNT_WORDS: Readonly<Record<Exclude<keyof RunReport["counts"], "blocked">, string>> = {
  uploaded: "uploaded",
  downloaded: "downloaded",
  createdRemote: "created on the service",
  createdLocal: "created locally",
  movedRemote: "moved on the service",
  movedLocal: "moved locally",
  deletedRemote: "deleted on the service",
  deletedLocal: "moved to the local trash",
  merged: "merged",
  accepted: "accepted by a reviewer",
  byPolicy: "resolved by your conflict policy",
  submitted: "sent to review",
  respelled: "with links rewritten",
  conflicts: "in conflict",
};

/** Returns a clause such as `3 uploaded, 1 created locally`; null if the run changed nothing. */
export function formatCounts(counts: RunReport["counts"]): string | null {
  const countTexts = Object.entries(COUNT_WORDS).flatMap(([name, words]) => {
    const n = counts[name as keyof typeof COUNT_WORDS];
    return n === 0 ? [] : [`${count(n)} ${words}`];
  });
  return countTexts.length === 0 ? null : countTexts.join(", ");
}
