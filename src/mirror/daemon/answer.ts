import type { Daemon } from "../engine/daemon/daemon.ts";
import type { Clock } from "../../common/clock.ts";
import type { ControlCall, CallResult } from "./control/listen.ts";
import { boundReport, type ControlRequest, type DaemonStatus } from "./control/protocol.ts";
import { errorCodeOf, errnoClause, type Trouble, trouble } from "../../common/trouble.ts";
import { forgetStoppedLimit, type RunReport } from "../folder/run.ts";
import type { OpenedDaemon } from "./open-daemon.ts";
import { NO_STANDSTILL, reportOfWait, type Standstill } from "../operations/results/waited.ts";
import { setTimeout as wait } from "node:timers/promises";

/** Answers requests of commands about one folder. */

const CHECK_EVERY_MS = 100;
const ALIVE_EVERY_MS = 2_000;
/** LIMIT: milliseconds that a `sync` waits for delayed changes, above all for delayed deletions. */
const DELAY_NOTICE_MS = 45_000;

/**
 * Runs `sync` for a command. A person who runs a command wants both sides to be equal. So after the
 * run it waits for changes that the daemon delays: recently saved files, and deletions. All runs in
 * that time become one report.
 */
async function syncNow(
  daemon: Pick<Daemon, "request" | "status" | "onEvent">,
  clock: Clock,
  { gone, beat }: ControlCall,
): Promise<RunReport> {
  const runs = new Map<number, RunReport>();
  const off = daemon.onEvent((event) => {
    if (event.kind === "run") runs.set(event.report.run, event.report);
  });
  try {
    const until = clock.monotonic() + DELAY_NOTICE_MS;
    let isReported = false;
    let last = await daemon.request("sync");
    runs.set(last.run, last);
    while (delaysChanges(daemon, last) && clock.monotonic() < until && !gone.aborted) {
      do {
        const { pendingDeletions } = daemon.status();
        // A saved file has been unchanged for long enough within a moment, which needs no message.
        if (!isReported && pendingDeletions.length > 0) {
          isReported = true;
          beat({ deletions: pendingDeletions.length });
        }
        await wait(CHECK_EVERY_MS);
      } while (delaysChanges(daemon, daemon.status().lastReport ?? last) && clock.monotonic() < until && !gone.aborted);
      // A full scan plans the delayed changes again, because they may have changed meanwhile.
      last = await daemon.request("rescan");
      runs.set(last.run, last);
    }
    return { ...last, counts: sumOf([...runs.values()], last) };
  } finally {
    off();
  }
}

function delaysChanges(daemon: Pick<Daemon, "status">, last: RunReport): boolean {
  const { phase, dirty, pendingDeletions } = daemon.status();
  // If the service is unreachable, the daemon is paused or a safety check stops deletions, waiting
  // has no use. The report lists these deletions.
  if (last.state === "offline" || isPaused(daemon)) return false;
  if (phase.kind === "observing" || phase.kind === "applying" || dirty.count > 0) return true;
  return last.state !== "stopped" && pendingDeletions.length > 0;
}

/** Returns true if a daemon neither polls nor retries. A manual run has another phase. */
function isPaused(daemon: Pick<Daemon, "status">): boolean {
  const { phase, nextPollAt, retryAt } = daemon.status();
  return (phase.kind === "waiting" && phase.why === "paused") || (nextPollAt === null && retryAt === null);
}

function sumOf(runs: readonly RunReport[], last: RunReport): RunReport["counts"] {
  const sum = { ...last.counts };
  for (const { run, counts } of runs) {
    if (run === last.run) continue;
    for (const name of Object.keys(sum) as (keyof typeof sum)[]) if (name !== "blocked") sum[name] += counts[name];
  }
  return sum;
}

/** Returns the status of a folder. `daemon` is null if the folder is closed. */
export function folderStatus(
  common: Pick<DaemonStatus, "pid" | "since" | "stillMs" | "requests" | "traffic">,
  daemon: Daemon | null,
  { lentTo, closedBy }: { readonly lentTo: string | null; readonly closedBy: string },
): DaemonStatus {
  const seen = daemon?.status() ?? null;
  const inSyncAsOf = seen?.inSyncAsOf ?? null;
  if (lentTo !== null) return { ...common, inSyncAsOf, phase: "lent", detail: `to mdmirror ${lentTo}`, paused: false };
  if (daemon === null || seen === null)
    return { ...common, inSyncAsOf, phase: "closed", detail: closedBy, paused: false };
  const { phase, eventStream, pausedUntil } = seen;
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

type ServedFolder = {
  readonly root: string;
  /** Command that has kept the folder for too long; null if there is none. */
  readonly lentTo: () => string | null;
  /** True while the event loop makes progress. */
  readonly moves: () => boolean;
};

/**
 * Sends signs of life to the caller until the work is done or a command keeps the folder for too
 * long.
 */
export async function keepCallerWaiting(
  work: Promise<CallResult>,
  call: ControlCall,
  folder: ServedFolder,
): Promise<CallResult> {
  const busy = Promise.withResolvers<CallResult>();
  const beating = setInterval(() => {
    const what = folder.lentTo();
    if (what !== null) busy.resolve(refusedFor(folder.root, what));
    else if (folder.moves()) call.beat();
  }, ALIVE_EVERY_MS);
  try {
    return await Promise.race([work, busy.promise]);
  } finally {
    clearInterval(beating);
  }
}

function refusedFor(root: string, what: string): CallResult {
  const busy = trouble(
    "locked",
    `${root} is in use by mdmirror ${what}`,
    "wait for that command or end it, then try again",
  );
  return { kind: "refused", trouble: busy.trouble };
}

export async function carryOutRequest(
  { mirror, daemon }: OpenedDaemon,
  request: Extract<ControlRequest, { do: "sync" | "wait" | "pause" | "resume" }>,
  call: ControlCall,
  clock: Clock,
): Promise<CallResult> {
  if (request.do === "wait") return waitUntilSynced(daemon, request, call.gone);
  const { do: verb } = request;
  if (verb === "sync") {
    forgetStoppedLimit(mirror);
    const report = await syncNow(daemon, clock, call);
    return { kind: "done", value: { report: boundReport(report) } };
  }
  const forMs = request.do === "pause" ? request.forMs : undefined;
  // A pause replaces the previous one; if neither has an end, nothing changes.
  const hasEnd = forMs !== undefined || daemon.status().pausedUntil !== null;
  const changed = hasEnd || isPaused(daemon) === (verb === "resume");
  if (verb === "pause") await daemon.request("pause", forMs);
  else if (changed) await endPause(daemon);
  return { kind: "done", value: { changed } };
}

/** Resolves when the pause has ended. The run after the pause may take longer. */
async function endPause(daemon: Pick<Daemon, "request" | "status" | "onEvent">): Promise<void> {
  const resumed = Promise.withResolvers<void>();
  const off = daemon.onEvent((event) => {
    if (event.kind === "phase" && event.phase.kind === "idle" && !isPaused(daemon)) resumed.resolve();
  });
  await Promise.race([daemon.request("resume"), resumed.promise]).finally(off);
}

export function daemonEndsTrouble(root: string): Trouble {
  return trouble("fault", `the daemon of ${root} is ending`, "run the command again").trouble;
}

export function codeClause(error: unknown): string {
  const code = errorCodeOf(error);
  return code === null ? " by an error in mdmirror itself" : `: ${errnoClause(error)} (${code})`;
}

/** @param by reason why the folder is closed; null if the daemon is ending */
export function refuseClosedFolder(root: string, by: Trouble | null): CallResult {
  const { what, next } = by ?? daemonEndsTrouble(root);
  return { kind: "refused", trouble: { kind: "fault", what, next } };
}

const RETRY_MS = { first: 2_000, most: 300_000 } as const;

/** Returns the pause before the next opening after this many failures in a row, in milliseconds. */
export function retryMsAfter(failures: number): number {
  return Math.min(RETRY_MS.most, RETRY_MS.first * 2 ** Math.min(failures, 16));
}

/** LIMIT: longest timer of Node, in milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Answers `wait` once the local changes are on the service, or the time is over. */
async function waitUntilSynced(
  daemon: Pick<Daemon, "whenSynced" | "status">,
  { paths, timeoutMs }: Extract<ControlRequest, { do: "wait" }>,
  gone: AbortSignal,
): Promise<CallResult> {
  const timeout = AbortSignal.timeout(Math.min(Math.ceil(timeoutMs), LONGEST_TIMER_MS));
  const end = await daemon.whenSynced(paths, AbortSignal.any([timeout, gone]));
  const report = reportOfWait(end, standstillOf(daemon));
  return report.kind === "ok" ? { kind: "done", value: report.value } : { kind: "refused", trouble: report.trouble };
}

function standstillOf(daemon: Pick<Daemon, "status">): Standstill {
  const { phase } = daemon.status();
  if (isPaused(daemon)) return { kind: "paused", detail: "the daemon is paused" };
  if (phase.kind === "stopped") return { kind: "stopped", detail: phase.detail };
  return phase.kind === "waiting" ? { kind: "offline", detail: phase.detail } : NO_STANDSTILL;
}
