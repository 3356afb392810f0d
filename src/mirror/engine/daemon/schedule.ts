import type { Clock } from "../../../common/clock.ts";
import type { Random } from "../../../common/random.ts";
import type { DaemonTiming, FailureReason } from "./interface.ts";
import type { DaemonRuns } from "./runs.ts";

/**
 * Kind of work that can be due.
 * - `retry`: the retry of a failed run.
 * - `dirty`: a scan of changed local paths.
 * - `events`: requests for documents that events of the service named.
 * - `rescan`: a full scan of both sides.
 * - `deletion`: a local deletion that was delayed.
 * - `unchanged`: a delayed change for review, or a delayed emptied document.
 * - `free`: files that programs had open.
 * - `poll`: a listing of the whole workspace.
 * - `hot`: listings of the parts of the workspace in which somebody works (hot places).
 */
export type DueWork = "retry" | "dirty" | "events" | "rescan" | "deletion" | "unchanged" | "free" | "poll" | "hot";

/**
 * LIMIT: longest wait of a poll for the request budget, so that polls never stop. The unit is the
 * time in which the budget recovers from one listing of the whole workspace.
 */
const MAX_WAITED_LISTINGS = 3;

const NEVER = Number.POSITIVE_INFINITY;

/** Decides which work is due, and when. All times are monotonic. */
export class Schedule {
  readonly #timing: DaemonTiming;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #runs: DaemonRuns;
  #activeAt: number;
  #pollAt: number;
  #rescanAt: number;
  #retryRefusedAt: number;
  #retryAt: number | null = null;
  #unchangedAt: number | null = null;
  #failures = 0;
  #isListening = false;

  constructor(timing: DaemonTiming, clock: Clock, random: Random, runs: DaemonRuns) {
    this.#timing = timing;
    this.#clock = clock;
    this.#random = random;
    this.#runs = runs;
    const now = clock.monotonic();
    this.#activeAt = now;
    this.#pollAt = now;
    this.#rescanAt = now;
    this.#retryRefusedAt = now;
  }

  /** Returns the most urgent work that is due; null if nothing is due. */
  firstDue(): DueWork | null {
    const now = this.#clock.monotonic();
    for (const [due, time] of this.#times(now))
      if (time <= now && (due !== "free" || this.#runs.inUse.isAnyFree())) return due;
    return null;
  }

  /** Returns the earliest time at which work may be due; infinity without planned work. */
  nextAt(): number {
    return Math.min(...this.#times(this.#clock.monotonic()).map(([, time]) => time));
  }

  /** Returns the time of each kind of work, the most urgent kind first. */
  #times(now: number): readonly (readonly [DueWork, number])[] {
    if (this.#retryAt !== null) return [["retry", this.#retryAt]];
    const { dirty, deletions, hints, inUse } = this.#runs;
    const delayedUntil = this.#delaysUntil(now);
    const toDelayedTime = (time: number | null) => Math.max(time ?? NEVER, delayedUntil);
    return [
      ["dirty", dirty.dueAt() ?? NEVER],
      ["events", toDelayedTime(hints.dueAt())],
      ["rescan", toDelayedTime(this.#rescanAt)],
      ["deletion", toDelayedTime(deletions.nextAt())],
      ["unchanged", toDelayedTime(this.#unchangedAt)],
      ["free", toDelayedTime(inUse.nextAt())],
      ["poll", toDelayedTime(this.#pollDueAt(now))],
      ["hot", toDelayedTime(this.#hotAt(now))],
    ];
  }

  /**
   * Returns the time until which a bulk change (a checkout, a copied folder) delays all other work;
   * `now` without a bulk change. A longest delay exists, because the changes may never end.
   */
  #delaysUntil(now: number): number {
    if (!this.#runs.dirty.isBulkUnderWay(now)) return now;
    return Math.min(this.#rescanAt, this.#pollAt) + this.#timing.bulkMostMs;
  }

  /**
   * Schedules the next poll. Called after each poll and after each scan of both sides.
   * @param away true if the linked folder is missing; a poll then only checks the folder, without a
   * request
   */
  schedulePoll(away: boolean): void {
    this.#pollAt = this.#clock.monotonic() + (away ? this.#timing.pollActiveMs : this.#interval());
  }

  #interval(): number {
    const now = this.#clock.monotonic();
    const pace = { idleMs: now - this.#activeAt, isListening: this.#isListening, ...this.#cost(now) };
    return computePollInterval(this.#timing, pace, this.#random.fraction());
  }

  #cost(now: number): { readonly requests: number; readonly requestsAMinute: number } {
    const { budget, knownTrees } = this.#runs;
    return { requests: budget.wholeCost(knownTrees.documentCount()), requestsAMinute: budget.requestsAMinute(now) };
  }

  #pollDueAt(now: number): number {
    if (this.#pollAt > now) return this.#pollAt;
    const latestAt = this.#pollAt + MAX_WAITED_LISTINGS * computeAffordableInterval(this.#cost(now));
    return Math.max(this.#pollAt, Math.min(this.#runs.budget.wholeAt(now), latestAt));
  }

  /**
   * Returns the time of the next listing of a hot place. Infinity if frequent polls make separate
   * listings unnecessary.
   */
  #hotAt(now: number): number {
    const { budget, hot } = this.#runs;
    const hotAt = this.#isListening ? null : hot.dueAt();
    if (hotAt === null) return NEVER;
    const cost = this.#cost(now);
    if (cost.requests === 1 || computeAffordableInterval(cost) <= this.#timing.pollActiveMs) return NEVER;
    return Math.max(hotAt, budget.smallAt(now));
  }

  /** Makes a listing of the whole workspace due as soon as the request budget allows it. */
  pollSoon(): void {
    this.#pollAt = Math.min(this.#pollAt, this.#clock.monotonic());
  }

  /** Records whether the service sends events. With events, fewer polls are needed. */
  noteListening(isListening: boolean): void {
    this.#isListening = isListening;
    if (!isListening) this.#pollSooner();
  }

  /** Moves the next poll to an earlier time if the interval between polls has become shorter. */
  #pollSooner(): void {
    this.#pollAt = Math.min(this.#pollAt, this.#clock.monotonic() + this.#interval());
  }

  scheduleRescan(): void {
    this.#rescanAt = this.#clock.monotonic() + this.#timing.rescanMs;
  }

  rescanNow(): void {
    this.#rescanAt = this.#clock.monotonic();
    if (this.#retryAt !== null) this.#retryAt = this.#rescanAt;
  }

  noteActivity(): void {
    const now = this.#clock.monotonic();
    this.#activeAt = now;
    if (this.#pollAt > now + this.#timing.pollActiveMs) this.#pollSooner();
  }

  /**
   * Returns true if it is time to send refused changes again: when the daemon starts, then once a
   * day.
   */
  takeRetryRefused(): boolean {
    const now = this.#clock.monotonic();
    if (this.#retryRefusedAt > now) return false;
    this.#retryRefusedAt = now + this.#timing.retryRefusedMs;
    return true;
  }

  noteFailure(why: FailureReason): void {
    this.#failures++;
    const delay = computeRetryDelay(this.#timing, why, this.#failures, this.#random.fraction());
    this.#retryAt = this.#clock.monotonic() + delay;
  }

  failures(): number {
    return this.#failures;
  }

  noteSuccess(): void {
    this.#failures = 0;
    this.#retryAt = null;
  }

  /** Schedules a run for the time at which content will have been unchanged for long enough. */
  scheduleUnchanged(): void {
    const now = this.#clock.monotonic();
    const { unchangedContents, emptied } = this.#runs;
    const nextAt = Math.min(unchangedContents.nextAt(now) ?? NEVER, emptied.nextAt(now) ?? NEVER);
    this.#unchangedAt = nextAt === NEVER ? null : nextAt;
  }

  pollAt(): number {
    return this.#pollAt;
  }

  retryAt(): number | null {
    return this.#retryAt;
  }
}

/** Share of the interval between polls that is added or subtracted at random. */
const JITTER_SHARE = 0.1;
/**
 * Divisor of the request budget for polls. Without activity, polls use a third of the budget;
 * without activity for a long time, a sixth.
 */
const IDLE_DIVISOR = 3;
const LONG_IDLE_DIVISOR = 6;
/**
 * Divisor for the interval between polls without activity. The dividend is the time since the last
 * change.
 */
const SLOWING_DIVISOR = 10;

type PollPace = {
  readonly idleMs: number;
  /** Number of requests for one listing of the whole workspace. */
  readonly requests: number;
  readonly requestsAMinute: number;
  readonly isListening: boolean;
};

/**
 * Returns the milliseconds between two polls. The interval grows with the time since the last
 * change, and with the size of the workspace, so that polls stay within the request budget.
 * @param fraction a random number, at least 0 and less than 1
 */
function computePollInterval(timing: DaemonTiming, pace: PollPace, fraction: number): number {
  const affordableMs = computeAffordableInterval(pace);
  const leastMs = pace.isListening ? timing.pollListeningMs : 0;
  const wantedMs = computeWantedInterval(timing, pace.idleMs, affordableMs);
  return Math.max(wantedMs, affordableMs, leastMs) * (1 + JITTER_SHARE * (2 * fraction - 1));
}

/** Returns the interval at which full listings would use the whole request budget. */
function computeAffordableInterval({
  requests,
  requestsAMinute,
}: Pick<PollPace, "requests" | "requestsAMinute">): number {
  return (requests * 60_000) / requestsAMinute;
}

function computeWantedInterval(timing: DaemonTiming, idleMs: number, affordable: number): number {
  if (idleMs < timing.activeForMs) return timing.pollActiveMs;
  const isLongIdle = idleMs >= timing.longIdleAfterMs;
  const leastMs = isLongIdle ? timing.pollLongIdleMs : timing.pollIdleMs;
  return Math.max(
    leastMs,
    Math.min(idleMs / SLOWING_DIVISOR, affordable * (isLongIdle ? LONG_IDLE_DIVISOR : IDLE_DIVISOR)),
  );
}

/**
 * Returns the milliseconds until the retry of a failed run. The delay doubles with each failure, up
 * to a limit. Up to half of the delay is random, so that many clients do not return at one moment
 * to a service that was down.
 * @param failures number of failed runs in a row, including this run
 */
function computeRetryDelay(timing: DaemonTiming, why: FailureReason, failures: number, fraction: number): number {
  const firstDelayMs = why === "unauthenticated" ? timing.retryKeyMs : timing.retryMs;
  const delay = Math.min(timing.retryMostMs, firstDelayMs * 2 ** Math.min(failures - 1, 20));
  return delay * (0.5 + 0.5 * fraction);
}
