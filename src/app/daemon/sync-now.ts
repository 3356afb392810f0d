import { setTimeout as wait } from "node:timers/promises";
import type { Daemon } from "../../engine/daemon/daemon.ts";
import type { Clock } from "../../ports/world.ts";
import type { RunReport } from "../mirror/run.ts";

const LOOK_MS = 100;

/**
 * What `sync` asks of the daemon. A person who asks wants both sides equal, not a look at what has
 * settled: so after the run it is waited for what the daemon holds back for a while, files that
 * were saved a moment ago and the grace of deletions. The runs of that time are one report.
 */
export async function syncNow(
  daemon: Pick<Daemon, "request" | "status" | "onEvent">,
  { mostMs, clock, gone }: { readonly mostMs: number; readonly clock: Clock; readonly gone: AbortSignal },
): Promise<RunReport> {
  const runs = new Map<number, RunReport>();
  const off = daemon.onEvent((event) => {
    if (event.kind === "run") runs.set(event.report.run, event.report);
  });
  try {
    const until = clock.monotonic() + mostMs;
    let last = await daemon.request("sync");
    runs.set(last.run, last);
    while (holdsBack(daemon, last) && clock.monotonic() < until && !gone.aborted) {
      do {
        await wait(LOOK_MS);
      } while (holdsBack(daemon, daemon.status().lastReport ?? last) && clock.monotonic() < until && !gone.aborted);
      // What was held back is judged by a whole look, whatever was made of it meanwhile.
      last = await daemon.request("rescan");
      runs.set(last.run, last);
    }
    return { ...last, counts: sumOf([...runs.values()], last) };
  } finally {
    off();
  }
}

function holdsBack(daemon: Pick<Daemon, "status">, last: RunReport): boolean {
  const { phase, dirty, pendingDeletions } = daemon.status();
  // Offline or paused it would be waited for in vain, and so for deletions that a guard stops; what
  // they are is told.
  if (last.state === "offline" || isPaused(daemon)) return false;
  if (phase.kind === "observing" || phase.kind === "applying" || dirty.count > 0) return true;
  return last.state !== "halted" && pendingDeletions.length > 0;
}

/**
 * A daemon that is neither to poll nor to try again. A run by hand while it is paused shows another
 * phase.
 */
export function isPaused(daemon: Pick<Daemon, "status">): boolean {
  const { phase, nextPollAt, retryAt } = daemon.status();
  return (phase.kind === "waiting" && phase.why === "paused") || (nextPollAt === null && retryAt === null);
}

function sumOf(runs: readonly RunReport[], last: RunReport): RunReport["counts"] {
  const sum = { ...last.counts };
  for (const { run, counts } of runs) {
    if (run === last.run) continue;
    for (const name of Object.keys(sum) as (keyof typeof sum)[]) if (name !== "holds") sum[name] += counts[name];
  }
  return sum;
}
