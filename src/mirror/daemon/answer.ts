/** Answers the requests that commands send to the daemon about one folder. */

import type { Daemon } from "../engine/daemon/daemon.ts";
import type { ControlRequest, DaemonStatus } from "./control/protocol.ts";
import { readErrorCode, errnoClause, ok, type Result, type Trouble, trouble } from "../../common/trouble.ts";
import { NO_STANDSTILL, makeWaitReport, type UploadStandstill } from "../operations/results/waited.ts";

/**
 * Returns true if the daemon is paused. During a run that a command requested, the phase shows the
 * run, not the pause. The daemon is then paused if it has neither a next poll nor a retry.
 */
function isPaused(daemon: Pick<Daemon, "status">): boolean {
  const { phase, nextPollAt, retryAt } = daemon.status();
  return (phase.kind === "waiting" && phase.why === "paused") || (nextPollAt === null && retryAt === null);
}

/** @param daemon null if the folder is closed */
export function makeFolderStatus(
  common: Pick<DaemonStatus, "pid" | "since" | "stillMs" | "requests" | "traffic">,
  daemon: Daemon | null,
  { lentTo, closedBy }: { readonly lentTo: string | null; readonly closedBy: string },
): DaemonStatus {
  const loopStatus = daemon?.status() ?? null;
  const inSyncAsOf = loopStatus?.inSyncAsOf ?? null;
  if (lentTo !== null) return { ...common, inSyncAsOf, phase: "lent", detail: `to mdmirror ${lentTo}`, paused: false };
  if (daemon === null || loopStatus === null)
    return { ...common, inSyncAsOf, phase: "closed", detail: closedBy, paused: false };
  const { phase, eventStream, pausedUntil } = loopStatus;
  const detail = "detail" in phase ? phase.detail : "";
  const status: DaemonStatus = {
    ...common,
    inSyncAsOf,
    eventStream,
    phase: phase.kind,
    detail,
    paused: isPaused(daemon),
  };
  return pausedUntil === null ? status : { ...status, pausedUntil };
}

export function refuseLentFolder(root: string, what: string): Result<never> {
  return trouble("locked", `${root} is in use by mdmirror ${what}`, "wait for that command or end it, then try again");
}

export async function performRequest(
  daemon: Daemon,
  request: Extract<ControlRequest, { do: "wait" | "pause" | "resume" }>,
  gone: AbortSignal,
): Promise<Result<object>> {
  if (request.do === "wait") return waitUntilSynced(daemon, request, gone);
  const forMs = request.do === "pause" ? request.forMs : undefined;
  // If the old or the new pause has an end, the request changes something, even if the daemon is
  // already paused.
  const hasEnd = forMs !== undefined || daemon.status().pausedUntil !== null;
  const changesPause = hasEnd || isPaused(daemon) === (request.do === "resume");
  if (request.do === "pause") await daemon.request("pause", forMs);
  else if (changesPause) await endPause(daemon);
  return ok({ changed: changesPause });
}

/** Resolves when the pause has ended, without waiting for the run that follows it. */
async function endPause(daemon: Pick<Daemon, "request" | "status" | "onEvent">): Promise<void> {
  const pauseEnded = Promise.withResolvers<void>();
  const unsubscribe = daemon.onEvent((event) => {
    if (event.kind === "phase" && event.phase.kind === "idle" && !isPaused(daemon)) pauseEnded.resolve();
  });
  await Promise.race([daemon.request("resume"), pauseEnded.promise]).finally(unsubscribe);
}

export function refuseEndingDaemon(root: string): ReturnType<typeof trouble> {
  return trouble("fault", `the daemon of ${root} is ending`, "run the command again");
}

export function describeErrorCode(error: unknown): string {
  const code = readErrorCode(error);
  return code === null ? " by an error in mdmirror itself" : `: ${errnoClause(error)} (${code})`;
}

/** @param reason why the folder is closed; null if the daemon is ending */
export function refuseClosedFolder(root: string, reason: Trouble | null): Result<object> {
  return reason === null ? refuseEndingDaemon(root) : trouble("fault", reason.what, reason.next);
}

const RETRY_MS = { first: 2_000, most: 300_000 } as const;

/** Returns the milliseconds before the folder is opened again after this number of failures. */
export function computeRetryMs(failures: number): number {
  return Math.min(RETRY_MS.most, RETRY_MS.first * 2 ** Math.min(failures, 16));
}

/** LIMIT: longest delay of a timer in Node, in milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Answers when the awaited local content is on the service, or when the time limit has passed. */
async function waitUntilSynced(
  daemon: Pick<Daemon, "whenSynced" | "status">,
  { paths, timeoutMs }: Extract<ControlRequest, { do: "wait" }>,
  gone: AbortSignal,
): Promise<Result<object>> {
  const timeout = AbortSignal.timeout(Math.min(Math.ceil(timeoutMs), LONGEST_TIMER_MS));
  const barrierEnd = await daemon.whenSynced(paths, AbortSignal.any([timeout, gone]));
  return makeWaitReport(barrierEnd, readStandstill(daemon));
}

function readStandstill(daemon: Pick<Daemon, "status">): UploadStandstill {
  const { phase } = daemon.status();
  if (isPaused(daemon)) return { kind: "paused", detail: "the daemon is paused" };
  if (phase.kind === "stopped") return { kind: "stopped", detail: phase.detail };
  return phase.kind === "waiting" ? { kind: "offline", detail: phase.detail } : NO_STANDSTILL;
}
