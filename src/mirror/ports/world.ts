import type { KeptAlone, LogFields } from "./log.ts";
import type { Action } from "../model/action.ts";
/**
 * Ports of the engine. Adapters implement these; the simulator implements the lowest of them (Wire,
 * Fs, Clock, Random) in memory and kills at any call. Expected ends are values; an exception means
 * a bug, or that the process is being killed: nobody catches an exception that it does not know.
 */

export interface Log {
  /**
   * True if lines of level `debug` are kept: code that would write one for each document asks
   * first. Left out: they are.
   */
  readonly debug?: boolean;
  /** Never content, never a key (I30). */
  write<Fields extends LogFields>(
    level: "debug" | "info" | "warn" | "error",
    event: string,
    fields: Fields & KeptAlone<Fields>,
  ): void;
}

/** Progress of long work, for a terminal: `total` is null while unknown. */
export interface Progress {
  report(phase: "recover" | "scan" | "list" | "plan" | "apply", done: number, total: number | null): void;
  /** An effect begins or ends: the same object both times. */
  step?(action: Action, has: "begun" | "ended"): void;
}

/**
 * Runs work that a person can stop: after the signal aborts, active steps end, and no further one
 * begins.
 */
export type Stoppable = <T>(
  work: (stop: AbortSignal) => Promise<T>,
) => Promise<{ readonly value: T; readonly isStopped: boolean }>;
