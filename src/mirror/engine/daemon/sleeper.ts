import type { Clock } from "../../../common/clock.ts";
import type { DaemonTiming } from "./timing.ts";

/** Sleeps until something is due, and notices when the machine slept. */
export class Sleeper {
  readonly #clock: Clock;
  readonly #timing: DaemonTiming;
  #sleeping: { readonly until: number; readonly ended: AbortController } | null = null;
  #awake = false;
  #oversleptMs = 0;
  /** The wall clock minus the monotonic clock. */
  #offset: number;

  constructor(clock: Clock, timing: DaemonTiming) {
    this.#clock = clock;
    this.#timing = timing;
    this.#offset = clock.now() - clock.monotonic();
  }

  /** @param until monotonic */
  async sleep(until: number, signal: AbortSignal): Promise<void> {
    const from = this.#clock.monotonic();
    const ms = Math.min(until - from, this.#timing.turnMs);
    if (this.#awake || ms <= 0) {
      this.#awake = false;
      return;
    }
    const ended = new AbortController();
    const end = () => ended.abort();
    signal.addEventListener("abort", end);
    this.#sleeping = { until: from + ms, ended };
    if (!signal.aborted) await this.#clock.sleep(ms, ended.signal);
    signal.removeEventListener("abort", end);
    this.#sleeping = null;
    this.#awake = false;
    this.#oversleptMs = this.#clock.monotonic() - from - ms;
  }

  /** Ends the sleep now, or the next one if nobody sleeps. */
  wake(): void {
    this.#awake = true;
    this.#sleeping?.ended.abort();
  }

  /** Ends the sleep at `at`, if it would last longer. Cheap, because each file event calls it. */
  wakeBy(at: number): void {
    if (this.#sleeping !== null && at < this.#sleeping.until) this.#sleeping.ended.abort();
  }

  /**
   * Returns how long the machine or the process stood still since the last call, in milliseconds;
   * null if it did not.
   */
  takeGap(): number | null {
    // While a machine sleeps, the monotonic clock stands still on some systems and runs on others.
    const offset = this.#clock.now() - this.#clock.monotonic();
    const gap = Math.max(offset - this.#offset, this.#oversleptMs);
    this.#offset = offset;
    this.#oversleptMs = 0;
    return gap > this.#timing.jumpMs ? gap : null;
  }
}
