import { zeroCounts } from "../../engine/run/world.ts";
import type { State } from "../../ports/state.ts";
import type { RunReport } from "../../folder/run.ts";
import { doneLine } from "../results/done.ts";

/** Results of runs, in the words of the commands. */

export type RunLine = {
  readonly run: number;
  readonly kind: string;
  readonly startedAt: number;
  /** Null if the run has not ended or was interrupted. */
  readonly endedAt: number | null;
  /** State at the end of the run, such as `in-sync` or `stopped`; null if it is not known. */
  readonly state: string | null;
  /** `3 uploaded, 1 created locally`; null if nothing was done, or nothing is known. */
  readonly done: string | null;
};

/** LIMIT: runs that are read. */
const RUNS = 10_000;

/** Newest first. */
export function readRuns(state: State): readonly RunLine[] {
  return state.runs(RUNS).map(({ summary, ...run }) => ({ ...run, ...summaryOf(summary) }));
}

/** A summary of another version may have other members. */
function summaryOf(summary: string | null): Pick<RunLine, "state" | "done"> {
  if (summary === null) return { state: null, done: null };
  const { state, counts } = JSON.parse(summary) as { readonly state?: string; readonly counts?: RunReport["counts"] };
  return {
    state: state ?? null,
    done: counts === undefined ? null : doneLine({ ...zeroCounts(), ...counts }),
  };
}
