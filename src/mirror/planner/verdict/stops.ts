/**
 * Safety checks that stop a whole plan, because the folder, the workspace or the service may be the
 * wrong one.
 */
import { count, plural } from "../../../common/quantities.ts";
import type { Trees } from "../../model/tree.ts";
import { type Plan, type SafetySignals, type StopReason, UNAPPROVABLE_REASONS, type Verdict } from "../plan-types.ts";
import { type Action, getSubject, type Step } from "../../model/action.ts";
import type { Side } from "../match/row.ts";

export type PresenceCounts = {
  /** Number of recorded documents, except those in the states `suspended` and `outside`. */
  readonly known: number;
} & Readonly<Record<Side, { readonly present: number; readonly gone: number }>>;

export type Reason = { readonly reason: StopReason; readonly detail: string };
type PlanStops = { readonly stops: readonly Reason[]; readonly waived: readonly StopReason[] };
type UnapprovedRemovals = { readonly documents: number; readonly folders: number };

/**
 * A reason to doubt all steps of a plan. `mustAsk`: the user has to approve the reason. `persists`:
 * an approval also applies to later runs, which then only report the reason.
 */
type DoubtfulReason = Reason & { readonly mustAsk: boolean; readonly persists: boolean };

/**
 * Finds reasons that stop the whole plan. `waived`: reasons that the user has approved and that
 * this plan still has.
 */
export function findWholePlanStops(
  trees: Trees,
  steps: readonly Step[],
  signals: SafetySignals,
  counts: PresenceCounts,
  removals: UnapprovedRemovals,
): PlanStops {
  const doubts = [checkRoot(signals), checkWorkspace(trees, counts), checkVersions(signals, counts, steps)];
  const stops = stopRemovals(signals, removals);
  const waivedReasons: StopReason[] = [];
  for (const doubt of doubts) {
    if (doubt === null) continue;
    const { reason, detail, mustAsk, persists } = doubt;
    const isApproved = signals.approved.has(reason) && !UNAPPROVABLE_REASONS.has(reason);
    if (isApproved && persists) waivedReasons.push(reason);
    if (!isApproved && mustAsk) stops.push({ reason, detail });
  }
  return { stops, waived: waivedReasons };
}

const STOP_BY_ROOT: Readonly<Record<SafetySignals["root"], Reason | null>> = {
  same: null,
  missing: { reason: "root-missing", detail: "the folder is missing" },
  "marker-missing": {
    reason: "root-replaced",
    detail: "the folder has no marker: this is another disk, or an empty mount point",
  },
  "other-marker": { reason: "root-replaced", detail: "the folder has the marker of another linked folder" },
  "moved-or-copied": {
    reason: "root-moved-or-copied",
    detail: "the folder was moved, or is a copy of the linked folder",
  },
};

function checkRoot({ root }: SafetySignals): DoubtfulReason | null {
  const rootReason = STOP_BY_ROOT[root];
  return rootReason === null ? null : { ...rootReason, mustAsk: true, persists: false };
}

function checkWorkspace({ remote }: Trees, { known, remote: { present } }: PresenceCounts): DoubtfulReason | null {
  if (!remote.complete || known === 0 || present + remote.outside.size > 0) return null;
  return {
    reason: "wrong-workspace",
    detail: describeInvisible(known),
    mustAsk: remote.nothingKnown === true,
    persists: true,
  };
}

function checkVersions(
  { earlierVersions, restored }: SafetySignals,
  { known }: PresenceCounts,
  steps: readonly Step[],
): DoubtfulReason | null {
  // ASSUMES: a document shows an old change id again only after a restore of the service. Therefore
  // one such document is enough evidence in a small workspace.
  const fewestForDoubt = restored ? 1 : Math.min(3, Math.max(1, Math.ceil(known / 100)));
  if (earlierVersions.size < fewestForDoubt) return null;
  const detail = `${plural(earlierVersions.size, "document shows", "documents show")} an older version than before`;
  // A blocked document keeps the newer version, so the next plan finds its older version again.
  const takenIds = new Set(steps.flatMap(({ action }) => ("changeId" in action ? [action.id] : [])));
  const persists = [...earlierVersions].some((id) => !takenIds.has(id));
  return { reason: "service-restored", detail, mustAsk: true, persists };
}

/**
 * Stops local deletions after the service was restored from a backup, because the missing documents
 * are probably newer than the backup. An approval names each deletion, so mdmirror asks again if
 * another document is missing later.
 */
function stopRemovals({ restored }: SafetySignals, { documents, folders }: UnapprovedRemovals): Reason[] {
  if (!restored || documents + folders === 0) return [];
  const removalCounts = [
    ...(documents > 0 ? [plural(documents, "document")] : []),
    ...(folders > 0 ? [plural(folders, "folder")] : []),
  ];
  const detail = `the service was restored from a backup, and ${removalCounts.join(" and ")} of this linked folder ${documents + folders === 1 ? "is" : "are"} not in it`;
  return [{ reason: "service-restored", detail }];
}

function describeInvisible(known: number): string {
  return known === 1
    ? "the only linked document is not visible with this key, nor is any folder that was"
    : `none of ${count(known)} linked documents is visible with this key`;
}

export type UnapprovedStep = { readonly index: number; readonly key: string };

export type SafetyFinding = Reason & { readonly steps: readonly UnapprovedStep[] };

export function listUnapprovedSteps(
  steps: readonly Step[],
  { approved }: Pick<SafetySignals, "approved">,
  matches: (action: Action) => boolean,
): UnapprovedStep[] {
  const unapprovedSteps: UnapprovedStep[] = [];
  for (const [index, { action }] of steps.entries()) {
    if (!matches(action)) continue;
    const key = toApprovalKey(action);
    if (!approved.has(key)) unapprovedSteps.push({ index, key });
  }
  return unapprovedSteps;
}

export function isRemovalOfRecorded(action: Action): boolean {
  return action.kind === "remove-folder-local" && action.dirId !== null;
}

/**
 * Returns the actions to which the user's answer to a stop applies, in the order of the plan. The
 * other actions of the plan only wait for the answer.
 */
export function listActionsOfStop(
  { stoppedSteps, byReason }: Extract<Verdict, { kind: "safety-stop" }>,
  steps: Plan["steps"],
): readonly Action[] {
  return byReason ? steps.map(({ action }) => action) : stoppedSteps.map((index) => steps[index]!.action);
}

/**
 * Returns a key of an action's kind, its document, and the version or content that the action
 * expects. An approval stores this key, so that it covers exactly this action, even in later plans.
 * The key of an action on a folder has only the folder's id.
 */
export function toApprovalKey(action: Action): string {
  switch (action.kind) {
    case "delete-remote":
      return `delete-remote ${action.id} ${action.changeId}`;
    case "trash-local":
      return `trash-local ${action.id} ${action.expect}`;
    case "put":
      return `put ${action.id} ${action.baseChangeId} ${action.expect}`;
    case "meet":
    case "merge":
    case "write-local":
    case "settle-review":
      return `${action.kind} ${action.id} ${action.changeId} ${action.expect}`;
    case "end-conflict":
      return `end-conflict ${action.id} ${action.baseChangeId} ${action.expect}`;
    default:
      return `${action.kind} ${getSubject(action).id}`;
  }
}
