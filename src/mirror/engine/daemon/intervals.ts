import type { WaitReason } from "./phase.ts";
import type { DaemonTiming } from "./timing.ts";

/** Computes how long the daemon waits until its next request to the service. Pure. */

const JITTER = 0.1;
/**
 * The part of the budget that listings of everything may use at rest: a third, and after a long
 * rest a sixth.
 */
const RESTING = 3;
const SLEEPING = 6;
/** At rest the interval grows to a tenth of the time since the last change. */
const SLOWING = 10;

type Pace = {
  readonly quietMs: number;
  /** Requests that one listing of everything takes. */
  readonly requests: number;
  /** Requests allowed in a minute. */
  readonly aMinute: number;
  /** True if the service sends events. */
  readonly isTold: boolean;
};

/**
 * Milliseconds between two polls. They grow with the time since the last change, and with the
 * workspace, so that listing it stays within the budget.
 * @param fraction [0, 1)
 */
export function pollInterval(timing: DaemonTiming, pace: Pace, fraction: number): number {
  const affordable = affordableInterval(pace);
  const least = pace.isTold ? timing.pollListeningMs : 0;
  const wanted = wantedInterval(timing, pace.quietMs, affordable);
  return Math.max(wanted, affordable, least) * (1 + JITTER * (2 * fraction - 1));
}

/** Milliseconds between two listings of everything that use the whole budget. */
export function affordableInterval({ requests, aMinute }: Pick<Pace, "requests" | "aMinute">): number {
  return (requests * 60_000) / aMinute;
}

function wantedInterval(timing: DaemonTiming, quietMs: number, affordable: number): number {
  if (quietMs < timing.activeForMs) return timing.pollActiveMs;
  const isSleepy = quietMs >= timing.sleepyAfterMs;
  const least = isSleepy ? timing.pollSleepyMs : timing.pollRestMs;
  return Math.max(least, Math.min(quietMs / SLOWING, affordable * (isSleepy ? SLEEPING : RESTING)));
}

/**
 * Milliseconds until a failed run is tried again: doubled each time up to a limit. The second half
 * is random, so that many clients do not return to a recovering service at the same moment.
 * @param failures in a row, this one included
 */
export function retryDelay(
  timing: DaemonTiming,
  why: Exclude<WaitReason, "paused">,
  failures: number,
  fraction: number,
): number {
  const first = why === "unauthenticated" ? timing.retryKeyMs : timing.retryMs;
  const delay = Math.min(timing.retryMostMs, first * 2 ** Math.min(failures - 1, 20));
  return delay * (0.5 + 0.5 * fraction);
}
