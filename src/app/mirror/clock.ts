import type { Clock } from "../../ports/world.ts";

/**
 * Turns of the event loop, one for each who asks, in their order; between two of them the answers
 * that have come are read.
 */
function systemTurns(): () => Promise<void> {
  const waiting: (() => void)[] = [];
  const step = (): void => {
    const resolve = waiting.shift()!;
    if (waiting.length > 0) setImmediate(step);
    resolve();
  };
  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(step);
    });
}

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
    turn: systemTurns(),
  };
}
