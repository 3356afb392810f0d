import type { Clock } from "../../src/common/clock.ts";
import type { Log, Progress } from "../../src/mirror/ports/world.ts";
import type { Random } from "../../src/common/random.ts";

export const NO_LOG: Log = { write: () => undefined };

export const NO_PROGRESS: Progress = { report: () => undefined };

/** The real time, in which nobody waits. */
export const HASTY_CLOCK: Clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  sleep: async () => undefined,
};

/** Chance that has no say. */
export const NO_CHANCE: Random = { fraction: () => 0.5, hex: (n) => "0".repeat(n) };

/** For hooks that a test does not look at. */
export const doNothing = (): void => undefined;

/** For ports that hold nothing open. */
export const closeNothing = async (): Promise<void> => undefined;

/** For a service's `onFault`: a test whose service has a fault fails. */
export function rethrow(error: unknown): never {
  throw error;
}
