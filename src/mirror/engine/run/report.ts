/** The report of a run: the object of `sync --json`, from which the summary line is made. */

import { type Reason, actionsOfStop } from "../../planner/verdict/stops.ts";
import { type Action, type Outcome, subjectOf } from "../../model/action.ts";
import { type BlockReason, isOpen, needsUser } from "../../model/block.ts";
import type { Block } from "../../model/record.ts";
import { isBelow, type LocalPath } from "../../../contract/path.ts";
import type { RenamedForOther, Plan, Verdict } from "../../planner/plan-types.ts";
import { ENDS_A_RUN, type Fault } from "../../ports/remote.ts";
import type { LocalOther, LocalTree, Trees } from "../../model/tree.ts";
import type { StepEnd } from "./execute.ts";
import type { InertLinks } from "../links/inert.ts";
import type { MovedOutOfWay, CycleEnd } from "./cycle-context.ts";
import type { Counts } from "./world.ts";
import { byPath, comparePaths } from "../../model/by-path.ts";
import { plural } from "../../../common/count.ts";

/** Cause of an open problem: the reason of a blocked change, or a cause that blocks no change. */
type AttentionKind =
  | BlockReason
  | "listing-misread"
  | "listing-cut-short"
  | "unfinished"
  | "unproven"
  | "later"
  | "uncertain";

export type Attention = {
  /** Path of the problem; "" is the whole folder. */
  readonly path: LocalPath;
  readonly kind: AttentionKind;
  readonly code: string | null;
  readonly detail: string;
  readonly requestId: string | null;
  /**
   * Subject of the refusal, if `kind` is `refused`. `name`: a name or path. `step`: one step; the
   * document is not blocked. Undefined: the content.
   */
  readonly refused?: "name" | "step";
  /**
   * True if the problem ends by itself. The user need not act, but the sides differ until it ends.
   */
  readonly waits: boolean;
};

export type RunReport = {
  /**
   * `in-sync`: both sides were scanned completely, no change is left and no problem is open, so a
   * further run without new edits does nothing. `attention`: a problem is open, as listed in
   * `attention`.
   */
  readonly state: "in-sync" | "attention" | "stopped" | "offline";
  readonly run: number;
  readonly cycles: number;
  readonly counts: Counts & { readonly blocked: number };
  readonly attention: readonly Attention[];
  /** Problems of `attention` that no block causes. */
  readonly beside: readonly Attention[];
  /**
   * Local files that the run renamed because the service has another document of that name.
   * Reported once, because no problem is open.
   */
  readonly renamed?: readonly RenamedForOther[];
  /**
   * The user's files that the run renamed because a conflict copy needed their names. Reported
   * once.
   */
  readonly movedOutOfWay?: readonly MovedOutOfWay[];
  /** Links in uploaded content that lead to no document; undefined if there are none. */
  readonly inert?: readonly InertLinks[];
  /** Changes that stay on their side, because the sync has one direction. Reported once. */
  readonly oneWay?: readonly Pick<Block, "path" | "detail">[];
  /** True if the run was stopped before all steps had started; undefined if it was not. */
  readonly isStopped?: true;
  readonly safetyStop: Extract<Verdict, { kind: "safety-stop" }> | null;
  /**
   * Reasons for which the sync will stop when the delayed deletions are due. Undefined if it will
   * not.
   */
  readonly expectedStopReasons?: readonly Reason[];
  /** Actions that an approval carries out and a rejection undoes, in the order of the plan. */
  readonly stopped: readonly Action[];
  /** Number of local entries that are not synced, by kind. Null if the folder was not scanned. */
  readonly staysLocal: Readonly<Partial<Record<LocalOther["kind"], number>>> | null;
  readonly fault: Fault | null;
};

/**
 * Makes the report of a run.
 * @param blocks blocks of the state after the run
 * @param hasMore true if another cycle would have changes to carry out
 */
export function reportOf(
  blocks: readonly Block[],
  run: number,
  cycles: number,
  counts: Counts,
  end: CycleEnd,
  hasMore: boolean,
): RunReport {
  const common = { run, cycles, counts: { ...counts, blocked: blocks.length }, stopped: [] };
  if (end.kind === "offline") {
    const attention = attentionOf(blocks, []);
    return { ...common, state: "offline", attention, beside: [], safetyStop: null, staysLocal: null, fault: end.fault };
  }
  const { plan, trees, ends, expectedStopReasons } = end;
  const cut = faultThatCutOff(ends);
  const beside = [
    ...attentionOfScan(trees, plan, blocks),
    ...attentionOfSteps(plan, ends),
    ...(cut === null && end.isStopped !== true ? attentionOfUnfinished(plan, ends, hasMore) : []),
    ...(end.isStopped === true ? attentionOfStopped(ends) : []),
  ];
  const attention = attentionOf(blocks, beside);
  const staysLocal = trees.local.unseen.has("") ? null : countUnsynced(trees.local);
  const stopping = end.isStopped === true ? ({ isStopped: true } as const) : {};
  const expected = expectedStopReasons === undefined ? {} : { expectedStopReasons };
  const seen = { ...common, ...stopping, ...expected, attention, beside, staysLocal };
  const { verdict } = plan;
  if (verdict.kind === "safety-stop") {
    const stopped = actionsOfStop(verdict, plan.steps);
    return { ...seen, state: "stopped", stopped, safetyStop: verdict, fault: null };
  }
  if (cut !== null) return { ...seen, state: "offline", safetyStop: null, fault: cut };
  return { ...seen, state: attention.length > 0 ? "attention" : "in-sync", safetyStop: null, fault: null };
}

type Cause = Extract<Fault, { kind: "later" }>["cause"];
type Lockout = Extract<Fault, { kind: "locked-out" }>["code"];

function isCause(code: string): code is Cause {
  return ENDS_A_RUN.has(code);
}

function isLockout(code: string): code is Lockout {
  return code === "unauthenticated" || code === "workspace_not_found";
}

/** Returns the fault that cut the run off from the service in the middle of its steps. */
function faultThatCutOff(ends: readonly StepEnd[]): Fault | null {
  for (const end of ends) {
    if (end.kind !== "ran" || end.outcome.kind !== "later" || !end.outcome.unreachable) continue;
    const { code, detail, requestId } = end.outcome;
    if (isLockout(code)) return { kind: "locked-out", code, detail, requestId };
    return { kind: "later", detail, requestId, cause: isCause(code) ? code : "unreachable" };
  }
  return null;
}

export function attentionOfBlock(block: Block): Attention {
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

export function countUnsynced(local: LocalTree): Partial<Record<LocalOther["kind"], number>> {
  const counts: Partial<Record<LocalOther["kind"], number>> = {};
  for (const { kind } of local.others.values()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/**
 * Returns the open problems, by path: after a run for `sync`, and of the last run for `status`.
 * @param beside problems that no blocked change causes
 */
export function attentionOf(blocks: readonly Block[], beside: readonly Attention[]): readonly Attention[] {
  const open = blocks.filter(({ reason }) => isOpen(reason)).map(attentionOfBlock);
  return [...open, ...beside].toSorted((a, b) => byPath(a, b) || comparePaths(a.kind, b.kind));
}

/**
 * Returns the paths that a scan did not show, unless an open block reports them. Nothing is proven
 * about these paths.
 */
export function attentionOfScan({ local, remote }: Trees, { verdict }: Plan, blocks: readonly Block[]): Attention[] {
  const reported: Attention[] = [];
  const { misread, cutShort } = remote;
  // The entries that the list shows are used, but no entry counts as deleted because the list does
  // not show it (I20).
  if (misread !== undefined) reported.push({ ...NO_REQUEST, path: "", kind: "listing-misread", detail: misread });
  if (cutShort !== undefined && misread === undefined)
    reported.push({ ...NO_REQUEST, path: "", kind: "listing-cut-short", detail: cutShort, waits: true });
  for (const [path, { kind, why }] of local.unseen) {
    // If the problem concerns the whole folder, the stop is the better report. While the folder is
    // being written, it is scanned again soon.
    const isReportedByStop = path === "" && (kind === "still-being-written" || verdict.kind === "safety-stop");
    if (isReportedByStop || isReported(path, blocks)) continue;
    reported.push({ ...NO_REQUEST, path, kind, detail: why, waits: !needsUser(kind) });
  }
  return reported;
}

function isReported(path: LocalPath, blocks: readonly Block[]): boolean {
  return blocks.some(
    (block) => isOpen(block.reason) && (block.path === path || isBelow(block.path, path) || isBelow(path, block.path)),
  );
}

const NO_REQUEST = { code: null, requestId: null, waits: false } as const;

/** Returns the steps that failed and left no blocked change. */
function attentionOfSteps(plan: Plan, ends: readonly StepEnd[]): Attention[] {
  const reported: Attention[] = [];
  for (const [index, end] of ends.entries()) {
    if (end.kind === "skipped" || end.outcome.kind === "done") continue;
    const shown = attentionOfOutcome(end.outcome, subjectOf(plan.steps[index]!.action).path);
    if (shown !== null) reported.push(shown);
  }
  return reported;
}

/**
 * Returns the work that is left after the last allowed cycle: the sides kept changing, or the run
 * does not end.
 * @param hasMore true if another cycle would have changes to carry out
 */
function attentionOfUnfinished(plan: Plan, ends: readonly StepEnd[], hasMore: boolean): Attention[] {
  const reported: Attention[] = [];
  for (const [index, end] of ends.entries()) {
    if (end.kind === "skipped" || end.outcome.kind !== "stale") continue;
    const { path } = subjectOf(plan.steps[index]!.action);
    reported.push({ ...NO_REQUEST, path, kind: "unfinished", detail: end.outcome.detail });
  }
  if (reported.length > 0 || !hasMore) return reported;
  const detail = "the run ended early";
  return [{ ...NO_REQUEST, path: "", kind: "unfinished", detail, waits: true }];
}

/**
 * Returns a problem for a stopped run: the sides are not known to be equal, even if all steps had
 * started.
 */
function attentionOfStopped(ends: readonly StepEnd[]): Attention[] {
  const left = ends.filter((end) => end.kind === "skipped" && end.why === "stopped").length;
  const detail =
    left === 0 ? "the run was stopped" : `the run was stopped before it made ${plural(left, "more change")}`;
  return [{ ...NO_REQUEST, path: "", kind: "unfinished", detail, waits: true }];
}

function attentionOfOutcome(outcome: Outcome, path: LocalPath): Attention | null {
  if (outcome.kind === "refused" && outcome.block === null) {
    const { code, detail, requestId } = outcome;
    return { ...NO_REQUEST, path, kind: "refused", code, detail, requestId, refused: "step" };
  }
  if (outcome.kind === "later" && !outcome.unreachable) {
    const { code, detail, requestId } = outcome;
    return { ...NO_REQUEST, path, kind: "later", code, detail, requestId };
  }
  if (outcome.kind === "uncertain") {
    const { detail, requestId } = outcome;
    return { ...NO_REQUEST, path, kind: "uncertain", detail, requestId };
  }
  return null;
}
