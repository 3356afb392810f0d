import type { Clock } from "../../src/ports/world.ts";

export type VirtualClock = Clock & { readonly sleeps: number[] };

const START = Date.UTC(2026, 0, 1);

/**
 * Time passes only when everything waits for it: whenever the process is idle, the earliest sleeper
 * is woken.
 * @param frozen time does not pass at all: sleepers wake only when they are aborted
 * @param elapsed milliseconds that have passed already
 */
export function virtualClock(frozen = false, elapsed = 0): VirtualClock {
  let ticking = false;
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>();

  const tick = (): void => {
    const next = [...sleepers].sort((a, b) => a.at - b.at)[0];
    ticking = next !== undefined;
    if (next === undefined) return;
    elapsed = Math.max(elapsed, next.at);
    next.wake();
    setImmediate(tick);
  };

  const clock: VirtualClock = {
    sleeps: [],
    now: () => START + elapsed,
    monotonic: () => elapsed,
    sleep(ms, signal) {
      clock.sleeps.push(ms);
      return new Promise((resolve) => {
        const sleeper = { at: elapsed + ms, wake };
        function wake(): void {
          sleepers.delete(sleeper);
          signal?.removeEventListener("abort", wake);
          resolve();
        }
        if (signal?.aborted) return resolve();
        signal?.addEventListener("abort", wake);
        sleepers.add(sleeper);
        if (!ticking && !frozen) {
          ticking = true;
          setImmediate(tick);
        }
      });
    },
  };
  return clock;
}
