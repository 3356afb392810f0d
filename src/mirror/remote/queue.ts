import PQueue from "p-queue";
import type { Clock } from "../../common/clock.ts";
import type { Pressure } from "../ports/remote.ts";

type QueuedResult<T> =
  | { readonly kind: "ran"; readonly value: T }
  | { readonly kind: "paused"; readonly leftMs: number };

export const CONCURRENCY = { start: 8, least: 1, most: 32 } as const;
/**
 * LIMIT: milliseconds of the longest pause for which a call waits, so that no command is blocked
 * for longer. If the service asks for a longer pause, the call fails, and a later cycle tries
 * again.
 */
const LONGEST_PAUSE_MS = 60_000;

/**
 * Limits the number of parallel calls, and adapts this limit as TCP does. The limit starts at 8.
 * Until the first overload of the service, each success increases the limit by one. Each overload
 * halves the limit. After that, the limit grows by one after as many successes as the limit itself.
 */
export class CallQueue {
  readonly #clock: Clock;
  readonly #closing: AbortSignal;
  readonly #queue: PQueue;
  #limit: number = CONCURRENCY.start;
  #threshold: number = CONCURRENCY.most;
  #successes = 0;
  #round = 0;
  #pausedUntil = 0;
  #pauses = 0;

  /**
   * @param closing signal that ends every pause. `work` then runs immediately, and must check the
   * signal
   */
  constructor(clock: Clock, closing: AbortSignal) {
    this.#clock = clock;
    this.#closing = closing;
    this.#queue = new PQueue({ concurrency: this.#limit });
  }

  /**
   * Runs `work` as soon as the number of calls is below the limit, and no pause is active.
   * @param congested returns true if the result shows that the service is overloaded
   * @returns `paused`, without a call of `work`, if the pause is longer than `LONGEST_PAUSE_MS`
   */
  async run<T>(work: () => Promise<T>, congested: (value: T) => boolean): Promise<QueuedResult<T>> {
    let result: QueuedResult<T>;
    // The queue gets no value: its sets of tasks keep values in memory until the next full
    // garbage collection.
    await this.#queue.add(async () => {
      result = await this.#runNow(work, congested);
    });
    return result!;
  }

  async #runNow<T>(work: () => Promise<T>, congested: (value: T) => boolean): Promise<QueuedResult<T>> {
    // A waiting call counts as a running call. Therefore no more calls wait during a pause than may
    // run in parallel.
    for (let leftMs = this.#pauseLeft(); leftMs > 0 && !this.#closing.aborted; leftMs = this.#pauseLeft()) {
      if (leftMs > LONGEST_PAUSE_MS) return { kind: "paused", leftMs };
      await this.#clock.sleep(leftMs, this.#closing);
    }
    const startedIn = this.#round;
    const value = await work();
    if (congested(value)) this.#allowFewer(startedIn);
    else this.#allowMore();
    return { kind: "ran", value };
  }

  /** Starts a pause. If pauses overlap, calls start after the end of the last pause. */
  pause(ms: number): void {
    this.#pauses++;
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.monotonic() + ms);
  }

  concurrency(): number {
    return this.#limit;
  }

  pressure(): Pressure {
    return { refusals: this.#pauses, pauseMs: Math.max(0, this.#pauseLeft()) };
  }

  idle(): Promise<void> {
    return this.#queue.onIdle();
  }

  #pauseLeft(): number {
    return this.#pausedUntil - this.#clock.monotonic();
  }

  #allowMore(): void {
    this.#successes++;
    const isSlow = this.#limit >= this.#threshold;
    if (this.#limit < CONCURRENCY.most && (!isSlow || this.#successes >= this.#limit)) this.#setLimit(this.#limit + 1);
  }

  #allowFewer(startedIn: number): void {
    // One overload makes many parallel calls fail, but may halve the limit only once. Therefore
    // only a call that began after the last halving may halve the limit.
    if (startedIn !== this.#round) return;
    this.#round++;
    this.#threshold = Math.max(CONCURRENCY.least, Math.floor(this.#limit / 2));
    this.#setLimit(this.#threshold);
  }

  #setLimit(limit: number): void {
    this.#limit = limit;
    this.#queue.concurrency = limit;
    this.#successes = 0;
  }
}
