import { type Clock, systemClock } from "../src/common/clock.ts";

const START = Date.UTC(2026, 0, 1);

/** A sleep that ends at a moment, or when it is aborted. */
class Sleeper {
  readonly at: number;
  readonly #sleepers: Set<Sleeper>;
  readonly #signal: AbortSignal | undefined;
  readonly #resolve: () => void;

  constructor(at: number, sleepers: Set<Sleeper>, signal: AbortSignal | undefined, resolve: () => void) {
    this.at = at;
    this.#sleepers = sleepers;
    this.#signal = signal;
    this.#resolve = resolve;
    signal?.addEventListener("abort", this.wake);
    sleepers.add(this);
  }

  readonly wake = (): void => {
    this.#sleepers.delete(this);
    this.#signal?.removeEventListener("abort", this.wake);
    this.#resolve();
  };
}

/**
 * A clock whose time passes only while everything waits: when the process is idle, the earliest
 * sleeper wakes. Its methods are properties, so that tests may pass them on or replace them.
 */
export class VirtualClock implements Clock {
  readonly sleeps: number[] = [];
  readonly #frozen: boolean;
  readonly #sleepers = new Set<Sleeper>();
  #elapsed: number;
  #isTicking = false;

  /**
   * @param frozen true if time never passes, so that sleepers wake only when they are aborted
   * @param elapsed milliseconds that have passed already
   */
  constructor(frozen = false, elapsed = 0) {
    this.#frozen = frozen;
    this.#elapsed = elapsed;
  }

  now = (): number => START + this.#elapsed;

  monotonic = (): number => this.#elapsed;

  sleep = (ms: number, signal?: AbortSignal): Promise<void> => {
    this.sleeps.push(ms);
    if (signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      new Sleeper(this.#elapsed + ms, this.#sleepers, signal, resolve);
      if (this.#isTicking || this.#frozen) return;
      this.#isTicking = true;
      setImmediate(this.#tick);
    });
  };

  readonly #tick = (): void => {
    const next = [...this.#sleepers].sort((a, b) => a.at - b.at)[0];
    this.#isTicking = next !== undefined;
    if (next === undefined) return;
    this.#elapsed = Math.max(this.#elapsed, next.at);
    next.wake();
    setImmediate(this.#tick);
  };
}

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
