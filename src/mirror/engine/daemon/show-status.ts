import type { EventStreamState } from "../../ports/events.ts";
import type { Clock } from "../../../common/clock.ts";
import type { DaemonStatus } from "./daemon-types.ts";
import type { FolderWatch } from "./folder-watch.ts";
import type { Phase } from "./phase.ts";
import type { RunLog } from "./run-log.ts";
import type { Runs } from "./runs.ts";
import type { Schedule } from "./schedule.ts";
import { wallTime } from "./timing.ts";

const DIRTY_SHOWN = 100;

/** Returns the daemon's status, with its times by the wall clock. */
export function showStatus(parts: {
  readonly clock: Clock;
  readonly phase: Phase;
  readonly paused: boolean;
  readonly runs: Runs;
  readonly watch: FolderWatch;
  readonly news: EventStreamState;
  readonly runLog: RunLog;
  readonly schedule: Schedule;
}): DaemonStatus {
  const { clock, phase, paused, watch, runLog, schedule } = parts;
  const { dirty, deletions } = parts.runs;
  const retryAt = schedule.retryAt();
  return {
    phase,
    inSyncAsOf: runLog.inSyncAsOf(),
    pendingDeletions: deletions.list().map(({ path, dueAt }) => ({ path, dueAt: wallTime(clock, dueAt) })),
    dirty: { count: dirty.count(), paths: dirty.paths(DIRTY_SHOWN) },
    lastReport: runLog.report(),
    nextPollAt: paused || retryAt !== null ? null : wallTime(clock, schedule.pollAt()),
    retryAt: retryAt === null ? null : wallTime(clock, retryAt),
    watching: watch.state(),
    limit: watch.limit(),
    news: parts.news,
  };
}
