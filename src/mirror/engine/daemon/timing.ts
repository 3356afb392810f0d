import type { Clock } from "../../../common/clock.ts";

/**
 * The daemon's times, in milliseconds. Each can be configured; tests keep the defaults, in virtual
 * time.
 */
export type DaemonTiming = {
  /** How long after its last change a document counts as settled. */
  readonly settleMs: number;
  /** How long after its first change it is judged at the latest, even if changes go on. */
  readonly settleMostMs: number;
  /**
   * How long many documents that change at once are waited for altogether, so that one plan sees
   * them.
   */
  readonly bulkMostMs: number;
  /**
   * Between two polls: while something happened lately; at rest; and after `sleepyAfterMs` at rest.
   * Varied by a tenth.
   */
  readonly pollActiveMs: number;
  readonly pollRestMs: number;
  readonly pollSleepyMs: number;
  /**
   * The least between two polls while the service tells of its changes: then a poll only proves
   * that nothing was missed.
   */
  readonly pollListeningMs: number;
  /** How long hints of the service are collected before they are looked at. */
  readonly newsSettleMs: number;
  readonly activeForMs: number;
  readonly sleepyAfterMs: number;
  /**
   * How many requests a minute all looks may cost together with what else is sent: a large
   * workspace, with one request for each 1,000 documents, is polled less often.
   */
  readonly pollRequestsAMinute: number;
  /**
   * The most between two looks at a place where somebody works. Its interval grows while nothing
   * happens there; at this one it is looked at with all else only.
   */
  readonly hotMostMs: number;
  /** How often both sides are looked at in full, folders included. */
  readonly rescanMs: number;
  /**
   * From a local deletion to the one on the service; it begins again while deletions keep arriving,
   * up to this number of times.
   */
  readonly deleteGraceMs: number;
  readonly deleteGraceMostMs: number;
  /** How long a protected document's text must rest before it goes to review. */
  readonly reviewQuietMs: number;
  /** How long a document that became empty counts as left by a crashed editor. */
  readonly emptyMs: number;
  /**
   * How long after a rename on the service a save to the old path counts as an edit of the
   * document.
   */
  readonly stalePathMs: number;
  /**
   * Waits after failures: the first, doubled up to the most, varied by chance. A refused key is
   * tried less often.
   */
  readonly retryMs: number;
  readonly retryMostMs: number;
  readonly retryKeyMs: number;
  /** From what gap in time on the machine counts as having slept. */
  readonly jumpMs: number;
  /**
   * How often the loop turns at least: `alive()` is never older than this plus the longest call of
   * the service.
   */
  readonly turnMs: number;
  /** How often refused writes are tried again. */
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

/** @param at monotonic @returns milliseconds since the epoch, whole */
export function wallTime(clock: Pick<Clock, "now" | "monotonic">, at: number): number {
  return Math.round(clock.now() + at - clock.monotonic());
}
