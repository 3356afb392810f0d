import { compareByPath } from "../../model/by-path.ts";
import { findStepWithoutUndo } from "./stop.ts";
import { UNAPPROVABLE_REASONS, type StopReason } from "../../planner/plan-types.ts";
import type { RunReport } from "../../folder/run.ts";
import { findNextStep } from "./next-step.ts";
import type { AttentionEntry } from "./shapes.ts";

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
  // Whether the folder was moved or copied is not known, so one text has the steps for both.
  if (reasons.some(({ reason }) => reason === "root-moved-or-copied"))
    return [findStepWithoutUndo("root-moved-or-copied")];
  const ways = ["carry the changes out (mdmirror plan shows them): mdmirror approve, then mdmirror sync"];
  // In a wrong workspace, all files would become new documents, so the user checks the key first.
  if (reasons.some(({ reason }) => reason === "wrong-workspace"))
    ways.unshift("check the key and the URL: mdmirror doctor");
  // Many new conflicts stop a sync before any of them is opened, so there is nothing to undo.
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
