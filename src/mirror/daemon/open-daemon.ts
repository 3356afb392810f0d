/** Opens a linked folder for the daemon, and carries out requests of commands. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Watcher } from "../ports/disk.ts";
import { type CreateDaemon, createDaemon } from "../engine/daemon/daemon.ts";
import type { Daemon, DaemonOptions, DaemonTiming } from "../engine/daemon/interface.ts";
import { createWatcher } from "../local/watch.ts";
import { CONFIG_FILE, MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { parseTime } from "../settings/settings.ts";
import { DAEMON_COMMAND } from "../folder/folder-lock.ts";
import { type MirrorOptions, type OpenedMirror, openMirror } from "../folder/open-mirror.ts";
import { chooseEditorWait, makeRunSettings, readGuardLimits, USUAL_RUN } from "../folder/run.ts";
import { errnoClause, ok, readErrorCode, type Result, type Trouble, trouble } from "../../common/trouble.ts";
import { readRootMarker } from "../trust/gate.ts";
import { findByMarker, locateRegistry } from "../trust/registry.ts";
import type { ControlRequest, DaemonStatus } from "./control/protocol.ts";
import { makeWaitReport, NO_STANDSTILL, type UploadStandstill } from "../operations/manual/wait.ts";

export type OpenedDaemon = {
  readonly mirror: OpenedMirror;
  readonly daemon: Daemon;
  /** When this controller aborts, the daemon closes the folder and opens the folder again. */
  readonly reopen: AbortController;
};

export type DaemonSetup = Omit<MirrorOptions, "mode" | "what" | "onExchange"> & {
  /** Replaces the engine's loop in tests. */
  readonly createDaemon?: CreateDaemon;
  readonly createWatcher?: (root: string) => Watcher;
  readonly timing?: Partial<DaemonTiming>;
};

/**
 * Opens a linked folder for the daemon, and takes the folder's lock.
 * @param dir path of a folder that has `.mdmirror/`
 */
export async function openDaemon(dir: string, options: DaemonSetup): Promise<Result<OpenedDaemon>> {
  const openResult = await openMirror(dir, { ...options, mode: "write", what: DAEMON_COMMAND });
  if (openResult.kind === "trouble") return openResult;
  const mirror = openResult.value;
  const watcher = (options.createWatcher ?? createWatcher)(mirror.root);
  const settings = {
    ...makeRunSettings(mirror, USUAL_RUN),
    handsOff: chooseEditorWait(mirror.config, "watch"),
    // The option `init --prefer` is valid until the first complete run, so each run reads the
    // option again.
    get prefer() {
      return makeRunSettings(mirror, USUAL_RUN).prefer;
    },
    // If a run with a smaller deletion limit was stopped, the daemon uses the smaller limit until
    // the stop has ended.
    get guards() {
      return readGuardLimits(mirror);
    },
  };
  const { listen, pollEvery } = mirror.config.events;
  const { requestsPerMinute: pollRequestsAMinute } = mirror.config.polling;
  const timing = { pollListeningMs: parseTime(pollEvery), pollRequestsAMinute, ...options.timing };
  // The compiler does not check the names of members in a conditional spread, so there are two
  // separate objects.
  const daemonOptions: DaemonOptions = listen
    ? { settings, timing, events: mirror.world.remote.events() }
    : { settings, timing };
  const daemon = (options.createDaemon ?? createDaemon)(mirror.world, watcher, daemonOptions);
  return ok({ mirror, daemon, reopen: new AbortController() });
}

/**
 * If the service refuses the key and mdmirror would now find another key, makes the daemon open the
 * folder again. The new key may come from `mdmirror init --key-file`, or from a key file that
 * somebody changed.
 * @returns true if the daemon will open the folder again
 */
export function closeIfKeyChanged({ mirror, daemon, reopen }: OpenedDaemon): boolean {
  const { phase } = daemon.status();
  if (phase.kind !== "waiting" || phase.why !== "unauthenticated" || mirror.hasNewKey?.() !== true) return false;
  reopen.abort();
  return true;
}

/**
 * Returns true if the daemon is paused. During a run that a command requested, the phase shows the
 * run, not the pause. A pause then shows itself only by the absence of both a next poll and a
 * retry.
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
  // If the old pause or the new pause has an end, the request changes something even if the daemon
  // is already paused.
  const hasEnd = forMs !== undefined || daemon.status().pausedUntil !== null;
  const changesPause = hasEnd || isPaused(daemon) === (request.do === "resume");
  if (request.do === "pause") await daemon.request("pause", forMs);
  else if (changesPause) await endPause(daemon);
  return ok({ changed: changesPause });
}

/** Resolves when the pause has ended. Does not wait for the run after the pause. */
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

/** Returns how many milliseconds to wait after a failure before the folder is opened again. */
export function computeRetryMs(failures: number): number {
  return Math.min(RETRY_MS.most, RETRY_MS.first * 2 ** Math.min(failures, 16));
}

/** LIMIT: milliseconds of the longest timer that Node supports. */
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

export type FolderEnd =
  | { readonly kind: "stopped" }
  | { readonly kind: "unlinked" }
  /** `mdmirror mv` moved the folder to `root`. */
  | { readonly kind: "moved"; readonly root: string };

/**
 * Finds out whether a command moved or unlinked the folder while the folder was lent. A folder on a
 * disk that is not mounted counts as unchanged, because the disk may be mounted again.
 * @param marker marker of the folder when the daemon opened the folder; null if the folder had none
 * @returns null if the folder is unchanged
 */
export function findFolderEnd(
  root: string,
  marker: string | null,
  env: Readonly<Record<string, string | undefined>>,
): Exclude<FolderEnd, { kind: "stopped" }> | null {
  // `unlink` removes the configuration and the marker. If only one of them is missing, the folder
  // is still linked: the daemon reports an error and tries again.
  if (existsSync(join(root, MIRROR_FOLDER, CONFIG_FILE)) || readRootMarker(root) !== null) return null;
  if (existsSync(join(root, MIRROR_FOLDER))) return { kind: "unlinked" };
  if (marker === null) return null;
  const foundMirror = findByMarker(locateRegistry(env), marker);
  if (foundMirror.kind === "unknown") return { kind: "unlinked" };
  const roots = foundMirror.kind === "known" ? foundMirror.mirror.roots : [];
  const movedRoot = roots.find((other) => other !== root && readRootMarker(other) === marker);
  return movedRoot === undefined ? null : { kind: "moved", root: movedRoot };
}
