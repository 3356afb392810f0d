import type { Clock } from "../../../common/clock.ts";

/**
 * Times of the daemon, in milliseconds. Each can be configured. Tests use the defaults, in virtual
 * time.
 */
export type DaemonTiming = {
  /** Time after the last change until a document may be judged. */
  readonly settleMs: number;
  /**
   * Longest time from the first change of a path until the path is judged, even if changes
   * continue.
   */
  readonly settleMostMs: number;
  /** Longest time that a bulk change may take in total before it is judged. */
  readonly bulkMostMs: number;
  /**
   * Time between two polls: after recent activity; without activity; and after `sleepyAfterMs`
   * without activity. Varied by a tenth.
   */
  readonly pollActiveMs: number;
  readonly pollRestMs: number;
  readonly pollSleepyMs: number;
  /**
   * The least time between two polls while the service sends events: a poll then only proves that
   * none was missed.
   */
  readonly pollListeningMs: number;
  /** Time in which events of the service are collected before their documents are requested. */
  readonly newsSettleMs: number;
  readonly activeForMs: number;
  readonly sleepyAfterMs: number;
  /**
   * Requests a minute that polls may cost, together with all other requests. A large workspace,
   * with one request for each 1,000 documents, is polled less often.
   */
  readonly pollRequestsAMinute: number;
  /**
   * Longest interval of a place where somebody works. The interval grows while nothing happens in
   * the place. At this length the place is listed only with everything else.
   */
  readonly hotMostMs: number;
  /** Time between two full scans of both sides, folders included. */
  readonly rescanMs: number;
  /**
   * Delay from a local deletion to the one on the service. It starts again while deletions keep
   * arriving, at most this number of times.
   */
  readonly deleteGraceMs: number;
  readonly deleteGraceMostMs: number;
  /** Time for which a protected document's text must be unchanged before it goes to review. */
  readonly reviewQuietMs: number;
  /** Time for which a document that became empty counts as truncated by a crashed program. */
  readonly emptyMs: number;
  /**
   * Time after a rename on the service in which a save to the old path counts as an edit of the
   * document.
   */
  readonly stalePathMs: number;
  /**
   * Pauses after failures: the first one, doubled up to the longest, with a random part. A refused
   * key is tried less often.
   */
  readonly retryMs: number;
  readonly retryMostMs: number;
  readonly retryKeyMs: number;
  /** A gap in time longer than this value counts as a sleep of the machine. */
  readonly jumpMs: number;
  /**
   * Longest time between two turns of the loop: `alive()` is never older than this plus the longest
   * call of the service.
   */
  readonly turnMs: number;
  /** Interval between two attempts at refused changes. */
  readonly retryRefusedMs: number;
};

export const DEFAULT_TIMING: DaemonTiming = {
  settleMs: 300,
  settleMostMs: 5_000,
  bulkMostMs: 30_000,
  pollActiveMs: 5_000,
  pollRestMs: 30_000,
  pollSleepyMs: 120_000,
  pollListeningMs: 60_000,
  newsSettleMs: 30,
  activeForMs: 60_000,
  sleepyAfterMs: 3_600_000,
  pollRequestsAMinute: 60,
  hotMostMs: 30_000,
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

/**
 * @param at monotonic time
 * @returns milliseconds since the epoch, whole
 */
export function wallTime(clock: Pick<Clock, "now" | "monotonic">, at: number): number {
  return Math.round(clock.now() + at - clock.monotonic());
}
