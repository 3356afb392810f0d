import type { Clock } from "../../ports/world.ts";
import type { Agenda } from "./agenda.ts";
import type { RunLog } from "./run-log.ts";
import type { DaemonStatus } from "./daemon.ts";
import type { Phase } from "./phase.ts";
import type { Watching } from "./watching.ts";
import type { Work } from "./work.ts";

const DIRTY_SHOWN = 100;

export type StatusParts = {
  readonly clock: Clock;
  readonly phase: Phase;
  readonly paused: boolean;
  readonly work: Work;
  readonly watching: Watching;
  readonly runLog: RunLog;
  readonly agenda: Agenda;
};

/** What the daemon is about, with its times as the wall clock has them. */
export function showStatus({ clock, phase, paused, work, watching, runLog, agenda }: StatusParts): DaemonStatus {
  const { dirty, graces } = work;
  const shown = (at: number) => Math.round(clock.now() + at - clock.monotonic());
  const retryAt = agenda.retryAt();
  return {
    phase,
    inSyncAsOf: runLog.inSyncAsOf(),
    pendingDeletions: graces.pending().map(({ path, dueAt }) => ({ path, dueAt: shown(dueAt) })),
    dirty: { count: dirty.count(), paths: dirty.paths(DIRTY_SHOWN) },
    lastReport: runLog.report(),
    nextPollAt: paused || retryAt !== null ? null : shown(agenda.pollAt()),
    retryAt: retryAt === null ? null : shown(retryAt),
    watching: watching.state(),
    limit: watching.limit(),
  };
}
