import type { Clock } from "../../src/common/clock.ts";
import type { Log, Progress } from "../../src/mirror/ports/world.ts";
import type { Random } from "../../src/common/random.ts";

export const NO_LOG: Log = { write: () => undefined };

export const NO_PROGRESS: Progress = { report: () => undefined };

/** Real time, with sleeps that end immediately. */
export const SLEEPLESS_CLOCK: Clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  sleep: async () => undefined,
};

/** Constant instead of random numbers. */
export const FIXED_RANDOM: Random = { fraction: () => 0.5, hex: (n) => "0".repeat(n) };

/** Does nothing; for hooks that a test does not check. */
export const doNothing = (): void => undefined;

/** Closes nothing; for ports that keep nothing open. */
export const closeNothing = async (): Promise<void> => undefined;

/** Lets the test fail if its service has an internal error; for `onFault`. */
export function rethrow(error: unknown): never {
  throw error;
}
