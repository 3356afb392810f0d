import type { WaitReason } from "./phase.ts";
import type { DaemonTiming } from "./timing.ts";

/** How long the daemon waits until its next request to the service. Pure. */

const JITTER = 0.1;
/** Of the budget, what looks at everything may cost at rest: a third, and after long a sixth. */
const RESTING = 3;
const SLEEPING = 6;
/** At rest the interval grows with the time in which nothing happened: to a tenth of it. */
const SLOWING = 10;

type Pace = {
  readonly quietMs: number;
  /** How many requests a look at everything takes. */
  readonly requests: number;
  /** How many a minute may be sent. */
  readonly aMinute: number;
  /** Whether the service tells of its changes. */
  readonly isTold: boolean;
};

/**
 * Milliseconds between two polls. They grow with the time in which nothing happened, and with the
 * workspace, so that listing it stays within the budget of requests.
 * @param fraction [0, 1)
 */
export function pollInterval(timing: DaemonTiming, pace: Pace, fraction: number): number {
  const affordable = affordableInterval(pace);
  const least = pace.isTold ? timing.pollListeningMs : 0;
  const wanted = wantedInterval(timing, pace.quietMs, affordable);
  return Math.max(wanted, affordable, least) * (1 + JITTER * (2 * fraction - 1));
}

/** Milliseconds between two looks at everything that use up the budget. */
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
 * Milliseconds until a failed attempt is repeated: doubled each time up to a limit. The second half
 * is left to chance, so that many clients of a service that comes back do not come at once.
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
