import { setTimeout as wait } from "node:timers/promises";
import type { Daemon } from "../engine/daemon/daemon.ts";
import type { Clock } from "../../common/clock.ts";
import type { HeldBack } from "./control/protocol.ts";
import type { RunReport } from "../folder/run.ts";

const LOOK_MS = 100;

type SyncNow = {
  /** How long to wait for changes that are held back, in milliseconds. */
  readonly mostMs: number;
  readonly clock: Clock;
  /** Aborted when the caller is gone. */
  readonly gone: AbortSignal;
  /** Called once, when deletions are held back. */
  readonly onHeldBack: (heldBack: HeldBack) => void;
};

/**
 * What `sync` asks of the daemon. A person who asks wants both sides equal, so after the run it
 * waits for what the daemon holds back for a while: files that were saved a moment ago, and
 * deletions in their grace period. The runs of that time become one report.
 */
export async function syncNow(
  daemon: Pick<Daemon, "request" | "status" | "onEvent">,
  { mostMs, clock, gone, onHeldBack }: SyncNow,
): Promise<RunReport> {
  const runs = new Map<number, RunReport>();
  const off = daemon.onEvent((event) => {
    if (event.kind === "run") runs.set(event.report.run, event.report);
  });
  try {
    const until = clock.monotonic() + mostMs;
    let isReported = false;
    let last = await daemon.request("sync");
    runs.set(last.run, last);
    while (holdsBack(daemon, last) && clock.monotonic() < until && !gone.aborted) {
      do {
        const { pendingDeletions } = daemon.status();
        // A saved file rests for a moment only, which needs no message.
        if (!isReported && pendingDeletions.length > 0) {
          isReported = true;
          onHeldBack({ deletions: pendingDeletions.length });
        }
        await wait(LOOK_MS);
      } while (holdsBack(daemon, daemon.status().lastReport ?? last) && clock.monotonic() < until && !gone.aborted);
      // A whole look judges what was held back, whatever happened to it meanwhile.
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
  // Offline or paused, or with deletions that a guard stops, waiting would be in vain; the report
  // names those deletions.
  if (last.state === "offline" || isPaused(daemon)) return false;
  if (phase.kind === "observing" || phase.kind === "applying" || dirty.count > 0) return true;
  return last.state !== "stopped" && pendingDeletions.length > 0;
}

/** Whether a daemon neither polls nor retries. While paused, a run by hand shows another phase. */
export function isPaused(daemon: Pick<Daemon, "status">): boolean {
  const { phase, nextPollAt, retryAt } = daemon.status();
  return (phase.kind === "waiting" && phase.why === "paused") || (nextPollAt === null && retryAt === null);
}

function sumOf(runs: readonly RunReport[], last: RunReport): RunReport["counts"] {
  const sum = { ...last.counts };
  for (const { run, counts } of runs) {
    if (run === last.run) continue;
    for (const name of Object.keys(sum) as (keyof typeof sum)[]) if (name !== "blocked") sum[name] += counts[name];
  }
  return sum;
}
