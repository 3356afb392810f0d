import type { NewsState, RemoteNews } from "../../ports/news.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { RunReport } from "../run/report.ts";
import type { Settings, World } from "../run/world.ts";
import type { BarrierEnd } from "./barriers.ts";
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
  /** `secondLookMs` and `reviewAfterQuiet` are ignored: the daemon has times of its own. */
  readonly settings: Settings;
  readonly timing?: Partial<DaemonTiming>;
  /** What the service says of itself. Left out: it is only polled. */
  readonly news?: RemoteNews;
};

type PendingDeletion = {
  readonly path: LocalPath;
  /** When the deletion will be sent, unless the file comes back: milliseconds since the epoch. */
  readonly dueAt: number;
};

/** Times in milliseconds since the epoch. */
export type DaemonStatus = {
  readonly phase: Phase;
  /**
   * When both sides were last seen as they should be, holds apart; null: not yet since the start.
   */
  readonly inSyncAsOf: number | null;
  readonly pendingDeletions: readonly PendingDeletion[];
  /** Paths with changes that no pass has judged yet: the first 100, and how many there are. */
  readonly dirty: { readonly count: number; readonly paths: readonly LocalPath[] };
  readonly lastReport: RunReport | null;
  readonly nextPollAt: number | null;
  /** When a failed attempt is repeated; null when none failed. */
  readonly retryAt: number | null;
  /**
   * `polling`: the system gives no watches (`limit` says why), so each poll looks at the folder as
   * well.
   */
  readonly watching: "starting" | "events" | "polling";
  readonly limit: { readonly code: string; readonly why: string } | null;
  /** Whether the service tells of its changes; if not, polls alone find them. */
  readonly news: NewsState;
};

export type Daemon = {
  /**
   * Runs until `signal` aborts; the run under way first ends its steps. Throws on a bug, or when
   * the state file is gone. Call it once.
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
  /**
   * Waits until what is on disk at the call is on the service, in review, or held for somebody.
   * @param scope files and folders; "" is the whole mirror
   * @param signal when it aborts, the answer is how the paths stand then. Rejects when the daemon
   * is stopped
   */
  whenThere(scope: readonly LocalPath[], signal: AbortSignal): Promise<BarrierEnd>;
  status(): DaemonStatus;
  /**
   * @returns what ends it. A listener must not throw; it is called outside of passes' transactions.
   */
  onEvent(listener: (event: DaemonEvent) => void): () => void;
  /** Monotonic time of the loop's last turn, or of the last progress within a long pass. */
  alive(): number;
};
