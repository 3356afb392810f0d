import type { Action } from "../../model/action.ts";
import type { Plan } from "../../planner/plan-types.ts";
import { type Reason, stoppedBy } from "../../planner/verdict/stops.ts";
import type { Fault } from "../../ports/remote.ts";
import type { Trees } from "../../model/tree.ts";
import { guardKey } from "../../planner/verdict/guard-key.ts";
import { NOT_APPROVABLE } from "../../planner/plan-types.ts";
import { approvedKeys } from "../../engine/run/guard-facts.ts";
import { META } from "../../engine/run/meta.ts";
import { recordEvent } from "../../engine/run/world.ts";
import type { OpenedMirror } from "../../folder/open-mirror.ts";
import { type Preview, previewSync, type RunRequest } from "../../folder/run.ts";

/**
 * The changes that a safety check stops now, for an approval of exactly these changes. mdmirror
 * plans again, so that the user sees the next sync. Approved actions run if they still mean the
 * same; new actions are stopped (I21).
 */
export type StoppedPlan =
  | { readonly kind: "offline"; readonly fault: Fault }
  | { readonly kind: "nothing" }
  /** No approval is possible: the folder is missing, or is another one. */
  | { readonly kind: "not-approvable"; readonly reasons: readonly Reason[] }
  | {
      readonly kind: "stopped";
      readonly reasons: readonly Reason[];
      /** Actions that the answer is about. */
      readonly stopped: readonly Action[];
      /** Number of other steps of the plan, which wait until the user answers. */
      readonly waiting: number;
      readonly keys: readonly string[];
      readonly plan: Plan;
      readonly trees: Trees;
    };

export async function findStop(mirror: OpenedMirror, request: RunRequest): Promise<StoppedPlan> {
  const preview = await previewSync(mirror, request);
  return preview.kind === "offline" ? preview : stopOf(preview);
}

/** Returns what a safety check stops in a plan. */
export function stopOf(preview: Extract<Preview, { kind: "planned" }>): Exclude<StoppedPlan, { kind: "offline" }> {
  const { verdict, steps } = preview.plan;
  if (verdict.kind === "run") return { kind: "nothing" };
  const { reasons, stoppedSteps, byReason } = verdict;
  if (reasons.some(({ reason }) => NOT_APPROVABLE.has(reason))) return { kind: "not-approvable", reasons };
  const stopped = stoppedBy(verdict, steps);
  const actions = stoppedSteps.map((index) => steps[index]!.action);
  // Some reasons concern the folder or the workspace as a whole: then the approval names the reason
  // itself.
  const keys = [...(byReason ? reasons.map(({ reason }) => reason) : []), ...actions.map(guardKey)];
  const waiting = steps.length - stopped.length;
  return { kind: "stopped", reasons, stopped, waiting, keys, plan: preview.plan, trees: preview.trees };
}

/** Withdraws an approval that no run has used yet. */
export function withdrawApproval({ world: { state } }: OpenedMirror): void {
  if (state.meta(META.approved) !== null) state.setMeta(META.approved, null);
}

/** Stores the approval. The approval lasts until a run without a stop. */
export function storeApproval(
  mirror: OpenedMirror,
  { keys, reasons }: Extract<StoppedPlan, { kind: "stopped" }>,
): void {
  const { world } = mirror;
  const { state, clock } = world;
  state.transact(() => {
    const approved = new Set([...approvedKeys(world), ...keys]);
    state.setMeta(META.approved, JSON.stringify([...approved].sort()));
    const run = state.beginRun("approve", clock.now());
    const detail = reasons.map(({ reason, detail: why }) => `${reason}: ${why}`).join("; ");
    recordEvent(world, run, { kind: "approve", side: "both", id: null, path: "", detail });
    state.endRun(run, clock.now(), JSON.stringify({ approved: keys.length }));
  });
}
