import type { Log, Progress } from "../../src/ports/world.ts";

export const NO_LOG: Log = { write: () => undefined };

export const NO_PROGRESS: Progress = { report: () => undefined };

/** For ports that hold nothing open. */
export const closeNothing = async (): Promise<void> => undefined;

/** For a service's `onFault`: a test whose service has a fault fails. */
export function rethrow(error: unknown): never {
  throw error;
}
