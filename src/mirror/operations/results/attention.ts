import { byPath } from "../../model/by-path.ts";
import { insteadOf } from "./stop.ts";
import type { StopReason } from "../../planner/plan-types.ts";
import { NOT_APPROVABLE } from "../../planner/plan-types.ts";
import type { RunReport } from "../../folder/run.ts";
import { nextFor } from "./next-step.ts";
import type { AttentionEntry } from "./shapes.ts";

/** Words for open problems that `sync` and `status` share. */

export type Open = Pick<RunReport, "attention" | "fault"> & {
  readonly safetyStop: Pick<NonNullable<RunReport["safetyStop"]>, "reasons"> | null;
};

/** Next step for a stop that no approval can end, because the root is missing. */
export const NEXT_WITHOUT_ROOT =
  "mount the disk of the folder; or move .mdmirror/ away and link the folder again: mdmirror init";

/** Next step for a stop whose reasons are not known. */
export const NEXT_OF_STOP =
  "mdmirror plan shows the changes; carry them out: mdmirror approve; undo them: mdmirror reject";

/** Reasons of stops after which `reject` has nothing to restore. */
const BRINGS_NOTHING_BACK: ReadonlySet<StopReason> = new Set([
  "root-missing",
  "root-replaced",
  "root-moved-or-copied",
  "conflict-flood",
]);

/**
 * Returns the next steps for both answers to a stop: to carry out the stopped changes, or to undo
 * them.
 */
export function nextOfStop(reasons: readonly { readonly reason: StopReason }[]): string[] {
  // A copied folder and a moved folder need different answers, so the clause explains both.
  if (reasons.some(({ reason }) => reason === "root-moved-or-copied")) return [insteadOf("root-moved-or-copied")];
  const ways = ["carry the changes out (mdmirror plan shows them): mdmirror approve, then mdmirror sync"];
  // After an approval, the wrong workspace would receive all files as new documents.
  if (reasons.some(({ reason }) => reason === "wrong-workspace"))
    ways.unshift("check the key and the URL: mdmirror doctor");
  const isNotBrought = reasons.every(({ reason }) => BRINGS_NOTHING_BACK.has(reason));
  return isNotBrought ? ways : [...ways, "undo the changes: mdmirror reject"];
}

/**
 * Returns the `attention` of `--json`: open problems, then why the run stopped or did not reach the
 * service.
 */
export function attentionJson({ attention, safetyStop, fault }: Open): readonly AttentionEntry[] {
  const entries = attention.toSorted(byPath).map(
    (one): AttentionEntry => ({
      path: one.path,
      kind: one.kind,
      code: one.code,
      detail: one.detail,
      next: nextFor(one),
    }),
  );
  for (const { reason, detail } of safetyStop?.reasons ?? []) {
    const next = NOT_APPROVABLE.has(reason) ? NEXT_WITHOUT_ROOT : nextOfStop([{ reason }]).join("; ");
    entries.push({ path: "", kind: reason, code: null, detail, next });
  }
  if (fault !== null) {
    const code = "code" in fault ? fault.code : "cause" in fault ? fault.cause : null;
    entries.push({ path: "", kind: "offline", code, detail: fault.detail, next: "mdmirror doctor" });
  }
  return entries;
}
