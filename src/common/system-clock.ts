import type { Clock } from "./clock.ts";

/**
 * LIMIT: number of callers that continue in one turn of the event loop. If only one continued, and
 * many answers had arrived together, their contents would stay in memory for many turns.
 */
const CALLERS_PER_TURN = 16;

/** Returns the clock of the system. No other module may read the time of the system. */
export function systemClock(): Clock {
  return new SystemClock();
}

class SystemClock implements Clock {
  /** Callbacks that wait for a later turn of the event loop, the first caller first. */
  readonly #waiting: (() => void)[] = [];

  now(): number {
    return Date.now();
  }

  monotonic(): number {
    // `performance.now()` is not used, because its first call loads five modules of Node.
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1e3 + nanoseconds / 1e6;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", resolve);
    await promise;
    clearTimeout(timer);
    signal?.removeEventListener("abort", resolve);
  }

  readonly turn = (): Promise<void> =>
    new Promise((resolve) => {
      if (this.#waiting.push(resolve) === 1) setImmediate(this.#step);
    });

  readonly #step = (): void => {
    const continued = this.#waiting.splice(0, CALLERS_PER_TURN);
    if (this.#waiting.length > 0) setImmediate(this.#step);
    for (const resolve of continued) resolve();
  };
}
