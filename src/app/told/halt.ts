import { plural } from "../../model/count.ts";
import type { HaltReason } from "../../planner/plan-types.ts";
import type { RejectItem } from "../by-hand/reject.ts";

/** The words for both answers to a halt. */

/** What bringing back does, by what it is. */
export const REJECTION_WORDS: Readonly<Record<Exclude<RejectItem["kind"], "left">, string>> = {
  "file-back": "comes back here, as it was; nothing is sent, and its id and history stay",
  "folder-back": "the folder comes back here",
  "folder-stays": "the folder stays here, and is made there anew",
  "stays-as-new":
    "stays here, and goes up as a new document: a deletion there is final, so its id and history there cannot be had again",
  "other-version-back": "its (theirs) file comes back, and the conflict stays open",
  "text-back": "gets its text back locally; nothing is sent",
  "newer-text-back": "the local text is uploaded again, over the version that the service shows",
};

/**
 * For halts where nothing was taken away, so that reject changes nothing: what to do instead.
 */
const INSTEAD: Readonly<Partial<Record<HaltReason, string>>> = {
  "wrong-workspace":
    "give the right key or URL (mdmirror doctor tells which are used). If they are right, and what they show is gone there: " +
    "mdmirror approve takes it to the trash here; or move .mdmirror/ away and link the folder again, which sends all of it as new: mdmirror init",
  "root-moved-or-copied":
    "if you moved the folder: mdmirror approve. If it is a copy: delete it, or make it a linked folder of its own: " +
    "rm -r DIR/.mdmirror && mdmirror init DIR --url URL --key-file FILE; the original goes on either way",
  "conflict-flood":
    "to let one side win where both are new: mdmirror init DIR --prefer local | remote; to see each: mdmirror diff",
};
const ELSE = "mdmirror plan shows what it is about";

/** Says how many changes wait for the answer besides those that it is about. */
export function waitingClause(waiting: number): string {
  return `${plural(waiting, "other change")} ${waiting === 1 ? "waits" : "wait"} for the answer`;
}

/** What to do where nothing was taken away, so that there is nothing to bring back. */
export function insteadOf(reason: HaltReason): string {
  return INSTEAD[reason] ?? ELSE;
}
