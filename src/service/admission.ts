import { monitorEventLoopDelay } from "node:perf_hooks";
import { MAX_BODY_BYTES } from "./body.ts";

/** LIMIT: requests that were taken and are not answered, and the bytes of their bodies. */
const MAX_UNDER_WAY = 256;
/** With fewer under way, refusing one helps nobody: what makes the service late is then not its requests. */
const FEW_UNDER_WAY = 8;
const MAX_BYTES = 64 * MAX_BODY_BYTES;

/** Who may come in: so many requests, with so many bytes of bodies, are under way at a time. */
export type Admission = {
  /**
   * @param bytes of the body that is to be read
   * @param isAdmin an operator is let in also when the service has too much to do: to change that
   * @returns what ends the request; null when it must not begin
   */
  begin(bytes: number, isAdmin: boolean): (() => void) | null;
};

export function admission(isOverloaded: () => boolean = () => false): Admission {
  let underWay = 0;
  let held = 0;
  return {
    begin(bytes, isAdmin) {
      const isFull = underWay >= MAX_UNDER_WAY || held + bytes > MAX_BYTES;
      if (!isAdmin && (isFull || (underWay >= FEW_UNDER_WAY && isOverloaded()))) return null;
      underWay++;
      held += bytes;
      return () => {
        underWay--;
        held -= bytes;
      };
    },
  };
}

/** LIMIT: milliseconds by which half of all turns of the event loop were late, for two seconds, from which on work is refused. */
const LATE_MS = 250;
const WINDOW_MS = 1_000;
const RESOLUTION_MS = 10;

/** What a histogram of delays tells, in nanoseconds; `node:perf_hooks` gives one. */
export type Delays = { percentile(percentile: number): number; reset(): void };

/**
 * Whether the event loop comes too late to what waits for it. The median of two windows in a row counts: one long answer makes one late turn,
 * which may be the only one of its window; too much work makes every turn late.
 * @param every calls back at the end of each window; returns what ends it
 */
export function loopLoad(delays: Delays, every: (look: () => void) => () => void) {
  let lateWindows = 0;
  const stop = every(() => {
    lateWindows = delays.percentile(50) / 1e6 - RESOLUTION_MS > LATE_MS ? lateWindows + 1 : 0;
    delays.reset();
  });
  return { isOverloaded: () => lateWindows >= 2, stop };
}

/** The load of this process. */
export function processLoad(): { readonly isOverloaded: () => boolean; stop(): void } {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  const load = loopLoad(delays, (look) => {
    const timer = setInterval(look, WINDOW_MS);
    timer.unref();
    return () => clearInterval(timer);
  });
  return {
    isOverloaded: load.isOverloaded,
    stop: () => {
      load.stop();
      delays.disable();
    },
  };
}
