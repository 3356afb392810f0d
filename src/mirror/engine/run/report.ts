/** Makes the report of a run, which `sync --json` prints and the summary line describes. */

import { type Reason, listActionsOfStop } from "../../planner/verdict/stops.ts";
import { type Action, type Outcome, getSubject } from "../../model/action.ts";
import { type BlockReason, hasOpenWork, needsUser } from "../../model/block.ts";
import type { Block } from "../../model/record.ts";
import { isBelow, type LocalPath } from "../../../contract/path.ts";
import type { LocalRename, Plan, Verdict } from "../../planner/plan-types.ts";
import { ENDS_A_RUN, type Fault } from "../../ports/remote.ts";
import type { UnsyncedEntry, LocalTree, Trees } from "../../model/tree.ts";
import type { StepEnd } from "./execute.ts";
import type { InertLinks } from "../links/mirror-links.ts";
import type { MovedOutOfWay, CycleEnd } from "./cycle-context.ts";
import type { Counts } from "./world.ts";
import { compareByPath, comparePaths } from "../../model/by-path.ts";
import { plural } from "../../../common/quantities.ts";

/** Cause of a reported problem: the reason of a block, or a cause without a block. */
type ProblemCause =
  | BlockReason
  | "listing-misread"
  | "listing-cut-short"
  | "unfinished"
  | "unproven"
  | "later"
  | "uncertain";

export type SyncProblem = {
  /** Path with the problem; "" for the whole linked folder. */
  readonly path: LocalPath;
  readonly kind: ProblemCause;
  readonly code: string | null;
  readonly detail: string;
  readonly requestId: string | null;
  /**
   * Subject of a refusal that is not about content. `name`: a name or path. `step`: one step that
   * blocks nothing.
   */
  readonly refused?: "name" | "step";
  /** True if the problem ends by itself. The user need not act, but the sides differ until then. */
  readonly waits: boolean;
};

export type RunReport = {
  /**
   * State at the end of the run.
   * - `in-sync`: both sides were scanned completely, and no change or problem is left. Another run
   *   would do nothing.
   * - `attention`: the list `attention` has problems.
   */
  readonly state: "in-sync" | "attention" | "stopped" | "offline";
  readonly run: number;
  readonly cycles: number;
  readonly counts: Counts & { readonly blocked: number };
  readonly attention: readonly SyncProblem[];
  /** Problems in `attention` that no block causes. */
  readonly beside: readonly SyncProblem[];
  /**
   * Files that were renamed because the service has another document with their name. Reported
   * once.
   */
  readonly renamed?: readonly LocalRename[];
  /** User's files that were moved because a conflict copy needed the path. Reported once. */
  readonly movedOutOfWay?: readonly MovedOutOfWay[];
  /** Uploaded links that lead to no document; undefined if there are none. */
  readonly inert?: readonly InertLinks[];
  /** Changes that stay on their side because the sync has one direction. Reported once. */
  readonly oneWay?: readonly Pick<Block, "path" | "detail">[];
  /** True if the run was stopped, so some steps may not have started; otherwise undefined. */
  readonly isStopped?: true;
  readonly safetyStop: Extract<Verdict, { kind: "safety-stop" }> | null;
  /**
   * Reasons of the stop that is expected when the delayed deletions are due; undefined without such
   * reasons.
   */
  readonly expectedStopReasons?: readonly Reason[];
  /**
   * Actions that a safety check stopped, in the plan's order. An approval runs these actions; a
   * rejection undoes their causes.
   */
  readonly stopped: readonly Action[];
  /**
   * Number of local files and folders that are never synced, by kind; null if nothing was scanned.
   */
  readonly staysLocal: Readonly<Partial<Record<UnsyncedEntry["kind"], number>>> | null;
  readonly fault: Fault | null;
};

/**
 * @param blocks blocks in the state after the run
 * @param hasMore true if another cycle would change something
 */
export function makeReport(
  blocks: readonly Block[],
  run: number,
  cycles: number,
  counts: Counts,
  end: CycleEnd,
  hasMore: boolean,
): RunReport {
  const fields = { run, cycles, counts: { ...counts, blocked: blocks.length }, stopped: [] };
  if (end.kind === "offline") {
    const attention = listProblems(blocks, []);
    return { ...fields, state: "offline", attention, beside: [], safetyStop: null, staysLocal: null, fault: end.fault };
  }
  const { plan, trees, ends, expectedStopReasons } = end;
  const connectionFault = findConnectionFault(ends);
  const otherProblems = [
    ...listScanProblems(trees, plan, blocks),
    ...listStepProblems(plan, ends),
    ...(connectionFault === null && end.isStopped !== true ? listUnfinishedProblems(plan, ends, hasMore) : []),
    ...(end.isStopped === true ? listStoppedProblems(ends) : []),
  ];
  const attention = listProblems(blocks, otherProblems);
  const staysLocal = trees.local.unseen.has("") ? null : countUnsynced(trees.local);
  const stopField = end.isStopped === true ? ({ isStopped: true } as const) : {};
  const stopReasonField = expectedStopReasons === undefined ? {} : { expectedStopReasons };
  const scannedFields = { ...fields, ...stopField, ...stopReasonField, attention, beside: otherProblems, staysLocal };
  const { verdict } = plan;
  if (verdict.kind === "safety-stop") {
    const stoppedActions = listActionsOfStop(verdict, plan.steps);
    return { ...scannedFields, state: "stopped", stopped: stoppedActions, safetyStop: verdict, fault: null };
  }
  if (connectionFault !== null) return { ...scannedFields, state: "offline", safetyStop: null, fault: connectionFault };
  return { ...scannedFields, state: attention.length > 0 ? "attention" : "in-sync", safetyStop: null, fault: null };
}

type LaterCause = Extract<Fault, { kind: "later" }>["cause"];
type LockoutCode = Extract<Fault, { kind: "locked-out" }>["code"];

function isLaterCause(code: string): code is LaterCause {
  return ENDS_A_RUN.has(code);
}

function isLockoutCode(code: string): code is LockoutCode {
  return code === "unauthenticated" || code === "workspace_not_found";
}

/**
 * Returns the fault that ended the connection to the service during the steps; null without such a
 * fault.
 */
export function findConnectionFault(ends: readonly StepEnd[]): Fault | null {
  for (const end of ends) {
    if (end.kind !== "ran" || end.outcome.kind !== "later" || !end.outcome.unreachable) continue;
    const { code, detail, requestId } = end.outcome;
    if (isLockoutCode(code)) return { kind: "locked-out", code, detail, requestId };
    return { kind: "later", detail, requestId, cause: isLaterCause(code) ? code : "unreachable" };
  }
  return null;
}

export function makeBlockProblem(block: Block): SyncProblem {
  return {
    path: block.path,
    kind: block.reason,
    code: block.code,
    detail: block.detail,
    requestId: block.requestId,
    ...(isRefusedName(block) ? { refused: "name" } : {}),
    waits: !needsUser(block.reason),
  };
}

function isRefusedName({ reason, digest, changeId }: Block): boolean {
  return reason === "refused" && digest === null && changeId === null;
}

export function countUnsynced(local: LocalTree): Partial<Record<UnsyncedEntry["kind"], number>> {
  const counts: Partial<Record<UnsyncedEntry["kind"], number>> = {};
  for (const { kind } of local.others.values()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/**
 * Returns all open problems, sorted by path: the problems of blocks, and `beside`.
 * @param beside problems that no block causes
 */
export function listProblems(blocks: readonly Block[], beside: readonly SyncProblem[]): readonly SyncProblem[] {
  const blockProblems = blocks.filter(({ reason }) => hasOpenWork(reason)).map(makeBlockProblem);
  return [...blockProblems, ...beside].toSorted((a, b) => compareByPath(a, b) || comparePaths(a.kind, b.kind));
}

/**
 * Returns a problem for each failed part of a scan. Leaves out paths with a block, because the
 * report has the block.
 */
export function listScanProblems({ local, remote }: Trees, { verdict }: Plan, blocks: readonly Block[]): SyncProblem[] {
  const problems: SyncProblem[] = [];
  const { misread, cutShort } = remote;
  // mdmirror uses the documents of an incomplete listing, but such a listing proves no deletion
  // (I20).
  if (misread !== undefined)
    problems.push({ ...NO_REQUEST_FIELDS, path: "", kind: "listing-misread", detail: misread });
  if (cutShort !== undefined && misread === undefined) problems.push(makeWaitingProblem("listing-cut-short", cutShort));
  for (const [path, { kind, why }] of local.unseen) {
    // Two problems of the whole folder are not reported. A stop reports one of them better. The
    // other says that a program is still writing files, and the next scan follows soon.
    const isReportedByStop = path === "" && (kind === "still-being-written" || verdict.kind === "safety-stop");
    if (isReportedByStop || isReported(path, blocks)) continue;
    problems.push({ ...NO_REQUEST_FIELDS, path, kind, detail: why, waits: !needsUser(kind) });
  }
  return problems;
}

function isReported(path: LocalPath, blocks: readonly Block[]): boolean {
  return blocks.some(
    (block) =>
      hasOpenWork(block.reason) && (block.path === path || isBelow(block.path, path) || isBelow(path, block.path)),
  );
}

const NO_REQUEST_FIELDS = { code: null, requestId: null, waits: false } as const;

/** Returns a problem of the whole linked folder that ends by itself. */
export function makeWaitingProblem(kind: ProblemCause, detail: string): SyncProblem {
  return { ...NO_REQUEST_FIELDS, path: "", kind, detail, waits: true };
}

function listStepProblems(plan: Plan, ends: readonly StepEnd[]): SyncProblem[] {
  const problems: SyncProblem[] = [];
  for (const [index, end] of ends.entries()) {
    if (end.kind === "skipped" || end.outcome.kind === "done") continue;
    const problem = findOutcomeProblem(end.outcome, getSubject(plan.steps[index]!.action).path);
    if (problem !== null) problems.push(problem);
  }
  return problems;
}

/**
 * Returns problems for the work that is left after the last allowed cycle. Work is left if the
 * sides kept changing.
 * @param hasMore true if another cycle would change something
 */
function listUnfinishedProblems(plan: Plan, ends: readonly StepEnd[], hasMore: boolean): SyncProblem[] {
  const problems: SyncProblem[] = [];
  for (const [index, end] of ends.entries()) {
    if (end.kind === "skipped" || end.outcome.kind !== "stale") continue;
    const { path } = getSubject(plan.steps[index]!.action);
    problems.push({ ...NO_REQUEST_FIELDS, path, kind: "unfinished", detail: end.outcome.detail });
  }
  if (problems.length > 0 || !hasMore) return problems;
  return [makeWaitingProblem("unfinished", "the run ended early")];
}

/** Returns a problem if the run was stopped. Even if all steps started, the sides may differ. */
function listStoppedProblems(ends: readonly StepEnd[]): SyncProblem[] {
  const skippedCount = ends.filter((end) => end.kind === "skipped" && end.why === "stopped").length;
  const detail =
    skippedCount === 0
      ? "the run was stopped"
      : `the run was stopped before it made ${plural(skippedCount, "more change")}`;
  return [makeWaitingProblem("unfinished", detail)];
}

function findOutcomeProblem(outcome: Outcome, path: LocalPath): SyncProblem | null {
  if (outcome.kind === "refused" && outcome.block === null) {
    const { code, detail, requestId } = outcome;
    return { ...NO_REQUEST_FIELDS, path, kind: "refused", code, detail, requestId, refused: "step" };
  }
  if (outcome.kind === "later" && !outcome.unreachable) {
    const { code, detail, requestId } = outcome;
    return { ...NO_REQUEST_FIELDS, path, kind: "later", code, detail, requestId };
  }
  if (outcome.kind === "uncertain") {
    const { detail, requestId } = outcome;
    return { ...NO_REQUEST_FIELDS, path, kind: "uncertain", detail, requestId };
  }
  return null;
}
