import PQueue from "p-queue";
import type { Clock } from "../../common/clock.ts";
import type { Pressure } from "../ports/remote.ts";

type QueueEnd<T> = { readonly kind: "ran"; readonly value: T } | { readonly kind: "paused"; readonly leftMs: number };

export const CONCURRENCY = { start: 8, least: 1, most: 32 } as const;
/**
 * LIMIT: longest pause that a call waits for. For a longer pause, the caller gets a fault, and
 * plans again later.
 */
const LONGEST_PAUSE_MS = 60_000;

/**
 * Adjusts the number of parallel calls as TCP does. Starts with 8, and adds one for each success
 * until the first congestion. Congestion halves the number. After that, the number grows by one for
 * each round (as many successes as parallel calls).
 */
export class CallQueue {
  readonly #clock: Clock;
  readonly #closing: AbortSignal;
  readonly #places: PQueue;
  #limit: number = CONCURRENCY.start;
  #threshold: number = CONCURRENCY.most;
  #successes = 0;
  #round = 0;
  #pausedUntil = 0;
  #pauses = 0;

  /**
   * Creates a queue.
   * @param closing when it aborts, every wait for a pause ends; `work` then runs immediately, and
   * must check `closing` itself
   */
  constructor(clock: Clock, closing: AbortSignal) {
    this.#clock = clock;
    this.#closing = closing;
    this.#places = new PQueue({ concurrency: this.#limit });
  }

  /**
   * Runs `work` when a place is free, after any pause.
   * @param congested returns true if the result shows that the service is overloaded
   * @returns `paused`, without running `work`, if the pause is longer than callers should wait
   */
  run<T>(work: () => Promise<T>, congested: (value: T) => boolean): Promise<QueueEnd<T>> {
    return this.#places.add(async (): Promise<QueueEnd<T>> => {
      // The call keeps its place while it waits for the pause. Once all places are taken, no other
      // call starts.
      for (let leftMs = this.#pauseLeft(); leftMs > 0 && !this.#closing.aborted; leftMs = this.#pauseLeft()) {
        if (leftMs > LONGEST_PAUSE_MS) return { kind: "paused", leftMs: leftMs };
        await this.#clock.sleep(leftMs, this.#closing);
      }
      const startedIn = this.#round;
      const value = await work();
      if (congested(value)) this.#shrink(startedIn);
      else this.#grow();
      return { kind: "ran", value };
    });
  }

  /** Sends no request for `ms`. If several pauses overlap, the pause that ends last counts. */
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
    return this.#places.onIdle();
  }

  #pauseLeft(): number {
    return this.#pausedUntil - this.#clock.monotonic();
  }

  #grow(): void {
    this.#successes++;
    const isSlow = this.#limit >= this.#threshold;
    if (this.#limit < CONCURRENCY.most && (!isSlow || this.#successes >= this.#limit)) this.#setLimit(this.#limit + 1);
  }

  #shrink(startedIn: number): void {
    // One overload fails all active calls, so only a call that began after the last halving halves
    // the number again.
    if (startedIn !== this.#round) return;
    this.#round++;
    this.#threshold = Math.max(CONCURRENCY.least, Math.floor(this.#limit / 2));
    this.#setLimit(this.#threshold);
  }

  #setLimit(limit: number): void {
    this.#limit = limit;
    this.#places.concurrency = limit;
    this.#successes = 0;
  }
}
