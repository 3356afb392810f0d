import type { EventStreamState, RemoteEvents } from "../../ports/remote.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { BarrierScanResult, PathOnService } from "../run/barrier.ts";
import type { RunReport } from "../run/report.ts";
import type { Settings } from "../run/world.ts";
import type { DaemonEvent } from "./events.ts";
import type { DaemonPhase } from "./phase.ts";
import type { DaemonTiming } from "./timing.ts";

/**
 * Request to a daemon.
 * - `pause`: starts no run until `resume`, or until a time has passed. The request ends when the
 *   current run has ended.
 * - `resume`: ends the pause and scans both sides. The request ends when that run has ended.
 */
export type DaemonRequest = "pause" | "resume";

export type DaemonOptions = {
  /**
   * The daemon ignores the delays in these settings (`secondLookMs`, `reviewsOnlyUnchanged`),
   * because it delays deletions and reviews itself.
   */
  readonly settings: Settings;
  readonly timing?: Partial<DaemonTiming>;
  /** Event stream of the service; undefined if the daemon only polls. */
  readonly events?: RemoteEvents;
};

type PendingDeletion = {
  readonly path: LocalPath;
  /** Time at which the deletion will be sent unless the file comes back. */
  readonly dueAt: number;
};

/** Status of a daemon. All times are milliseconds since the epoch. */
export type DaemonStatus = {
  readonly phase: DaemonPhase;
  /**
   * Last time at which both sides were in sync and no problem existed; null if there was none since
   * the daemon started.
   */
  readonly inSyncAsOf: number | null;
  readonly pendingDeletions: readonly PendingDeletion[];
  /** Local paths with changes that no run has planned yet: the count, and the first 100 paths. */
  readonly dirty: { readonly count: number; readonly paths: readonly LocalPath[] };
  readonly lastReport: RunReport | null;
  /** End of the pause; null without a pause, or if the pause lasts until `resume`. */
  readonly pausedUntil: number | null;
  readonly nextPollAt: number | null;
  /** Time of the next retry; null if the last run did not fail. */
  readonly retryAt: number | null;
  /** `polling`: the system allows no watches (`limit` says why), so each poll scans the folder. */
  readonly watching: "starting" | "events" | "polling";
  readonly limit: { readonly code: string; readonly why: string } | null;
  readonly eventStream: EventStreamState;
};

export type BarrierEnd =
  | Extract<BarrierScanResult, { kind: "outside" }>
  | { readonly kind: "judged"; readonly paths: readonly PathOnService[]; readonly documents: number };

export type Daemon = {
  /** Resolves after `signal` aborts. Throws on a bug, a lost state file, or a second call. */
  run(signal: AbortSignal): Promise<void>;
  /**
   * Carries out a request. Rejects if the daemon stops first.
   * @param forMs milliseconds of a pause; undefined if the pause lasts until `resume`
   */
  request(kind: DaemonRequest, forMs?: number): Promise<void>;
  /** Calls `work` after all earlier requests. Rejects if `work` throws, or if the daemon stops. */
  callBetweenRuns(work: () => void): Promise<void>;
  /**
   * Waits until the local changes that exist at the time of the call are on the service, in review,
   * or blocked. Does not wait while the daemon is paused or stopped by a safety check; paths in the
   * result may then be `waiting`. Rejects if the daemon stops.
   * @param scope files and folders; "" is the whole linked folder
   * @param signal when it aborts, the promise resolves with the current state of the paths
   */
  whenSynced(scope: readonly LocalPath[], signal: AbortSignal): Promise<BarrierEnd>;
  status(): DaemonStatus;
  /**
   * The daemon calls `listener` outside transactions; `listener` must not throw.
   * @returns a function that removes the listener
   */
  onEvent(listener: (event: DaemonEvent) => void): () => void;
  /** Returns the monotonic time when the loop, or a step of its run, last made progress. */
  alive(): number;
};
