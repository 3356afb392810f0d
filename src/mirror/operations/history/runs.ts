import { zeroCounts } from "../../engine/run/world.ts";
import type { State } from "../../ports/state.ts";
import type { RunReport } from "../../folder/run.ts";
import { doneLine } from "../results/done.ts";
import { RUNS } from "./events.ts";

/** Reads the results of runs, in the words of the commands. */

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
   * Counts of the run's changes, such as `3 uploaded, 1 created locally`; null if nothing was
   * changed or known.
   */
  readonly done: string | null;
};

/** Returns the lines of all runs, newest first. */
export function readRuns(state: State): readonly RunLine[] {
  return state.runs(RUNS).map(({ summary, ...run }) => ({ ...run, ...summaryOf(summary) }));
}

/** Reads the summary of a run. A summary of another mdmirror version may have other members. */
function summaryOf(summary: string | null): Pick<RunLine, "state" | "done"> {
  if (summary === null) return { state: null, done: null };
  const { state, counts } = JSON.parse(summary) as { readonly state?: string; readonly counts?: RunReport["counts"] };
  return {
    state: state ?? null,
    done: counts === undefined ? null : doneLine({ ...zeroCounts(), ...counts }),
  };
}
