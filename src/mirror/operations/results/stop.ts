import { plural } from "../../../common/count.ts";
import type { StopReason } from "../../planner/plan-types.ts";

export const REJECTION_WORDS = {
  "file-back": "restored locally, with the same id and history; nothing is uploaded",
  "folder-back": "folders restored locally",
  "folder-stays": "folders kept locally and created again on the service",
  "stays-as-new": "kept locally and uploaded as a new document: the service cannot restore the old id and its history",
  "other-version-back": "conflict copies restored; the conflicts stay open",
  "text-back": "content restored locally; nothing is uploaded",
  "newer-text-back": "the local version is uploaded again, over the version on the service",
} as const;

export type RejectionKind = keyof typeof REJECTION_WORDS;

/** Next steps after a stop for which `reject` has nothing to restore. */
const NEXT_INSTEAD: Readonly<Partial<Record<StopReason, string>>> = {
  "wrong-workspace":
    "use the right key and URL (mdmirror doctor shows them). If they are right and the documents are deleted on the service: " +
    "mdmirror approve moves the files to the local trash; or move .mdmirror/ away and link the folder again, which uploads all files as new: mdmirror init",
  "root-moved-or-copied":
    "if you moved the folder: mdmirror approve. If it is a copy: delete it, or make it a linked folder of its own: " +
    "rm -r DIR/.mdmirror && mdmirror init DIR --url URL --key-file FILE. The original stays linked either way",
  "conflict-flood":
    "take one side for all documents that are new on both: mdmirror init DIR --prefer local | remote; see each: mdmirror diff",
};
const SHOW_PLAN = "mdmirror plan shows the changes";

/** Returns a clause with the number of other changes that also wait for the user's answer. */
export function describeWaiting(waiting: number): string {
  return `${plural(waiting, "further change")} of this sync ${waiting === 1 ? "waits" : "wait"} until you answer`;
}

/** Returns the next step after a stop for which `reject` has nothing to restore. */
export function findStepWithoutUndo(reason: StopReason): string {
  return NEXT_INSTEAD[reason] ?? SHOW_PLAN;
}
