/**
 * Interfaces through which the engine reaches the disk, the service, the clock and chance. For
 * simulations, the lowest ones (Wire, Fs, Clock, Random) are implemented in memory, and can kill
 * the process in any call.
 *
 * Expected results are values. An exception means a bug, or that the process is being killed, so
 * code catches only exceptions that it knows.
 */

import type { OnlyLogFields, LogFields } from "./log.ts";
import type { Action } from "../model/action.ts";
export interface Log {
  /** False if the log drops lines of level `debug`. Callers then need not make such lines. */
  readonly debug?: boolean;
  /** Writes a log line. The fields must not contain content or a key (I30). */
  write<Fields extends LogFields>(
    level: "debug" | "info" | "warn" | "error",
    event: string,
    fields: Fields & OnlyLogFields<Fields>,
  ): void;
}

/** Shows the progress of long work in a terminal. `total`: null while unknown. */
export interface Progress {
  report(phase: "recover" | "scan" | "list" | "plan" | "apply", done: number, total: number | null): void;
  /** Called when a step begins and when it ends. Both calls get the same action object. */
  step?(action: Action, has: "begun" | "ended"): void;
}

/**
 * Runs work that a user can stop. After the signal aborts, steps that have begun are completed, and
 * no other step begins.
 */
export type Stoppable = <T>(
  work: (stop: AbortSignal) => Promise<T>,
) => Promise<{ readonly value: T; readonly isStopped: boolean }>;
