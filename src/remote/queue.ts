import PQueue from "p-queue";
import type { Clock } from "../ports/world.ts";

export type Turn<T> =
  | { readonly kind: "ran"; readonly value: T }
  | { readonly kind: "paused"; readonly leftMs: number };

export type CallQueue = {
  /**
   * Runs `work` when there is a place, and waits out a pause before.
   * @param congested whether the result says that the service has too much to do
   * @returns `paused`, without having run it, while the pause is longer than anybody should wait
   */
  run<T>(work: () => Promise<T>, congested: (value: T) => boolean): Promise<Turn<T>>;
  /** Nothing is sent for `ms`; of several pauses the one that ends last counts. */
  pause(ms: number): void;
  concurrency(): number;
};

export const CONCURRENCY = { start: 8, least: 1, most: 32 } as const;
/** A longer pause is not waited for: the caller is told and plans again. */
export const LONGEST_PAUSE_MS = 60_000;

/**
 * Concurrency as TCP finds it: from 8 one more for each success, until the first congestion; then
 * half, and from there one more for each round (as many successes as there are places).
 * @param closing ends every wait for a pause; `work` is then run at once, and must look at it
 */
export function createQueue(clock: Clock, closing: AbortSignal): CallQueue {
  let limit: number = CONCURRENCY.start;
  let threshold: number = CONCURRENCY.most;
  let successes = 0;
  let round = 0;
  let pausedUntil = 0;
  const places = new PQueue({ concurrency: limit });

  const pauseLeft = (): number => pausedUntil - clock.monotonic();
  const setLimit = (next: number): void => {
    limit = next;
    places.concurrency = next;
    successes = 0;
  };
  const grow = (): void => {
    successes++;
    if (limit < CONCURRENCY.most && (limit < threshold || successes >= limit)) setLimit(limit + 1);
  };
  const shrink = (startedIn: number): void => {
    // One overload fails everything that is in flight: only what began after the last halving
    // halves again.
    if (startedIn !== round) return;
    round++;
    threshold = Math.max(CONCURRENCY.least, Math.floor(limit / 2));
    setLimit(threshold);
  };

  return {
    run<T>(work: () => Promise<T>, congested: (value: T) => boolean): Promise<Turn<T>> {
      return places.add(async (): Promise<Turn<T>> => {
        // The place is kept meanwhile: once all are taken, nothing else starts either.
        for (let left = pauseLeft(); left > 0 && !closing.aborted; left = pauseLeft()) {
          if (left > LONGEST_PAUSE_MS) return { kind: "paused", leftMs: left };
          await clock.sleep(left, closing);
        }
        const startedIn = round;
        const value = await work();
        if (congested(value)) shrink(startedIn);
        else grow();
        return { kind: "ran", value };
      });
    },
    pause(ms) {
      pausedUntil = Math.max(pausedUntil, clock.monotonic() + ms);
    },
    concurrency: () => limit,
  };
}
