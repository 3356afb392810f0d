import { systemClock } from "../../src/common/system-clock.ts";
import type { Clock } from "../../src/common/clock.ts";

/** A clock that a test can speed up, so that no test waits minutes for a grace period. */
export class LiveClock implements Clock {
  readonly turn = systemClock().turn!;
  readonly #sleepers = new Set<() => void>();
  #rate = 1;
  /** The moment when the present rate was set, by the system's clock and by this clock. */
  #since = performance.now();
  #shown = this.#since;

  monotonic(): number {
    return this.#shown + (performance.now() - this.#since) * this.#rate;
  }

  now(): number {
    return Date.now() + this.monotonic() - performance.now();
  }

  /** From now on, time passes `times` times as fast, also for sleepers. */
  speedUp(times: number): void {
    this.#shown = this.monotonic();
    this.#since = performance.now();
    this.#rate = times;
    for (const wake of [...this.#sleepers]) wake();
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const until = this.monotonic() + ms;
    for (let left = ms; left > 0 && signal?.aborted !== true; left = until - this.monotonic()) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const wake = () => resolve();
      const timer = setTimeout(wake, left / this.#rate);
      this.#sleepers.add(wake);
      signal?.addEventListener("abort", wake);
      await promise;
      clearTimeout(timer);
      this.#sleepers.delete(wake);
      signal?.removeEventListener("abort", wake);
    }
  }
}
