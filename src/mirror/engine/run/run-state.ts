/**
 * Returns the status of a linked folder, from the stored results of runs. The last sync is the last
 * run with the state `in-sync`. If a later run ended with another state, the status has that state
 * and the time of the last sync.
 */

import type { Block } from "../../model/record.ts";
import { type StopReason, LOST_DOCUMENT_REASONS } from "../../planner/plan-types.ts";
import type { Fault } from "../../ports/remote.ts";
import type { State } from "../../ports/state.ts";
import { META } from "./meta.ts";
import { type SyncProblem, listProblems, makeWaitingProblem, type RunReport } from "./report.ts";
import type { World } from "./world.ts";

type LastRun = Pick<RunReport, "state" | "beside" | "fault" | "staysLocal"> & {
  /**
   * Address that mdmirror could not reach, perhaps not the configured address; null without a
   * failure.
   */
  readonly unreachedAddress: string | null;
};

export type RunState = {
  readonly state: "in-sync" | "attention" | "stopped" | "offline" | "never";
  /** Time of the last sync, in milliseconds since the epoch; null if there was none. */
  readonly syncedAt: number | null;
  readonly attention: readonly SyncProblem[];
  /** Reason why the last run did not reach the service; null if the run did. */
  readonly fault: Fault | null;
  /**
   * Address that the last run could not reach. Null if the run reached the service, or if an
   * earlier version of mdmirror ran.
   */
  readonly unreachedAddress: string | null;
  readonly safetyStop: {
    readonly reasons: readonly { readonly reason: StopReason; readonly detail: string }[];
    readonly approved: boolean;
  } | null;
  readonly staysLocal: RunReport["staysLocal"];
};

/** Stores a run's report and, if both sides are in sync, the time of the last sync. */
export function rememberReport(world: World, report: RunReport): void {
  const { state, clock } = world;
  rememberLastRun(world, report);
  if (report.state !== "in-sync") return;
  state.setMeta(META.syncedAt, String(clock.now()));
  forgetSent(state);
}

/**
 * Closes the journal rows of unanswered writes after a sync. If such content appears on the service
 * later, it counts as another user's edit.
 */
export function forgetSent(state: Pick<State, "intents" | "removeIntent">): void {
  for (const { intentId, intent } of state.intents()) if (intent.kind === "sent") state.removeIntent(intentId);
}

/**
 * Stores the last run. If the run did not scan the folder, keeps the earlier numbers of files that
 * are never synced (`staysLocal`).
 */
export function rememberLastRun(
  { state, address }: World,
  { state: ended, beside, fault, staysLocal }: RunReport,
): void {
  const storedReport = state.meta(META.lastReport);
  const localCounts = staysLocal ?? readLastRun(storedReport)?.staysLocal ?? null;
  const unreachedAddress = fault === null ? null : (address ?? null);
  const encodedReport = JSON.stringify({
    state: ended,
    beside,
    fault,
    staysLocal: localCounts,
    unreachedAddress,
  } satisfies LastRun);
  if (encodedReport !== storedReport) state.setMeta(META.lastReport, encodedReport);
}

/**
 * Stores that a command changed files locally. The status is not `in-sync` until a run has scanned
 * these files. After edits by other programs, the status stays that of the last run.
 * @param command name of the command, for the message
 */
export function rememberUnsent({ state }: Pick<World, "state">, command: string): void {
  const lastRun = readLastRun(state.meta(META.lastReport));
  if (lastRun?.state !== "in-sync") return;
  const unsentProblem = makeWaitingProblem("unproven", `the files that ${command} changed are not uploaded yet`);
  const updatedRun = { ...lastRun, state: "attention", beside: [...lastRun.beside, unsentProblem] } satisfies LastRun;
  state.setMeta(META.lastReport, JSON.stringify(updatedRun));
}

type RunStateFacts = {
  readonly meta: (key: string) => string | null;
  readonly blocks: readonly Block[];
  /** Newest run; null if no run exists, or if a daemon has not ended the newest run. */
  readonly newestRun: { readonly kind: string; readonly endedAt: number | null } | null;
};

export function makeRunState({ meta, blocks, newestRun }: RunStateFacts): RunState {
  const lastRun = readLastRun(meta(META.lastReport));
  const syncedAt = meta(META.syncedAt);
  const safetyStop = meta(META.safetyStop);
  const isApproved = meta(META.approved) !== null;
  const approvalProblems = isApproved && safetyStop === null ? [APPROVED_PROBLEM] : [];
  const problems = listProblems(blocks, [
    ...(lastRun?.beside ?? []),
    ...describeInterruptedRun(newestRun),
    ...approvalProblems,
  ]);
  const hadProblems = lastRun?.state === "attention" || (lastRun?.state === "stopped" && safetyStop === null);
  const attention = hadProblems && problems.length === 0 ? [UNPROVEN_PROBLEM] : problems;
  return {
    state: decideState(safetyStop !== null, lastRun, attention.length > 0, syncedAt !== null),
    syncedAt: syncedAt === null ? null : Number(syncedAt),
    attention,
    fault: lastRun?.state === "offline" ? lastRun.fault : null,
    unreachedAddress: lastRun?.state === "offline" ? lastRun.unreachedAddress : null,
    safetyStop: safetyStop === null ? null : { reasons: readStopReasons(safetyStop), approved: isApproved },
    staysLocal: lastRun?.staysLocal ?? null,
  };
}

function decideState(isStopped: boolean, last: LastRun | null, isOpen: boolean, wasSynced: boolean): RunState["state"] {
  if (isStopped) return "stopped";
  if (last?.state === "offline") return "offline";
  if (isOpen) return "attention";
  return wasSynced ? "in-sync" : "never";
}

const UNPROVEN_PROBLEM = makeWaitingProblem(
  "unproven",
  "a problem was fixed since the last run; no sync has checked it yet",
);

/**
 * Problem while approved changes are not carried out. Not reported if a stop reports the same
 * changes.
 */
const APPROVED_PROBLEM = makeWaitingProblem("unproven", "approved changes were not carried out yet");

function describeInterruptedRun(newest: RunStateFacts["newestRun"]): SyncProblem[] {
  if (newest === null || newest.endedAt !== null) return [];
  return [makeWaitingProblem("unfinished", `a run (${newest.kind}) was interrupted, or is still running`)];
}

function readLastRun(text: string | null): LastRun | null {
  if (text === null) return null;
  const defaults = { state: "in-sync", beside: [], fault: null, staysLocal: null, unreachedAddress: null } as const;
  return { ...defaults, ...(JSON.parse(text) as Partial<LastRun>) };
}

/**
 * Returns true if a safety check stopped the sync because documents of base are missing on the
 * service. After the user's approval, stays true until the approved changes are made.
 */
export function lacksDocuments(state: Pick<State, "meta">): boolean {
  const safetyStop = state.meta(META.safetyStop);
  if (safetyStop === null) return false;
  const approvedReasons = JSON.parse(state.meta(META.approved) ?? "[]") as StopReason[];
  return [...readStopReasons(safetyStop).map(({ reason }) => reason), ...approvedReasons].some((why) =>
    LOST_DOCUMENT_REASONS.has(why),
  );
}

function readStopReasons(safetyStop: string): NonNullable<RunState["safetyStop"]>["reasons"] {
  return (JSON.parse(safetyStop) as Pick<NonNullable<RunState["safetyStop"]>, "reasons">).reasons;
}
