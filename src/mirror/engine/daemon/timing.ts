import type { Clock } from "../../../common/clock.ts";

/**
 * Times of the daemon, in milliseconds. Each can be configured. Tests use the defaults, in virtual
 * time.
 */
export const DEFAULT_TIMING = {
  /** Time after its last change until a document may be planned. */
  settleMs: 300,
  /** Longest time from the first change of a path until it is planned, even if changes continue. */
  settleMostMs: 5_000,
  /** Longest time that a bulk change may take in total before it is planned. */
  bulkMostMs: 30_000,
  /**
   * Time between two polls: after recent activity; without activity; and after `longIdleAfterMs`
   * without activity. Varied by a tenth.
   */
  pollActiveMs: 5_000,
  pollIdleMs: 30_000,
  pollLongIdleMs: 120_000,
  /**
   * The least time between two polls while the service sends events: a poll then only proves that
   * none was missed.
   */
  pollListeningMs: 60_000,
  /** Time in which events of the service are collected before their documents are requested. */
  eventsSettleMs: 30,
  activeForMs: 60_000,
  longIdleAfterMs: 3_600_000,
  /**
   * Requests per minute that polls may cost, together with all other requests. A large workspace,
   * with one request for each 1,000 documents, is polled less often.
   */
  pollRequestsAMinute: 60,
  /**
   * Longest interval of a place where somebody is working. The interval grows while nothing changes
   * in the place. At this length the place is listed only with everything else.
   */
  hotMostMs: 30_000,
  /** Time between two full scans of both sides, folders included. */
  rescanMs: 600_000,
  /**
   * Delay between a local deletion and the deletion on the service. It starts again while deletions
   * keep arriving, for at most `deleteGraceMostMs`.
   */
  deleteGraceMs: 30_000,
  deleteGraceMostMs: 300_000,
  /** Time for which a protected document's content must be unchanged before it goes to review. */
  reviewDelayMs: 60_000,
  /** Time for which a document that became empty counts as truncated by a crashed program. */
  emptyMs: 60_000,
  /**
   * Time after a rename on the service in which a save to the old path counts as an edit of the
   * document.
   */
  stalePathMs: 600_000,
  /**
   * Pause before a retry. It is `retryMs` after the first failure, or `retryKeyMs` after a refused
   * key. Each further failure doubles it, up to `retryMostMs`. The second half is random.
   */
  retryMs: 2_000,
  retryMostMs: 300_000,
  retryKeyMs: 60_000,
  /** A gap in time longer than this value counts as a sleep of the machine. */
  jumpMs: 30_000,
  /**
   * Longest time between two turns of the loop. `alive()` is never older than this plus the longest
   * request to the service.
   */
  turnMs: 60_000,
  /** Interval between two attempts at refused changes. */
  retryRefusedMs: 86_400_000,
};

export type DaemonTiming = Readonly<Record<keyof typeof DEFAULT_TIMING, number>>;

/**
 * Converts a monotonic time.
 * @param monotonicMs monotonic time
 * @returns whole milliseconds since the epoch
 */
export function wallTime(clock: Pick<Clock, "now" | "monotonic">, monotonicMs: number): number {
  return Math.round(clock.now() + monotonicMs - clock.monotonic());
}
