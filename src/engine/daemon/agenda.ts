import type { Clock, Random } from "../../ports/world.ts";
import { pollInterval, retryDelay } from "./pace.ts";
import type { WaitReason } from "./phase.ts";
import type { DaemonTiming } from "./timing.ts";
import type { Work } from "./work.ts";

/**
 * What the first due thing is. `dirty`: local hints have settled. `rest`: a text has been quiet, or
 * a document empty, for long enough.
 */
export type Due = "retry" | "dirty" | "rescan" | "graces" | "rest" | "poll";

/** When what is due. All times are monotonic. */
export class Agenda {
  readonly #timing: DaemonTiming;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #work: Work;
  #activeAt: number;
  #pollAt: number;
  #rescanAt: number;
  #retryRefusedAt: number;
  #retryAt: number | null = null;
  #restAt: number | null = null;
  #failures = 0;

  constructor(timing: DaemonTiming, clock: Clock, random: Random, work: Work) {
    this.#timing = timing;
    this.#clock = clock;
    this.#random = random;
    this.#work = work;
    const now = clock.monotonic();
    this.#activeAt = now;
    this.#pollAt = now;
    this.#rescanAt = now;
    this.#retryRefusedAt = now;
  }

  /** In the order of urgency; null when nothing is due yet. */
  first(): Due | null {
    const now = this.#clock.monotonic();
    const { dirty, graces } = this.#work;
    if (this.#retryAt !== null) return this.#retryAt <= now ? "retry" : null;
    if (isDue(dirty.dueAt(), now)) return "dirty";
    if (this.#holdsBackUntil(now) > now) return null;
    if (this.#rescanAt <= now) return "rescan";
    if (isDue(graces.nextAt(), now)) return "graces";
    if (isDue(this.#restAt, now)) return "rest";
    return this.#pollAt <= now ? "poll" : null;
  }

  /** When `first` has something. */
  nextAt(): number {
    const now = this.#clock.monotonic();
    const { dirty, graces } = this.#work;
    if (this.#retryAt !== null) return this.#retryAt;
    const never = Number.POSITIVE_INFINITY;
    const rest = Math.min(this.#rescanAt, this.#pollAt, graces.nextAt() ?? never, this.#restAt ?? never);
    return Math.min(dirty.dueAt() ?? never, Math.max(rest, this.#holdsBackUntil(now)));
  }

  /**
   * While a bulk change is under way nothing else is judged; not for ever, where changes have no
   * end.
   */
  #holdsBackUntil(now: number): number {
    if (!this.#work.dirty.isBulkUnderWay(now)) return now;
    return Math.min(this.#rescanAt, this.#pollAt) + this.#timing.bulkMostMs;
  }

  /**
   * After a look at the service. @param away the folder is not there: to see whether it is back
   * costs no request
   */
  schedulePoll(away: boolean): void {
    const now = this.#clock.monotonic();
    const quiet = now - this.#activeAt;
    const interval = away
      ? this.#timing.pollActiveMs
      : pollInterval(this.#timing, quiet, this.#work.knownTrees.documents(), this.#random.fraction());
    this.#pollAt = now + interval;
  }

  scheduleRescan(): void {
    this.#rescanAt = this.#clock.monotonic() + this.#timing.rescanMs;
  }

  /** Everything is to be looked at as soon as it may be. */
  rescanNow(): void {
    this.#rescanAt = this.#clock.monotonic();
    if (this.#retryAt !== null) this.#retryAt = this.#rescanAt;
  }

  /** Somebody works, here or there. */
  noteActivity(): void {
    const now = this.#clock.monotonic();
    this.#activeAt = now;
    if (this.#pollAt > now + this.#timing.pollActiveMs) this.schedulePoll(false);
  }

  /**
   * @returns whether refused rows are due to be tried again (at the start, then daily); they count
   * as tried now
   */
  takeRetryRefused(asked: boolean): boolean {
    const now = this.#clock.monotonic();
    if (!asked && this.#retryRefusedAt > now) return false;
    this.#retryRefusedAt = now + this.#timing.retryRefusedMs;
    return true;
  }

  failed(why: Exclude<WaitReason, "paused">): void {
    this.#failures++;
    const delay = retryDelay(this.#timing, why, this.#failures, this.#random.fraction());
    this.#retryAt = this.#clock.monotonic() + delay;
  }

  /** Failures in a row so far. */
  failures(): number {
    return this.#failures;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#retryAt = null;
  }

  /** After a run: when the next thing at rest will have rested. */
  scheduleRest(): void {
    const now = this.#clock.monotonic();
    const { quiet, emptied } = this.#work;
    const never = Number.POSITIVE_INFINITY;
    const next = Math.min(quiet.nextAt(now) ?? never, emptied.nextAt(now) ?? never);
    this.#restAt = next === never ? null : next;
  }

  pollAt(): number {
    return this.#pollAt;
  }

  retryAt(): number | null {
    return this.#retryAt;
  }
}

function isDue(at: number | null, now: number): boolean {
  return at !== null && at <= now;
}
