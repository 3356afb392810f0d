import type { Clock } from "../../src/common/clock.ts";

const START = Date.UTC(2026, 0, 1);

/** Waits for a moment; wakes at it, or when its wait is aborted. */
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

/** Its calls may be taken from it, or replaced. */
export class VirtualClock implements Clock {
  readonly sleeps: number[] = [];
  readonly #frozen: boolean;
  readonly #sleepers = new Set<Sleeper>();
  #elapsed: number;
  #isTicking = false;

  constructor(frozen: boolean, elapsed: number) {
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

/**
 * Time passes only when everything waits for it: whenever the process is idle, the earliest sleeper
 * is woken.
 * @param frozen time does not pass at all: sleepers wake only when they are aborted
 * @param elapsed milliseconds that have passed already
 */
export function virtualClock(frozen = false, elapsed = 0): VirtualClock {
  return new VirtualClock(frozen, elapsed);
}
