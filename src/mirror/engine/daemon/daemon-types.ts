import type { EventStreamState, RemoteEvents } from "../../ports/events.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { NotedPaths, PathOnService } from "../run/barrier.ts";
import type { RunReport } from "../run/report.ts";
import type { Settings } from "../run/world.ts";
import type { DaemonEvent } from "./events.ts";
import type { Phase } from "./phase.ts";
import type { DaemonTiming } from "./timing.ts";

/**
 * - `pause`: starts no run until `resume`, or until a time has passed; resolves when the current
 * run has ended.
 * - `resume`: ends the pause and scans both sides; resolves when that run has ended.
 */
export type DaemonRequest = "pause" | "resume";

export type DaemonOptions = {
  /**
   * Settings of the runs. The daemon ignores `secondLookMs` and `reviewsOnlyUnchanged`: the daemon
   * itself waits until files are unchanged, and for the second scan.
   */
  readonly settings: Settings;
  readonly timing?: Partial<DaemonTiming>;
  /** Events that the service sends. Left out: the daemon only polls. */
  readonly events?: RemoteEvents;
};

type PendingDeletion = {
  readonly path: LocalPath;
  /**
   * Time at which the deletion will be sent unless the file comes back, in milliseconds since the
   * epoch.
   */
  readonly dueAt: number;
};

/** Times in milliseconds since the epoch. */
export type DaemonStatus = {
  readonly phase: Phase;
  /**
   * Last time at which both sides were in sync and no problem was open; null: not since the start.
   */
  readonly inSyncAsOf: number | null;
  readonly pendingDeletions: readonly PendingDeletion[];
  /**
   * Paths with changes that no run has planned yet: how many there are, and the first 100 of them.
   */
  readonly dirty: { readonly count: number; readonly paths: readonly LocalPath[] };
  readonly lastReport: RunReport | null;
  /** End of the pause; null if the daemon is not paused, or paused until `resume`. */
  readonly pausedUntil: number | null;
  readonly nextPollAt: number | null;
  /** Time of the retry of a failed run; null if the last run did not fail. */
  readonly retryAt: number | null;
  /**
   * `polling`: the system gives no watches (`limit` says why), so each poll scans the folder, too.
   */
  readonly watching: "starting" | "events" | "polling";
  readonly limit: { readonly code: string; readonly why: string } | null;
  /** State of the event stream; without it, the daemon only polls. */
  readonly eventStream: EventStreamState;
};

/**
 * Result of waiting for local changes: the number of documents at or below the caller's paths, and
 * the current state of each path.
 */
export type BarrierEnd =
  | Extract<NotedPaths, { kind: "outside" }>
  | { readonly kind: "judged"; readonly paths: readonly PathOnService[]; readonly documents: number };

export type Daemon = {
  /**
   * Runs until `signal` aborts and the steps that were then running have ended. Throws on a bug,
   * when the state file is gone, or on a second call.
   */
  run(signal: AbortSignal): Promise<void>;
  /**
   * Carries out a request. Rejects if the daemon stops before.
   * @param forMs milliseconds of a pause; undefined: the pause lasts until `resume`
   */
  request(kind: DaemonRequest, forMs?: number): Promise<void>;
  /**
   * Calls `work` between two runs, after earlier requests. Rejects if `work` throws, or if the
   * daemon stops before.
   */
  callBetweenRuns(work: () => void): Promise<void>;
  /**
   * Waits until the content on the disk at the time of the call is on the service, in review, or
   * blocked. Does not wait while the daemon is paused or a safety check stops it: paths may then be
   * `waiting`.
   * @param scope files and folders; "" is the whole linked folder
   * @param signal when it aborts, the promise resolves with the current state of the paths. Rejects
   * when the daemon stops
   */
  whenSynced(scope: readonly LocalPath[], signal: AbortSignal): Promise<BarrierEnd>;
  status(): DaemonStatus;
  /**
   * Adds a listener, which must not throw. The daemon calls it outside transactions.
   * @returns a function that ends the subscription
   */
  onEvent(listener: (event: DaemonEvent) => void): () => void;
  /** Returns the monotonic time when the loop last made progress, also within a long run. */
  alive(): number;
};
