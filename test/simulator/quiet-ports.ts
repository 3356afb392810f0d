import type { Clock } from "../../src/common/clock.ts";
import type { Log, Progress } from "../../src/mirror/ports/world.ts";
import type { Random } from "../../src/common/random.ts";

export const NO_LOG: Log = { write: () => undefined };

export const NO_PROGRESS: Progress = { report: () => undefined };

/** The real time, without waiting. */
export const HASTY_CLOCK: Clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  sleep: async () => undefined,
};

/** Random numbers that are always the same. */
export const NO_CHANCE: Random = { fraction: () => 0.5, hex: (n) => "0".repeat(n) };

/** For hooks that a test does not check. */
export const doNothing = (): void => undefined;

/** For ports that have nothing open. */
export const closeNothing = async (): Promise<void> => undefined;

/** For a service's `onFault`: the test fails if its service has a fault. */
export function rethrow(error: unknown): never {
  throw error;
}
