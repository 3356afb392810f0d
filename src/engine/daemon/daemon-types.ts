import type { LocalPath } from "../../model/path.ts";
import type { RunReport } from "../run/report.ts";
import type { Settings, World } from "../run/world.ts";
import type { DaemonEvent } from "./events.ts";
import type { Phase } from "./phase.ts";
import type { DaemonTiming } from "./timing.ts";

/**
 * - `sync`: a whole look at both sides now, refused rows tried again; resolves with its report.
 * Also while paused, once.
 * - `rescan`: the same without trying refused rows again.
 * - `pause`: no passes until `resume`; resolves with the last report, when the run under way has
 * ended.
 * - `resume`: a whole look; resolves with its report.
 */
export type DaemonRequest = "sync" | "rescan" | "pause" | "resume";

export type DaemonOptions = {
  /**
   * `secondLookMs` and `reviewAfterQuiet` are not looked at: the daemon has times of its own.
   */
  readonly settings: Settings;
  readonly timing?: Partial<DaemonTiming>;
  /** After a run of which nothing is kept: its trees are garbage now. */
  readonly onLetGo?: () => void;
};

type PendingDeletion = {
  readonly path: LocalPath;
  /** When it will be sent, unless the file comes back: milliseconds since the epoch. */
  readonly dueAt: number;
};

/** Times in milliseconds since the epoch. */
export type DaemonStatus = {
  readonly phase: Phase;
  /**
   * When both sides were last seen to be as they should (holds apart). null: not yet since the
   * start.
   */
  readonly inSyncAsOf: number | null;
  readonly pendingDeletions: readonly PendingDeletion[];
  /** Paths with events that no pass has looked at yet: the first 100, and how many there are. */
  readonly dirty: { readonly count: number; readonly paths: readonly LocalPath[] };
  readonly lastReport: RunReport | null;
  readonly nextPollAt: number | null;
  /** When a failed attempt is made again; null when none failed. */
  readonly retryAt: number | null;
  /**
   * `polling`: the system gives no watches (`limit` names why), so the folder is looked at with
   * each poll.
   */
  readonly watching: "starting" | "events" | "polling";
  readonly limit: { readonly code: string; readonly why: string } | null;
};

export type Daemon = {
  /**
   * Until `signal` aborts; the run under way ends its steps first. Throws on a bug, or when the
   * state file is gone. Once only.
   */
  run(signal: AbortSignal): Promise<void>;
  /** Rejects when the daemon is stopped before it could be done. */
  request(kind: DaemonRequest): Promise<RunReport>;
  /**
   * Runs `work` between two passes, with the daemon's `World`: for commands that write the state
   * (`approve`, `resolve`, `undo`) while the daemon holds the lock. A whole look follows. Rejects
   * as `work` does.
   */
  exclusive<T>(work: (world: World) => T | Promise<T>): Promise<T>;
  status(): DaemonStatus;
  /**
   * @returns what ends it. A listener must not throw; it is called outside of passes' transactions.
   */
  onEvent(listener: (event: DaemonEvent) => void): () => void;
  /**
   * Monotonic time (of the world's clock) of the loop's last turn, or of the last progress within a
   * long pass.
   */
  alive(): number;
};
