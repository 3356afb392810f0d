import type { StoppedPlan } from "../mirror/operations/manual/approve.ts";
import type { OpenedMirror } from "../mirror/folder/open-mirror.ts";
import type { Preview } from "../mirror/folder/run.ts";
import { NEXT_WITHOUT_ROOT } from "../mirror/operations/results/attention.ts";
import { guardKey } from "../mirror/planner/verdict/guard-key.ts";
import { MdmirrorError } from "./error.ts";
import { errorOf } from "./with-errors.ts";
import type { SafetyStop, SafetyStopAnswer, MirrorPlan } from "./types.ts";

/**
 * The two answers to a stop, `approve` and `reject`. Each answers the stop in the caller's plan,
 * and nothing that was stopped since (I21).
 */

type Planned = Extract<Preview, { kind: "planned" }>;
type Decidable = Extract<StoppedPlan, { kind: "stopped" }>;

export function safetyStopOf({ plan: { verdict, steps } }: Planned): SafetyStop | null {
  if (verdict.kind === "run") return null;
  const { reasons, stoppedSteps, byReason } = verdict;
  const keys = [
    ...(byReason ? reasons.map(({ reason }) => reason) : []),
    ...stoppedSteps.map((at) => guardKey(steps[at]!.action)),
  ];
  return { reasons, byReason, keys: [...keys].sort() };
}

export async function approveStop(mirror: OpenedMirror, plan: MirrorPlan): Promise<SafetyStopAnswer> {
  const { approve } = await import("../mirror/operations/manual/approve.ts");
  const halted = await findSeen(mirror, plan);
  if (halted === null) return { count: 0, left: [] };
  approve(mirror, halted);
  return { count: halted.keys.length, left: [] };
}

export async function rejectStop(mirror: OpenedMirror, plan: MirrorPlan): Promise<SafetyStopAnswer> {
  const { withdrawApproval } = await import("../mirror/operations/manual/approve.ts");
  const rejecting = await import("../mirror/operations/manual/reject.ts");
  // Steps that were approved before count as stopped again.
  withdrawApproval(mirror);
  const halted = await findSeen(mirror, plan);
  if (halted === null) return { count: 0, left: [] };
  const reasons = halted.reasons.map(({ reason }) => reason);
  const items = rejecting.planRejection(mirror.world.state, halted.plan, halted.trees, reasons);
  const ends = items.length === 0 ? [] : await rejecting.rejectStop(mirror.world, items);
  const left = ends.flatMap(({ item, done, note }) => (done ? [] : [{ path: item.path, why: note }]));
  return { count: ends.length - left.length, left };
}

/**
 * Returns the present stop, or null.
 * @throws if more is stopped than the plan shows
 */
async function findSeen(mirror: OpenedMirror, { safetyStop }: MirrorPlan): Promise<Decidable | null> {
  const { findStop } = await import("../mirror/operations/manual/approve.ts");
  const { faultTrouble } = await import("../mirror/folder/fault-trouble.ts");
  const { stoppedRun } = await import("../mirror/folder/run.ts");
  const found = await findStop(mirror, stoppedRun(mirror, false));
  const { root } = mirror;
  switch (found.kind) {
    case "nothing":
      return null;
    case "offline":
      throw errorOf(faultTrouble(found.fault, mirror.url), root);
    case "not-approvable":
      throw unanswerable(root, "lost-root", "the folder is missing or another one", NEXT_WITHOUT_ROOT);
    case "stopped": {
      const seen = new Set(safetyStop?.keys ?? []);
      if (found.keys.every((key) => seen.has(key))) return found;
      const next = "call plan() again, then answer its stop";
      throw unanswerable(
        root,
        "safety-stop-changed",
        "a safety check stops more changes now than the plan shows",
        next,
      );
    }
  }
}

function unanswerable(path: string, code: string, message: string, next: string): MdmirrorError {
  return new MdmirrorError({ kind: "usage", code, path, next, message });
}
