import type { DocId } from "../../../contract/ids.ts";
import type { Step } from "../../model/action.ts";
import { digestOf } from "../../../contract/digest.ts";
import type { GuardLimits, Policy } from "../../model/policy.ts";
import type { SafetySignals, Verdict } from "../plan-types.ts";
import { NOTHING_LEFT_OUT } from "../../model/left-out.ts";
import type { Trees } from "../../model/tree.ts";
import {
  type SafetyFinding,
  type GuardedStep,
  type PresenceCounts,
  type Reason,
  findWholePlanStops,
  listUnapprovedSteps,
} from "./stops.ts";
import { computeDeleteBudget, judgeLosses, findLosses, listDocumentsToRead } from "./losses.ts";

type Judgement = {
  readonly verdict: Verdict;
  readonly toRead: readonly DocId[];
};

export function judgePlan(
  trees: Trees,
  policy: Policy,
  signals: SafetySignals,
  steps: readonly Step[],
  counts: PresenceCounts,
): Judgement {
  const losses = findLosses(trees, policy.guards, signals, steps, counts);
  const { deleted, folders } = losses.local;
  const removals = { documents: deleted.length, folders: folders.length };
  const { stops, waived } = findWholePlanStops(trees, policy, signals, counts, removals);
  // The service has lost documents if it was restored, or if it lists no recorded document. In
  // these cases, the user must also approve the local deletions.
  const isRemoving = signals.restored || trees.remote.nothingKnown === true;
  if (stops.length > 0)
    return { verdict: makeSafetyStop(stops, isRemoving ? [...deleted, ...folders] : [], true), toRead: [] };
  const toRead = listDocumentsToRead(losses.local);
  const budget = computeDeleteBudget(policy.guards, counts.known);
  const findings = [
    ...judgeLosses(losses),
    ...judgeConflictCount(trees, policy.guards, signals, counts, steps),
    ...judgeCopies(budget, signals, steps),
  ];
  const stoppedSteps = findings.flatMap(({ steps: found }) => found);
  if (findings.length > 0) return { verdict: makeSafetyStop(findings, stoppedSteps, false), toRead };
  return { verdict: { kind: "run", ...(waived.length > 0 ? { waived } : {}) }, toRead };
}

function makeSafetyStop(found: readonly Reason[], steps: readonly GuardedStep[], byReason: boolean): Verdict {
  const reasons = found.map(({ reason, detail }) => ({ reason, detail }));
  const keys = new Map(steps.map(({ index, key }) => [index, key]));
  const approvableKeys = [...(byReason ? reasons.map(({ reason }) => reason) : []), ...keys.values()].sort();
  const stoppedSteps = [...keys.keys()].sort((a, b) => a - b);
  return { kind: "safety-stop", reasons, stoppedSteps, byReason, hash: digestOf(approvableKeys.join("\n")) };
}

function judgeConflictCount(
  { remote, leftOut = NOTHING_LEFT_OUT }: Trees,
  limits: GuardLimits,
  signals: SafetySignals,
  counts: PresenceCounts,
  steps: readonly Step[],
): SafetyFinding[] {
  const knownCount = Math.max(counts.known, remote.files.size + leftOut.count);
  const limit = Math.max(limits.minConflicts, Math.floor(limits.conflictShare * knownCount));
  if (signals.conflictsOpened <= limit) return [];
  const conflictSteps = listUnapprovedSteps(
    steps,
    signals,
    (action) => action.kind === "meet" || action.kind === "merge",
  );
  if (conflictSteps.length === 0) return [];
  const detail = `${signals.conflictsOpened} conflicts in this run (limit: ${limit})`;
  return [{ reason: "conflict-flood", detail, steps: conflictSteps }];
}

/**
 * Stops a plan if many conflict copies were deleted, because each deletion means that the local
 * content replaces the content on the service.
 */
function judgeCopies(budget: number, signals: SafetySignals, steps: readonly Step[]): SafetyFinding[] {
  const endSteps = listUnapprovedSteps(
    steps,
    signals,
    (action) => action.kind === "end-conflict" && action.how === "mine",
  );
  if (endSteps.length <= budget) return [];
  const detail = `${endSteps.length} conflict copies were deleted in one run (limit: ${budget})`;
  return [{ reason: "conflict-copies-gone", detail, steps: endSteps }];
}
