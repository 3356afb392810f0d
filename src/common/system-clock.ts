import type { Clock } from "./clock.ts";

/**
 * LIMIT: number of callers that continue in one turn of the event loop. Many answers may arrive
 * together. If only one caller continued per turn, the content of the last answers would stay in
 * memory for many turns.
 */
const CALLERS_PER_TURN = 16;

/** Returns the clock of the system. No other code reads the time. */
export function systemClock(): Clock {
  return new SystemClock();
}

class SystemClock implements Clock {
  /** Callbacks that wait for a later turn of the event loop, in the order of their calls. */
  readonly #waiting: (() => void)[] = [];

  now(): number {
    return Date.now();
  }

  monotonic(): number {
    // `performance.now()` is not used, because its first use would load five modules of Node.
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

  /** Resolves in a later turn of the event loop. Between two turns, arrived answers are read. */
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
