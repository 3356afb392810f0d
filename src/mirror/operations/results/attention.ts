/** Words for open problems that `sync` and `status` share. */

import { byPath } from "../../model/by-path.ts";
import { nextWithoutUndo } from "./stop.ts";
import { NOT_APPROVABLE, type StopReason } from "../../planner/plan-types.ts";
import type { RunReport } from "../../folder/run.ts";
import { nextFor } from "./next-step.ts";
import type { AttentionEntry } from "./shapes.ts";

export type OpenProblems = Pick<RunReport, "attention" | "fault"> & {
  readonly safetyStop: Pick<NonNullable<RunReport["safetyStop"]>, "reasons"> | null;
};

/** Next step for a stop that no approval can end, because the root is missing. */
export const NEXT_WITHOUT_ROOT =
  "mount the disk of the folder; or move .mdmirror/ away and link the folder again: mdmirror init";

/** Next step for a stop whose reasons are unknown. */
export const NEXT_OF_STOP =
  "mdmirror plan shows the changes; carry them out: mdmirror approve; undo them: mdmirror reject";

/**
 * Returns the next steps of a stop: to carry out the stopped changes, or to undo them. If no
 * approval can end the stop, returns the step that can.
 */
export function nextOfStop(reasons: readonly { readonly reason: StopReason }[]): string[] {
  if (reasons.some(({ reason }) => NOT_APPROVABLE.has(reason))) return [NEXT_WITHOUT_ROOT];
  // A copied folder and a moved folder need different answers, so the clause explains both.
  if (reasons.some(({ reason }) => reason === "root-moved-or-copied")) return [nextWithoutUndo("root-moved-or-copied")];
  const ways = ["carry the changes out (mdmirror plan shows them): mdmirror approve, then mdmirror sync"];
  // The wrong workspace would receive all files as new documents, so the key is checked first.
  if (reasons.some(({ reason }) => reason === "wrong-workspace"))
    ways.unshift("check the key and the URL: mdmirror doctor");
  // New conflicts alone have not changed anything yet, so there is nothing to undo.
  const isOnlyFlood = reasons.every(({ reason }) => reason === "conflict-flood");
  return isOnlyFlood ? ways : [...ways, "undo the changes: mdmirror reject"];
}

/**
 * Returns the `attention` of `--json`: open problems, then why the run stopped or did not reach the
 * service.
 */
export function attentionJson({ attention, safetyStop, fault }: OpenProblems): readonly AttentionEntry[] {
  const entries = attention.toSorted(byPath).map((one): AttentionEntry => {
    return { ...entryOf(one.path, one.kind, one.detail, nextFor(one)), code: one.code };
  });
  for (const { reason, detail } of safetyStop?.reasons ?? []) {
    entries.push(entryOf("", reason, detail, nextOfStop([{ reason }]).join("; ")));
  }
  if (fault !== null) {
    const code = "code" in fault ? fault.code : "cause" in fault ? fault.cause : null;
    entries.push({ ...entryOf("", "offline", fault.detail, "mdmirror doctor"), code });
  }
  return entries;
}

export function entryOf(path: string, kind: string, detail: string, next: string): AttentionEntry {
  return { path, kind, code: null, detail, next };
}
