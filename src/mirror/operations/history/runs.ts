/** Reads the results of runs, in the words of the commands. */

import { zeroCounts } from "../../engine/run/world.ts";
import type { State } from "../../ports/state.ts";
import type { RunReport } from "../../folder/run.ts";
import { doneLine } from "../results/done.ts";
import { RUNS } from "./events.ts";

export type RunLine = {
  readonly run: number;
  readonly kind: string;
  readonly startedAt: number;
  /**
   * Time of the end in milliseconds since the epoch; null if the run has not ended or was
   * interrupted.
   */
  readonly endedAt: number | null;
  /**
   * State at the end of the run, such as `in-sync` or `stopped`; null if the state is not known.
   */
  readonly state: string | null;
  /**
   * Counts of the run's changes, such as `3 uploaded, 1 created locally`; null if the run changed
   * nothing, or its summary cannot be read.
   */
  readonly done: string | null;
  /** The latest run that undid this run; null if none did. */
  readonly undoneBy: Pick<RunLine, "run" | "startedAt"> | null;
};

/** Returns the lines of all runs, newest first. */
export function readRuns(state: State): readonly RunLine[] {
  const undoneBy = new Map<number, RunLine["undoneBy"]>();
  return state.runs(RUNS).map(({ summary, ...run }) => {
    const { undoes, ...facts } = summaryOf(summary);
    for (const one of undoes) if (!undoneBy.has(one)) undoneBy.set(one, run);
    return { ...run, ...facts, undoneBy: undoneBy.get(run.run) ?? null };
  });
}

export type DayOfChanges = {
  /** Start of the day, in milliseconds since the epoch. */
  readonly at: number;
  readonly uploaded: number;
  readonly downloaded: number;
  readonly merged: number;
  readonly conflicts: number;
};

/**
 * Returns what the runs of the last days changed, oldest day first. Each day has an entry.
 * @param now in milliseconds since the epoch
 */
export function readDays(state: State, now: number, days: number): readonly DayOfChanges[] {
  const byDay = new Map<number, DayOfChanges>();
  for (let daysBack = days - 1; daysBack >= 0; daysBack--) {
    const start = startOfDay(now, daysBack);
    byDay.set(start, { at: start, uploaded: 0, downloaded: 0, merged: 0, conflicts: 0 });
  }
  const oldest = startOfDay(now, days - 1);
  for (const { startedAt, summary } of state.runs(RUNS)) {
    if (startedAt < oldest) break;
    const start = startOfDay(startedAt, 0);
    const day = byDay.get(start);
    if (day !== undefined && summary !== null) byDay.set(start, addRun(day, countsIn(summary)));
  }
  return [...byDay.values()];
}

function addRun(day: DayOfChanges, counts: RunReport["counts"]): DayOfChanges {
  return {
    at: day.at,
    uploaded: day.uploaded + counts.uploaded + counts.createdRemote + counts.submitted,
    downloaded: day.downloaded + counts.downloaded + counts.createdLocal,
    merged: day.merged + counts.merged,
    conflicts: day.conflicts + counts.conflicts,
  };
}

/** @param daysBack number of days before the day of `time` */
function startOfDay(time: number, daysBack: number): number {
  const day = new Date(time);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() - daysBack).getTime();
}

function countsIn(summary: string): RunReport["counts"] {
  const { counts } = JSON.parse(summary) as { readonly counts?: RunReport["counts"] };
  return { ...zeroCounts(), blocked: 0, ...counts };
}

type Summary = {
  readonly state?: string;
  readonly counts?: RunReport["counts"];
  readonly undoes?: readonly number[];
};

/** Reads the summary of a run. A summary of another mdmirror version may have other members. */
function summaryOf(summary: string | null): Pick<RunLine, "state" | "done"> & { readonly undoes: readonly number[] } {
  if (summary === null) return { state: null, done: null, undoes: [] };
  const { state, counts, undoes = [] } = JSON.parse(summary) as Summary;
  return {
    undoes,
    state: state ?? null,
    done: counts === undefined ? null : doneLine({ ...zeroCounts(), ...counts }),
  };
}
