import { count, plural } from "../../../common/quantities.ts";
import type { DocId } from "../../../contract/ids.ts";
import type { Action, Step } from "../../model/action.ts";
import { digestOf, EMPTY_DIGEST } from "../../../contract/digest.ts";
import type { GuardLimits, Policy } from "../../model/policy.ts";
import type { SafetySignals, StopReason, Verdict } from "../plan-types.ts";
import { NOTHING_LEFT_OUT } from "../../model/left-out.ts";
import type { BaseTree, Trees } from "../../model/tree.ts";
import {
  findWholePlanStops,
  type UnapprovedStep,
  isRemovalOfRecorded,
  listUnapprovedSteps,
  type PresenceCounts,
  type Reason,
  type SafetyFinding,
} from "./stops.ts";
import { otherSide, type Side } from "../match/row.ts";

/** Returns the steps with a matching action that the user has not approved. */
type FindSteps = (matches: (action: Action) => boolean) => UnapprovedStep[];

type PlanVerdict = {
  readonly verdict: Verdict;
  readonly toRead: readonly DocId[];
};

export function judgePlan(
  trees: Trees,
  policy: Policy,
  signals: SafetySignals,
  steps: readonly Step[],
  counts: PresenceCounts,
): PlanVerdict {
  const findUnapproved: FindSteps = (matches) => listUnapprovedSteps(steps, signals, matches);
  const losses = findLosses(trees, policy.guards, signals, steps, counts, findUnapproved);
  const { deleted, folders } = losses.local;
  const removals = { documents: deleted.length, folders: folders.length };
  const { stops, waived } = findWholePlanStops(trees, steps, signals, counts, removals);
  // The service has lost documents if it was restored, or if its listing has no recorded document.
  // The user must then also approve the local deletions.
  const mustApproveRemovals = signals.restored || trees.remote.nothingKnown === true;
  if (stops.length > 0)
    return { verdict: makeSafetyStop(stops, mustApproveRemovals ? [...deleted, ...folders] : [], true), toRead: [] };
  const toRead = listDocumentsToRead(losses.local);
  const budget = computeDeleteBudget(policy.guards, counts.known);
  const findings = [
    ...judgeLosses(losses),
    ...judgeConflictCount(trees, policy.guards, signals, counts, findUnapproved),
    ...judgeCopies(budget, findUnapproved),
  ];
  const stoppedSteps = findings.flatMap(({ steps: found }) => found);
  if (findings.length > 0) return { verdict: makeSafetyStop(findings, stoppedSteps, false), toRead };
  return { verdict: { kind: "run", ...(waived.length > 0 ? { waived } : {}) }, toRead };
}

function makeSafetyStop(found: readonly Reason[], steps: readonly UnapprovedStep[], byReason: boolean): Verdict {
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
  findUnapproved: FindSteps,
): SafetyFinding[] {
  const knownCount = Math.max(counts.known, remote.files.size + leftOut.count);
  const limit = Math.max(limits.minConflicts, Math.floor(limits.conflictShare * knownCount));
  if (signals.conflictsOpened <= limit) return [];
  const conflictSteps = findUnapproved(({ kind }) => kind === "meet" || kind === "merge");
  if (conflictSteps.length === 0) return [];
  const detail = `${plural(signals.conflictsOpened, "conflict")} in this run (limit: ${count(limit)})`;
  return [{ reason: "conflict-flood", detail, steps: conflictSteps }];
}

/**
 * Stops a plan if many conflict copies were deleted. For each deleted copy, the local content would
 * replace the content on the service.
 */
function judgeCopies(budget: number, findUnapproved: FindSteps): SafetyFinding[] {
  const endSteps = findUnapproved((action) => action.kind === "end-conflict" && action.how === "mine");
  if (endSteps.length <= budget) return [];
  const detail = `${plural(endSteps.length, "conflict copy was", "conflict copies were")} deleted in one run (limit: ${budget})`;
  return [{ reason: "conflict-copies-gone", detail, steps: endSteps }];
}

/**
 * Losses on one side: documents that the plan deletes, because the other side lacks them, and
 * documents whose content the plan replaces by blank content.
 */
type SideLosses = {
  readonly side: Side;
  readonly deleted: readonly UnapprovedStep[];
  /**
   * Folders that the plan removes. A safety check that stops the deletions also stops these
   * removals.
   */
  readonly folders: readonly UnapprovedStep[];
  readonly emptied: readonly UnapprovedStep[];
  /**
   * Documents that may become blank on this side, because nobody has read their new content yet.
   */
  readonly unread: readonly DocId[];
  readonly lossesBefore: number;
  /** Number of losses on this side that need no approval. */
  readonly limit: number;
  /** True if a safety check found the other side empty, and the user has not answered yet. */
  readonly wasFoundEmpty: boolean;
  readonly otherSide: OtherSideCounts;
};

/**
 * Numbers of recorded documents, which show whether the other side has lost all its documents.
 * `gone`, `present`: on the other side. `kept`: present documents that the plan does not delete.
 * `empty`: counts the documents that are blank in base.
 */
type OtherSideCounts = {
  readonly known: number;
  readonly gone: number;
  readonly present: number;
  readonly kept: number;
  readonly empty: () => number;
};

type LossesBySide = Readonly<Record<Side, SideLosses>>;

const DELETION_KINDS = { local: "trash-local", remote: "delete-remote" } as const satisfies Record<
  Side,
  Action["kind"]
>;

const IS_FOLDER_REMOVAL: Readonly<Record<Side, (action: Action) => boolean>> = {
  local: isRemovalOfRecorded,
  remote: ({ kind }) => kind === "remove-folder-remote",
};

const EMPTYING_TESTS: Readonly<Record<Side, (action: Action) => boolean>> = {
  local: (action) => isDownload(action) && action.empties === true,
  remote: (action) => action.kind === "put" && action.empties === true,
};

function findLosses(
  trees: Trees,
  limits: GuardLimits,
  signals: SafetySignals,
  steps: readonly Step[],
  counts: PresenceCounts,
  findUnapproved: FindSteps,
): LossesBySide {
  const { known } = counts;
  const unreadSteps = findUnapproved((action) => isDownload(action) && action.empties === undefined);
  const findLossesOn = (side: Side): SideLosses => {
    const oppositeSide = otherSide(side);
    const { present, gone } = counts[oppositeSide];
    const deletionsOnOther = steps.filter(
      ({ action }) => action.kind === DELETION_KINDS[oppositeSide] && isRecorded(trees.base, action),
    );
    return {
      side,
      deleted: findUnapproved(({ kind }) => kind === DELETION_KINDS[side]),
      folders: findUnapproved(IS_FOLDER_REMOVAL[side]),
      emptied: findUnapproved(EMPTYING_TESTS[side]),
      unread: side === "local" ? unreadSteps.map(({ index }) => (steps[index]!.action as DownloadAction).id) : [],
      lossesBefore: signals.lossesDone[side],
      limit: computeDeleteBudget(limits, known),
      wasFoundEmpty: signals.emptied.has(oppositeSide),
      otherSide: { known, gone, present, kept: present - deletionsOnOther.length, empty: () => countEmpty(trees.base) },
    };
  };
  return { local: findLossesOn("local"), remote: findLossesOn("remote") };
}

type DownloadAction = Extract<Action, { kind: "write-local" | "merge" | "settle-review" }>;

function isDownload(action: Action): action is DownloadAction {
  return action.kind === "write-local" || action.kind === "merge" || action.kind === "settle-review";
}

function isRecorded({ records }: BaseTree, action: Action): boolean {
  return "id" in action && records.get(action.id)?.state === "linked";
}

function countEmpty({ records }: BaseTree): number {
  let emptyCount = 0;
  for (const { digest, state } of records.values()) if (digest === EMPTY_DIGEST && state === "linked") emptyCount++;
  return emptyCount;
}

/**
 * Lists documents that must be read before the verdict; none if the plan would run even if all of
 * them were blank.
 */
function listDocumentsToRead(loss: SideLosses): readonly DocId[] {
  const { unread } = loss;
  const isStopped = isOverLimit(loss, unread.length) || isLosingAll(loss, unread.length);
  return unread.length > 0 && isStopped ? unread : [];
}

function judgeLosses({ local, remote }: LossesBySide): SafetyFinding[] {
  return [
    ...judgeAllGone(remote),
    ...judgeAllGone(local),
    ...[local, remote].flatMap(judgeLimit),
    ...[local, remote].flatMap(judgeEmptied),
  ];
}

const ALL_GONE_REASONS = { local: "remote-emptied", remote: "local-emptied" } as const satisfies Record<
  Side,
  StopReason
>;

/**
 * Stops the deletions on a side if the other side has no document left. The stop lasts until the
 * user answers, even if documents come back. The deletion of an only document needs no approval,
 * because two scans or the service confirmed its absence.
 */
function judgeAllGone(loss: SideLosses): SafetyFinding[] {
  const { side, deleted, folders, wasFoundEmpty } = loss;
  if (deleted.length === 0 || !(wasFoundEmpty || isLosingAll(loss))) return [];
  return [{ reason: ALL_GONE_REASONS[side], detail: describeAllGone(loss), steps: [...deleted, ...folders] }];
}

function judgeLimit(loss: SideLosses): SafetyFinding[] {
  const { side, deleted, folders } = loss;
  if (deleted.length === 0 || !isOverLimit(loss)) return [];
  return [{ reason: `delete-budget-${side}`, detail: describeDeletions(loss), steps: [...deleted, ...folders] }];
}

function judgeEmptied(loss: SideLosses): SafetyFinding[] {
  const { emptied } = loss;
  if (emptied.length === 0) return [];
  if (isOverLimit(loss)) return [{ reason: "emptied", detail: describeEmptied(loss), steps: emptied }];
  return isLosingAll(loss) ? [{ reason: "emptied", detail: describeAllEmptied(loss), steps: emptied }] : [];
}

function isOverLimit({ deleted, emptied, lossesBefore, limit }: SideLosses, further = 0): boolean {
  return lossesBefore + deleted.length + emptied.length + further > limit;
}

/**
 * Returns true if no document with content stays on the other side.
 * @param further number of documents that may become blank, in addition to the known blank
 * documents
 */
function isLosingAll({ emptied, otherSide }: SideLosses, further = 0): boolean {
  const { known, gone, kept, empty } = otherSide;
  const blankCount = emptied.length + further;
  if (known <= 1 || gone + blankCount === 0) return false;
  return kept - blankCount <= (blankCount === 0 ? 0 : empty());
}

/** Returns the number of deletions on one side that need no approval. */
export function computeDeleteBudget(limits: GuardLimits, known: number): number {
  return Math.max(limits.minDeletes, Math.min(Math.floor(limits.deleteShare * known), limits.maxDeletes));
}

const SIDE_WORDS = {
  local: { from: "the service", to: "the folder", place: "locally" },
  remote: { from: "the folder", to: "the service", place: "on the service" },
} as const;

function describeAllGone({ side, emptied, otherSide: { known, gone, present, kept } }: SideLosses): string {
  const { from, to } = SIDE_WORDS[side];
  const goneClause = `${plural(gone, "linked document is", "linked documents are")} gone from ${from}`;
  if (kept > 0 && emptied.length > 0) return `${goneClause}, and the other ${count(emptied.length)} became empty`;
  if (kept > 0) return `all linked documents were missing from ${from}, and ${plural(gone, "still is", "still are")}`;
  if (present > 0)
    return `${goneClause}, and the other ${plural(present, "is", "are")} gone from ${to}: this sync would leave ${from} without documents`;
  if (gone < known) return `${goneClause}, and the other ${count(known - gone)} could not be read`;
  return `${gone === 1 ? "the only linked document is" : `all ${count(gone)} linked documents are`} gone from ${from}`;
}

function describeAllEmptied({ side, emptied }: SideLosses): string {
  return `${plural(emptied.length, "document")} became empty ${SIDE_WORDS[otherSide(side)].place}, and no other document on that side has content`;
}

const REMOVAL_CLAUSES = {
  remote: "this sync would delete NN on the service",
  local: "this sync would move NN to the local trash",
} as const;

function describeDeletions({ side, deleted, emptied, lossesBefore, limit }: SideLosses): string {
  const documents = plural(deleted.length, "document");
  const emptiedClause = emptied.length === 0 ? "" : ` and empty ${count(emptied.length)}`;
  const earlierClause = lossesBefore === 0 ? "" : `, after ${count(lossesBefore)} within the last hour`;
  return `${REMOVAL_CLAUSES[side].replace("NN", documents)}${emptiedClause}${earlierClause} (limit: ${count(limit)})`;
}

function describeEmptied({ side, deleted, emptied, lossesBefore, limit }: SideLosses): string {
  const pendingClause = `this sync would empty ${plural(emptied.length, "document")}`;
  const deletedClause = deleted.length === 0 ? "" : ` and delete ${count(deleted.length)}`;
  const earlierClause = lossesBefore === 0 ? "" : `, after ${count(lossesBefore)} within the last hour`;
  return `${pendingClause} ${SIDE_WORDS[side].place}${deletedClause}${earlierClause} (limit: ${count(limit)})`;
}
