import { MAX_PAGE_LIMIT } from "../../contract/limits.ts";
import type { WaitReason } from "./phase.ts";
import type { DaemonTiming } from "./timing.ts";

/** How long the daemon waits until its next request to the service. Pure. */

const JITTER = 0.1;

type Pace = {
  readonly quietMs: number;
  readonly documents: number;
  /** Whether the service tells of its changes. */
  readonly isTold: boolean;
};

/**
 * Milliseconds between two polls. They grow with the time in which nothing happened, and with the
 * workspace, so that listing it stays within the budget of requests.
 * @param fraction [0, 1)
 */
export function pollInterval(timing: DaemonTiming, { quietMs, documents, isTold }: Pace, fraction: number): number {
  const requests = Math.max(1, Math.ceil(documents / MAX_PAGE_LIMIT));
  const affordable = (requests * 60_000) / timing.pollRequestsAMinute;
  const least = isTold ? timing.pollListeningMs : 0;
  return Math.max(wantedInterval(timing, quietMs), affordable, least) * (1 + JITTER * (2 * fraction - 1));
}

function wantedInterval(timing: DaemonTiming, quietMs: number): number {
  if (quietMs < timing.activeForMs) return timing.pollActiveMs;
  return quietMs < timing.sleepyAfterMs ? timing.pollRestMs : timing.pollSleepyMs;
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
