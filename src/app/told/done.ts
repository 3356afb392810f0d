import { count } from "../../model/count.ts";
import type { RunReport } from "../mirror/run.ts";

/** What a run did, in words. */

const COUNT_WORDS: Readonly<Record<Exclude<keyof RunReport["counts"], "holds">, string>> = {
  uploaded: "uploaded",
  downloaded: "downloaded",
  createdRemote: "new on the service",
  createdLocal: "new here",
  movedRemote: "moved on the service",
  movedLocal: "moved here",
  deletedRemote: "deleted on the service",
  deletedLocal: "to the trash here",
  merged: "merged",
  accepted: "accepted",
  byPolicy: "in conflict, ended by your policy",
  submitted: "sent to review",
  respelled: "with links respelled",
  conflicts: "in conflict",
};

/** `3 uploaded, 1 new here`, or null when nothing was done. */
export function doneLine(counts: RunReport["counts"]): string | null {
  const parts = Object.entries(COUNT_WORDS).flatMap(([name, words]) => {
    const n = counts[name as keyof typeof COUNT_WORDS];
    return n === 0 ? [] : [`${count(n)} ${words}`];
  });
  return parts.length === 0 ? null : parts.join(", ");
}
