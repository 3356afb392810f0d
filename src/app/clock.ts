import type { Clock } from "../core/ports/world.ts";

/** The system's clock: the one home of time. */
export function systemClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) return resolve();
        const end = () => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", end);
          resolve();
        };
        const timer = setTimeout(end, ms);
        signal?.addEventListener("abort", end);
      }),
    turn: () => new Promise((resolve) => void setImmediate(resolve)),
  };
}
