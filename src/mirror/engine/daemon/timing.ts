import type { Clock } from "../../../common/clock.ts";

/** Times of the daemon, in milliseconds. Each can be configured. */
export const DEFAULT_TIMING = {
  /** Time for which a path must be unchanged before it is planned. */
  settleMs: 300,
  /** Longest time from the first change of a path until it is planned, if changes continue. */
  settleMostMs: 5_000,
  /** Longest time for which a bulk change (a checkout, a copied folder) is not planned. */
  bulkMostMs: 30_000,
  /**
   * Time between polls: after activity, without activity, and when there has been no activity for
   * `longIdleAfterMs`.
   */
  pollActiveMs: 5_000,
  pollIdleMs: 30_000,
  pollLongIdleMs: 120_000,
  /** Shortest time between polls while the service sends events, in case an event was missed. */
  pollListeningMs: 60_000,
  /** Time for which events of the service are collected before their documents are requested. */
  eventsSettleMs: 30,
  activeForMs: 60_000,
  longIdleAfterMs: 3_600_000,
  /**
   * Number of requests per minute that polls and all other requests may use together. A listing
   * takes one request for 1,000 documents, so a large workspace is polled less often.
   */
  pollRequestsAMinute: 60,
  /**
   * Longest time between two listings of a place in which somebody works. The time grows while
   * nothing changes in the place. A place that reaches the longest time is listed only with the
   * whole workspace.
   */
  hotMostMs: 30_000,
  /** Time between two full scans of both sides, including the folders on the service. */
  rescanMs: 600_000,
  /**
   * Delay before a local deletion is sent. Each further deletion restarts it, up to the longest.
   */
  deleteGraceMs: 30_000,
  deleteGraceMostMs: 300_000,
  /** Time for which a protected document must be unchanged before it goes to review. */
  reviewDelayMs: 60_000,
  /** Time for which an emptied file is not planned: perhaps a program crashed while it saved. */
  emptyMs: 60_000,
  /**
   * Time after a rename on the service in which a save to the old path counts as an edit of the
   * renamed document.
   */
  stalePathMs: 600_000,
  /**
   * Delay before the retry of a failed run: `retryMs` after the first failure, or `retryKeyMs` if
   * the key was refused. Each further failure doubles the delay, up to `retryMostMs`. Up to half of
   * the delay is random.
   */
  retryMs: 2_000,
  retryMostMs: 300_000,
  retryKeyMs: 60_000,
  /** Length of an interruption of the loop that counts as a suspension of the machine. */
  jumpMs: 30_000,
  /**
   * Longest sleep of the loop. The time that `alive()` returns is then never much older than this.
   */
  turnMs: 60_000,
  /** Time between two attempts to send refused changes. */
  retryRefusedMs: 86_400_000,
};

export type DaemonTiming = Readonly<Record<keyof typeof DEFAULT_TIMING, number>>;

/** Converts a monotonic time in milliseconds to whole milliseconds since the epoch. */
export function toWallTime(clock: Pick<Clock, "now" | "monotonic">, monotonicMs: number): number {
  return Math.round(clock.now() + monotonicMs - clock.monotonic());
}
