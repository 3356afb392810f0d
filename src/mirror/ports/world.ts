/**
 * Ports of the engine. Adapters implement these. The simulator implements the lowest of them (Wire,
 * Fs, Clock, Random) in memory, and kills the process at any call. Expected results are values; an
 * exception means a bug, or that the process is being killed. So code catches only exceptions that
 * it knows.
 */

import type { OnlyLogFields, LogFields } from "./log.ts";
import type { Action } from "../model/action.ts";
export interface Log {
  /**
   * True if lines of level `debug` are kept. Code that would write such a line for each document
   * checks this first. Undefined: the lines are kept.
   */
  readonly debug?: boolean;
  /** Writes a line. Never has content or a key (I30). */
  write<Fields extends LogFields>(
    level: "debug" | "info" | "warn" | "error",
    event: string,
    fields: Fields & OnlyLogFields<Fields>,
  ): void;
}

/** Receives the progress of long work, for a terminal. `total`: null while unknown. */
export interface Progress {
  report(phase: "recover" | "scan" | "list" | "plan" | "apply", done: number, total: number | null): void;
  /** Called when an effect begins and when it ends, with the same action object. */
  step?(action: Action, has: "begun" | "ended"): void;
}

/**
 * Runs work that a person can stop. After the signal aborts, active steps are completed, and no
 * further step begins.
 */
export type Stoppable = <T>(
  work: (stop: AbortSignal) => Promise<T>,
) => Promise<{ readonly value: T; readonly isStopped: boolean }>;
