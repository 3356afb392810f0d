import type { Clock } from "../../ports/world.ts";

/**
 * The daemon's times, all in milliseconds. Each can be configured; tests leave them as they are, in
 * virtual time.
 */
export type DaemonTiming = {
  /** A document has settled so long after its last event … */
  readonly settleMs: number;
  /** … or so long after its first, when events never end. */
  readonly settleMostMs: number;
  /**
   * Many documents changing at once are waited for so long altogether, so that they are seen in one
   * plan.
   */
  readonly bulkMostMs: number;
  /**
   * Between polls: while something happened lately, at rest, and after `sleepyAfterMs` at rest.
   * Jittered by a tenth.
   */
  readonly pollActiveMs: number;
  readonly pollRestMs: number;
  readonly pollSleepyMs: number;
  readonly activeForMs: number;
  readonly sleepyAfterMs: number;
  /**
   * Requests a minute that polling may cost: large workspaces (one request each 1,000 documents)
   * are polled less often.
   */
  readonly pollRequestsAMinute: number;
  /** Both sides looked at in full, folders too. */
  readonly rescanMs: number;
  /**
   * From a local deletion to the remote one; restarts while deletions keep arriving, so often at
   * most.
   */
  readonly deleteGraceMs: number;
  readonly deleteGraceMostMs: number;
  /** A protected document's text goes to review when it has rested so long. */
  readonly reviewQuietMs: number;
  /** A document that became empty is taken for a crashing editor's so long. */
  readonly emptyMs: number;
  /**
   * A document renamed on the service: so long a save to its old path is taken for an edit of it.
   */
  readonly stalePathMs: number;
  /**
   * Waits after failures: the first, doubling, up to the most; jittered. A refused key is asked
   * about less often.
   */
  readonly retryMs: number;
  readonly retryMostMs: number;
  readonly retryKeyMs: number;
  /** A gap in time that nobody slept for: the machine was asleep. */
  readonly jumpMs: number;
  /**
   * The loop turns at least so often: `alive()` is never older than this and the longest call of
   * the service.
   */
  readonly turnMs: number;
  /** Refused rows are tried again so often. */
  readonly retryRefusedMs: number;
};

export const DEFAULT_TIMING: DaemonTiming = {
  settleMs: 300,
  settleMostMs: 5_000,
  bulkMostMs: 30_000,
  pollActiveMs: 5_000,
  pollRestMs: 30_000,
  pollSleepyMs: 120_000,
  activeForMs: 60_000,
  sleepyAfterMs: 3_600_000,
  pollRequestsAMinute: 60,
  rescanMs: 600_000,
  deleteGraceMs: 30_000,
  deleteGraceMostMs: 300_000,
  reviewQuietMs: 60_000,
  emptyMs: 60_000,
  stalePathMs: 600_000,
  retryMs: 2_000,
  retryMostMs: 300_000,
  retryKeyMs: 60_000,
  jumpMs: 30_000,
  turnMs: 60_000,
  retryRefusedMs: 86_400_000,
};

/** @param at monotonic @returns milliseconds since the epoch, whole */
export function wallTime(clock: Pick<Clock, "now" | "monotonic">, at: number): number {
  return Math.round(clock.now() + at - clock.monotonic());
}
