import type { SyncProblem } from "../../engine/run/report.ts";
import type { RunReport } from "../../folder/run.ts";
import { quoteForShell } from "../../model/shell-word.ts";
import { plural } from "../../../common/quantities.ts";
import { type StopReason, UNAPPROVABLE_REASONS } from "../../planner/plan-types.ts";
import { compareByPath } from "../../model/by-path.ts";
import type { AttentionEntry } from "./shapes.ts";

/** Next steps by kind of problem. `PATH` is a placeholder for the path of the problem. */
const NEXT_BY_KIND: Readonly<Record<SyncProblem["kind"], string>> = {
  conflict:
    'edit the file as you want it and delete the "(theirs)" file, or run: mdmirror resolve PATH --mine | --theirs',
  "name-refused": "rename the file: the service does not accept this name",
  "name-clash": "rename one of the two files: the service would give both the same name",
  "too-large": "split the document: the service accepts at most 51,200 characters",
  "not-utf-8": "save the file as UTF-8",
  "contains-nul": "remove the NUL characters from the file",
  "read-only":
    "ask for the grant Can edit. Your edit stays in the local file; mdmirror tries again once a day, or now: mdmirror sync",
  refused: "change the content or the name that the service refuses, or try again: mdmirror sync",
  "gone-or-unreadable":
    "keep the document: mdmirror resolve PATH --keep, or delete it: mdmirror resolve PATH --delete. It was deleted on the service, or your key may no longer read it",
  "renamed-out-of-mirror": "rename the file back to a .md name, or run: mdmirror resolve PATH --delete | --keep",
  "no-move-to-root":
    "move the file into a folder; or create a new document with a new id, and delete the old one: mdmirror resolve PATH --recreate",
  "type-clash":
    "rename or move the local file or folder: the service has the other kind at this path. If a file is missing, its document counts as deleted",
  "path-taken": "rename one of the two files",
  "occupied-unseen": "rename the local file: its name is in use on the service",
  "conflict-markers": "finish the merge in the file: remove the lines <<<<<<<, ======= and >>>>>>>",
  "review-unknown": "read the document on the service, then run: mdmirror resolve PATH --mine | --theirs",
  "local-unreadable": "make the file readable; or rename it, if its name cannot be read",
  "not-seen": "nothing: the next sync checks again",
  "direction-off": "nothing; or sync in both directions: mdmirror config set direction both",
  "still-being-written": "nothing: the next sync checks again",
  "ambiguous-file":
    "move all of these files but the right one out of the folder, run: mdmirror sync, then move them back as new documents",
  "in-use": "nothing: close the file in the editor; mdmirror then writes the version on the service to it",
  "path-pending": "nothing: the next sync checks again",
  "second-scan": "nothing: the next sync checks again",
  "review-delayed": "nothing: the next sync sends it to review, unless you edit it again",
  outside:
    "move it back: it was moved out of the linked part of the workspace. Or keep it as a new document: mdmirror resolve PATH --keep",
  "remote-name-unsafe": "rename the document on the service",
  "folder-blocked": "first solve the problem of its folder: mdmirror conflicts lists it",
  "delete-refused":
    "remove the obstacle on the service (its protection, a review or a missing grant), then delete the file again",
  "delete-pending":
    "decide the review in the web app. If it is accepted, the document comes back; if it is rejected, the next mdmirror sync deletes the document",
  "folder-stays": "nothing: the service cannot delete folders, so the empty folder stays on the service",
  "in-review":
    "nothing: a reviewer decides. mdmirror cannot see a rejection. If the change is rejected, edit the file again, or take the published version: mdmirror resolve PATH --theirs",
  "review-conflict":
    "nothing: a reviewer decides in the web app (mdmirror reviews shows both versions). mdmirror cannot see a rejection; to decide locally: mdmirror resolve PATH --mine | --theirs",
  suspended: "nothing, or remove its pattern from that file to sync it again",
  "listing-misread":
    "report it to the operator of the service. Until it is fixed, mdmirror applies no deletions from the service and syncs everything else",
  "listing-cut-short": "nothing: the next sync checks again",
  unfinished: "nothing, if it is being changed now: the next sync continues; otherwise run: mdmirror why PATH",
  unproven: "mdmirror sync",
  later: "solve the named problem; the next sync tries again",
  uncertain: "nothing: the next sync reads the document and decides",
};

const NEXT_BY_REFUSED: Readonly<Record<NonNullable<SyncProblem["refused"]>, string>> = {
  name: "rename or move the local file, or try again: mdmirror sync",
  step: "run: mdmirror why PATH",
};

type ProblemKind = Pick<SyncProblem, "path" | "kind" | "refused">;

/** Returns the next step for a kind of problem, with the placeholder `PATH`. */
export function findNextStepOfKind({ path, kind, refused }: ProblemKind): string {
  if (refused !== undefined) return NEXT_BY_REFUSED[refused];
  if (kind === "unfinished" && path === "") return "mdmirror sync";
  return NEXT_BY_KIND[kind];
}

export function findNextStep(open: ProblemKind): string {
  return findNextStepOfKind(open).replaceAll("PATH", () => quoteForShell(open.path));
}

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

/** Next steps for the user after a stop for which `reject` can restore nothing. */
const NEXT_WITHOUT_UNDO: Readonly<Partial<Record<StopReason, string>>> = {
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

/** Returns a clause with the number of other changes that wait for the answer to the stop. */
export function describeWaiting(waiting: number): string {
  return `${plural(waiting, "further change")} of this sync ${waiting === 1 ? "waits" : "wait"} until you answer`;
}

export function findStepWithoutUndo(reason: StopReason): string {
  return NEXT_WITHOUT_UNDO[reason] ?? SHOW_PLAN;
}

export type OpenProblems = Pick<RunReport, "attention" | "fault"> & {
  readonly safetyStop: Pick<NonNullable<RunReport["safetyStop"]>, "reasons"> | null;
};

/** Next step after a stop that cannot be approved, because the linked folder is not at its path. */
export const NEXT_WITHOUT_ROOT =
  "mount the disk of the folder; or move .mdmirror/ away and link the folder again: mdmirror init";

export const NEXT_OF_STOP =
  "mdmirror plan shows the changes; carry them out: mdmirror approve; undo them: mdmirror reject";

/** Returns the ways to end a stop: approve, reject, or another step if the stop has no answer. */
export function listStopSteps(reasons: readonly { readonly reason: StopReason }[]): string[] {
  if (reasons.some(({ reason }) => UNAPPROVABLE_REASONS.has(reason))) return [NEXT_WITHOUT_ROOT];
  // mdmirror does not know whether the folder was moved or copied, so one text has the steps for
  // both cases.
  if (reasons.some(({ reason }) => reason === "root-moved-or-copied"))
    return [findStepWithoutUndo("root-moved-or-copied")];
  const ways = ["carry the changes out (mdmirror plan shows them): mdmirror approve, then mdmirror sync"];
  // In a wrong workspace, `approve` would remove all files, and `reject` would upload all files as
  // new documents. So the user checks the key first.
  if (reasons.some(({ reason }) => reason === "wrong-workspace"))
    ways.unshift("check the key and the URL: mdmirror doctor");
  // A stop because of many new conflicts comes before any conflict is opened, so there is nothing
  // to undo.
  const isOnlyFlood = reasons.every(({ reason }) => reason === "conflict-flood");
  return isOnlyFlood ? ways : [...ways, "undo the changes: mdmirror reject"];
}

/** Lists the open problems, then the reasons of a stop, then the fault of the service. */
export function toAttentionJson({ attention, safetyStop, fault }: OpenProblems): readonly AttentionEntry[] {
  const entries = attention.toSorted(compareByPath).map((one): AttentionEntry => {
    return { ...makeAttentionEntry(one.path, one.kind, one.detail, findNextStep(one)), code: one.code };
  });
  for (const { reason, detail } of safetyStop?.reasons ?? []) {
    entries.push(makeAttentionEntry("", reason, detail, listStopSteps([{ reason }]).join("; ")));
  }
  if (fault !== null) {
    const code = "code" in fault ? fault.code : "cause" in fault ? fault.cause : null;
    entries.push({ ...makeAttentionEntry("", "offline", fault.detail, "mdmirror doctor"), code });
  }
  return entries;
}

export function makeAttentionEntry(path: string, kind: string, detail: string, next: string): AttentionEntry {
  return { path, kind, code: null, detail, next };
}
