/**
 * Safety checks on losses. A loss is a document that the plan deletes on a side, because it is
 * missing on the other side. Content that the plan replaces by blank content counts in the same
 * way.
 */

import type { DocId } from "../../../contract/ids.ts";
import type { Action, Step } from "../../model/action.ts";
import { EMPTY_DIGEST } from "../../../contract/digest.ts";
import type { GuardLimits } from "../../model/policy.ts";
import type { BaseTree, Trees } from "../../model/tree.ts";
import { otherSide, type Side } from "../match/row.ts";
import type { StopReason, Signals } from "../plan-types.ts";
import { type Finding, type GuardedStep, isRemovalOfKnown, type PresenceCounts, unapprovedSteps } from "./stops.ts";

/** Losses on one side that the user has not approved yet. */
type Loss = {
  readonly side: Side;
  readonly deleted: readonly GuardedStep[];
  /**
   * Folders that the plan removes. If a safety check stops the deletions of documents, it also
   * stops these.
   */
  readonly folders: readonly GuardedStep[];
  readonly emptied: readonly GuardedStep[];
  /** Documents that may become blank on this side. The plan does not know their new content yet. */
  readonly unread: readonly DocId[];
  /** Number of losses on this side in the last hour; these count towards the limit. */
  readonly lossesBefore: number;
  /** Number of losses that need no approval. */
  readonly limit: number;
  /**
   * True if an earlier safety check found no document on the other side, and the user has not
   * answered yet.
   */
  readonly wasFoundEmpty: boolean;
  readonly otherSide: OtherSide;
};

/** Numbers of documents on the other side, where the deletions and edits came from. */
type OtherSide = {
  readonly known: number;
  /** Number of recorded documents that are missing on the other side. */
  readonly gone: number;
  readonly present: number;
  /** Number of documents that the other side has after this plan. */
  readonly kept: number;
  /**
   * Returns the number of documents that were already empty in base, so that they cannot lose
   * content.
   */
  readonly empty: () => number;
};

type Losses = Readonly<Record<Side, Loss>>;

const DELETION = { local: "trash-local", remote: "delete-remote" } as const satisfies Record<Side, Action["kind"]>;

const FOLDER_REMOVAL: Readonly<Record<Side, (action: Action) => boolean>> = {
  local: isRemovalOfKnown,
  remote: ({ kind }) => kind === "remove-folder-remote",
};

const EMPTYING: Readonly<Record<Side, (action: Action) => boolean>> = {
  local: (action) => takesText(action) && action.empties === true,
  remote: (action) => action.kind === "put" && action.empties === true,
};

export function lossesOf(
  trees: Trees,
  limits: GuardLimits,
  signals: Signals,
  steps: readonly Step[],
  counts: PresenceCounts,
): Losses {
  const { known } = counts;
  const find = (matches: (action: Action) => boolean) => unapprovedSteps(steps, signals, matches);
  const lossOf = (side: Side): Loss => {
    const other = otherSide(side);
    const { present, gone } = counts[other];
    const leaving = steps.filter(({ action }) => action.kind === DELETION[other] && isRecorded(trees.base, action));
    return {
      side,
      deleted: find(({ kind }) => kind === DELETION[side]),
      folders: find(FOLDER_REMOVAL[side]),
      emptied: find(EMPTYING[side]),
      unread: side === "local" ? unreadOf(steps, signals) : [],
      lossesBefore: signals.lossesDone[side],
      limit: deleteBudget(limits, known),
      wasFoundEmpty: signals.emptied.has(other),
      otherSide: { known, gone, present, kept: present - leaving.length, empty: () => countEmpty(trees.base) },
    };
  };
  return { local: lossOf("local"), remote: lossOf("remote") };
}

function unreadOf(steps: readonly Step[], signals: Signals): DocId[] {
  const unread = unapprovedSteps(steps, signals, (action) => takesText(action) && action.empties === undefined);
  return unread.map(({ index }) => (steps[index]!.action as TakingText).id);
}

type TakingText = Extract<Action, { kind: "write-local" | "merge" | "settle-review" }>;

function takesText(action: Action): action is TakingText {
  return action.kind === "write-local" || action.kind === "merge" || action.kind === "settle-review";
}

function isRecorded({ records }: BaseTree, action: Action): boolean {
  return "id" in action && records.get(action.id)?.state === "linked";
}

function countEmpty({ records }: BaseTree): number {
  let empty = 0;
  for (const { digest, state } of records.values()) if (digest === EMPTY_DIGEST && state === "linked") empty++;
  return empty;
}

/**
 * Returns the documents whose new content must be read before the verdict is final. Returns none if
 * even blank contents could not cause a stop.
 */
export function mustRead(loss: Loss): readonly DocId[] {
  const { unread } = loss;
  const isStopped = isOverLimit(loss, unread.length) || isLosingAll(loss, unread.length);
  return unread.length > 0 && isStopped ? unread : [];
}

export function judgeLosses({ local, remote }: Losses): Finding[] {
  return [
    ...judgeAllGone(remote),
    ...judgeAllGone(local),
    ...[local, remote].flatMap(judgeLimit),
    ...[local, remote].flatMap(judgeEmptied),
  ];
}

const ALL_GONE = { local: "remote-emptied", remote: "local-emptied" } as const satisfies Record<Side, StopReason>;

/**
 * Stops the deletions on a side if the other side has no document left. The stop remains, even if
 * documents come back, until the user answers. If only one document is recorded, the deletion needs
 * no approval, because its absence was confirmed by two scans or by the service.
 */
function judgeAllGone(loss: Loss): Finding[] {
  const { side, deleted, folders, wasFoundEmpty } = loss;
  if (deleted.length === 0 || !(wasFoundEmpty || isLosingAll(loss))) return [];
  return [{ reason: ALL_GONE[side], detail: allGoneText(loss), steps: [...deleted, ...folders] }];
}

function judgeLimit(loss: Loss): Finding[] {
  const { side, deleted, folders } = loss;
  if (deleted.length === 0 || !isOverLimit(loss)) return [];
  return [{ reason: `delete-budget-${side}`, detail: deletedText(loss), steps: [...deleted, ...folders] }];
}

function judgeEmptied(loss: Loss): Finding[] {
  const { emptied } = loss;
  if (emptied.length === 0) return [];
  if (isOverLimit(loss)) return [{ reason: "emptied", detail: emptiedText(loss), steps: emptied }];
  return isLosingAll(loss) ? [{ reason: "emptied", detail: allEmptiedText(loss), steps: emptied }] : [];
}

/**
 * Returns true if this run loses more than the limit allows.
 * @param further number of documents that may become blank in addition
 */
function isOverLimit({ deleted, emptied, lossesBefore, limit }: Loss, further = 0): boolean {
  return lossesBefore + deleted.length + emptied.length + further > limit;
}

/**
 * Returns true if the other side keeps no document with content.
 * @param further number of documents that may become blank in addition
 */
function isLosingAll({ emptied, otherSide }: Loss, further = 0): boolean {
  const { known, gone, kept, empty } = otherSide;
  const blank = emptied.length + further;
  if (known <= 1 || gone + blank === 0) return false;
  return kept - blank <= (blank === 0 ? 0 : empty());
}

/**
 * Returns the number of deletions on one side that need no approval.
 * @param known number of recorded documents
 */
export function deleteBudget(limits: GuardLimits, known: number): number {
  return Math.max(limits.minDeletes, Math.min(Math.floor(limits.deleteShare * known), limits.maxDeletes));
}

const OTHER_SIDE = {
  local: { from: "the service", to: "the folder" },
  remote: { from: "the folder", to: "the service" },
} as const;

function allGoneText({ side, emptied, otherSide: { known, gone, present, kept } }: Loss): string {
  const { from, to } = OTHER_SIDE[side];
  if (kept > 0 && emptied.length > 0)
    return `${documentsText(gone)} gone from ${from}, and the other ${emptied.length} became empty`;
  if (kept > 0) return `all linked documents were missing ${from}, and ${gone} still are`;
  if (present > 0)
    return `${documentsText(gone)} gone from ${from}, and the other ${present} are gone from ${to}: this sync would leave ${from} without documents`;
  if (gone === known) return `all ${gone} linked documents are gone from ${from}`;
  return `${documentsText(gone)} gone from ${from}, and none of the other ${known - gone} could be read`;
}

function documentsText(count: number): string {
  return `${count} linked ${count === 1 ? "document is" : "documents are"}`;
}

function allEmptiedText({ side, emptied }: Loss): string {
  const documents = emptied.length === 1 ? "1 document" : `${emptied.length} documents`;
  const where = side === "remote" ? "locally" : "on the service";
  return `${documents} became empty ${where}, and no other document on that side has content`;
}

const REMOVED_WORDS = {
  remote: "this sync would delete NN on the service",
  local: "this sync would move NN to the local trash",
} as const;
const SIDE_WORDS = { remote: "on the service", local: "locally" } as const;

function deletedText({ side, deleted, emptied, lossesBefore, limit }: Loss): string {
  const documents = `${deleted.length} ${deleted.length === 1 ? "document" : "documents"}`;
  const emptiedClause = emptied.length === 0 ? "" : ` and empty ${emptied.length}`;
  const earlier = lossesBefore === 0 ? "" : `, after ${lossesBefore} within the last hour`;
  return `${REMOVED_WORDS[side].replace("NN", documents)}${emptiedClause}${earlier} (limit: ${limit})`;
}

function emptiedText({ side, deleted, emptied, lossesBefore, limit }: Loss): string {
  const pending = `this sync would empty ${emptied.length} ${emptied.length === 1 ? "document" : "documents"}`;
  const deletedClause = deleted.length === 0 ? "" : ` and delete ${deleted.length}`;
  const earlier = lossesBefore === 0 ? "" : `, after ${lossesBefore} within the last hour`;
  return `${pending} ${SIDE_WORDS[side]}${deletedClause}${earlier} (limit: ${limit})`;
}
