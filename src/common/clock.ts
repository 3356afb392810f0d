export interface Clock {
  /**
   * Returns milliseconds since the epoch. Used for display, for dates in folder names, for
   * `Retry-After` dates, and to find versions that are old enough to delete. Decisions about
   * content must not depend on this time.
   */
  now(): number;
  /** Returns milliseconds that never decrease. All processes of the machine get the same time. */
  monotonic(): number;
  /** Resolves after `ms` milliseconds, or earlier if the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Resolves in a later turn of the event loop, after the handlers of all events that have already
   * arrived. Callers continue in the order of their calls. Undefined for the clock of a test:
   * events then arrive only when the test advances the time.
   */
  turn?(): Promise<void>;
}

/**
 * LIMIT: number of callers that continue in one turn of the event loop. If only one caller
 * continued, and many answers had arrived together, the contents of these answers would stay in
 * memory for many turns.
 */
const CALLERS_PER_TURN = 16;

/** Returns the clock of the system, the only source of time for pure modules and the engine. */
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
    const dueCallbacks = this.#waiting.splice(0, CALLERS_PER_TURN);
    if (this.#waiting.length > 0) setImmediate(this.#step);
    for (const resolve of dueCallbacks) resolve();
  };
}

/** Resolves when the signal is aborted, or immediately if it is aborted already. */
export function waitForAbort(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
