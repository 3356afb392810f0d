import { makeZeroCounts } from "../../engine/run/world.ts";
import type { State } from "../../ports/state.ts";
import type { RunReport } from "../../folder/run.ts";
import { formatCounts } from "../results/done.ts";
import { MAX_RUNS } from "./events.ts";

export type RunLine = {
  readonly run: number;
  readonly kind: string;
  readonly startedAt: number;
  /** End in milliseconds since the epoch; null if the run was interrupted or is not over. */
  readonly endedAt: number | null;
  /** State at the end of the run, such as `in-sync` or `stopped`; null if it is not known. */
  readonly state: string | null;
  /** Changes such as `3 uploaded, 1 created locally`; null if there were none or are unknown. */
  readonly done: string | null;
  /** Last run that undid this run; null if none did. */
  readonly undoneBy: Pick<RunLine, "run" | "startedAt"> | null;
};

/** Returns all runs, newest first. */
export function readRuns(state: State): readonly RunLine[] {
  const undoneBy = new Map<number, RunLine["undoneBy"]>();
  return state.runs(MAX_RUNS).map(({ summary, ...run }) => {
    const { undoes, ...facts } = readSummary(summary);
    for (const one of undoes) if (!undoneBy.has(one)) undoneBy.set(one, run);
    return { ...run, ...facts, undoneBy: undoneBy.get(run.run) ?? null };
  });
}

export type DayOfChanges = {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly uploaded: number;
  readonly downloaded: number;
  readonly merged: number;
  readonly conflicts: number;
};

/**
 * Returns the changes of the last days, oldest day first. Days without changes are listed too.
 * @param now time in milliseconds since the epoch
 */
export function readDays(state: State, now: number, days: number): readonly DayOfChanges[] {
  const byDay = new Map<number, DayOfChanges>();
  for (let daysBack = days - 1; daysBack >= 0; daysBack--) {
    const start = startOfDay(now, daysBack);
    byDay.set(start, { at: start, uploaded: 0, downloaded: 0, merged: 0, conflicts: 0 });
  }
  const oldestDay = startOfDay(now, days - 1);
  for (const { startedAt, summary } of state.runs(MAX_RUNS)) {
    if (startedAt < oldestDay) break;
    const start = startOfDay(startedAt, 0);
    const day = byDay.get(start);
    if (day !== undefined && summary !== null) byDay.set(start, addRun(day, readCounts(summary)));
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

/**
 * Returns the beginning of a local day, in milliseconds since the epoch.
 * @param daysBack number of days before the day of `time`
 */
function startOfDay(time: number, daysBack: number): number {
  const day = new Date(time);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() - daysBack).getTime();
}

function readCounts(summary: string): RunReport["counts"] {
  const { counts } = JSON.parse(summary) as { readonly counts?: RunReport["counts"] };
  return { ...makeZeroCounts(), blocked: 0, ...counts };
}

type StoredSummary = {
  readonly state?: string;
  readonly counts?: RunReport["counts"];
  readonly undoes?: readonly number[];
};

/** Reads the summary of a run, which another version of mdmirror may have written. */
function readSummary(summary: string | null): Pick<RunLine, "state" | "done"> & { readonly undoes: readonly number[] } {
  if (summary === null) return { state: null, done: null, undoes: [] };
  const { state, counts, undoes = [] } = JSON.parse(summary) as StoredSummary;
  return {
    undoes,
    state: state ?? null,
    done: counts === undefined ? null : formatCounts({ ...makeZeroCounts(), ...counts }),
  };
}
