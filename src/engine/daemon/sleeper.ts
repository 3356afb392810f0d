import type { Clock } from "../../ports/world.ts";
import type { DaemonTiming } from "./timing.ts";

/** Sleeps until something is due, and sees when time passed that nobody slept for. */
export type Sleeper = {
  /** @param until monotonic */
  sleep(until: number, signal: AbortSignal): Promise<void>;
  /** Ends the sleep now; or the next one, when nobody sleeps. */
  wake(): void;
  /** Ends the sleep if it would last longer than to `at`. Cheap: called for every hint. */
  wakeBy(at: number): void;
  /**
   * Milliseconds that the machine, or the process, was not running since the last call; null when
   * it was.
   */
  jumped(): number | null;
};

export function createSleeper(clock: Clock, timing: DaemonTiming): Sleeper {
  let sleeping: { readonly until: number; readonly ended: AbortController } | null = null;
  let awake = false;
  let overslept = 0;
  let drift = clock.now() - clock.monotonic();

  return {
    async sleep(until, signal) {
      const from = clock.monotonic();
      const ms = Math.min(until - from, timing.turnMs);
      if (awake || ms <= 0) {
        awake = false;
        return;
      }
      const ended = new AbortController();
      const end = () => ended.abort();
      signal.addEventListener("abort", end);
      sleeping = { until: from + ms, ended };
      if (!signal.aborted) await clock.sleep(ms, ended.signal);
      signal.removeEventListener("abort", end);
      sleeping = null;
      awake = false;
      overslept = clock.monotonic() - from - ms;
    },
    wake() {
      awake = true;
      sleeping?.ended.abort();
    },
    wakeBy(at) {
      if (sleeping !== null && at < sleeping.until) sleeping.ended.abort();
    },
    jumped() {
      // The monotonic clock stands still while some machines sleep, and runs on in others.
      const now = clock.now() - clock.monotonic();
      const slept = Math.max(now - drift, overslept);
      drift = now;
      overslept = 0;
      return slept > timing.jumpMs ? slept : null;
    },
  };
}
