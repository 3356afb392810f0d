import { zeroCounts } from "../../engine/run/world.ts";
import type { State } from "../../ports/state.ts";
import type { RunReport } from "../../folder/run.ts";
import { doneLine } from "../results/done.ts";

/** What runs did, in the words of the commands. */

export type RunLine = {
  readonly run: number;
  readonly kind: string;
  readonly startedAt: number;
  /** null: it goes on, or was cut off. */
  readonly endedAt: number | null;
  /** `in-sync`, `stopped` … as the run ended; null: it did not say. */
  readonly state: string | null;
  /** `3 uploaded, 1 new here`; null: nothing was done, or nothing is known of it. */
  readonly done: string | null;
};

/** LIMIT: runs that are read. */
const RUNS = 10_000;

/** Newest first. */
export function readRuns(state: State): readonly RunLine[] {
  return state.runs(RUNS).map(({ summary, ...run }) => ({ ...run, ...summaryOf(summary) }));
}

/** Of another version, it may have other members. */
function summaryOf(summary: string | null): Pick<RunLine, "state" | "done"> {
  if (summary === null) return { state: null, done: null };
  const { state, counts } = JSON.parse(summary) as { readonly state?: string; readonly counts?: RunReport["counts"] };
  return {
    state: state ?? null,
    done: counts === undefined ? null : doneLine({ ...zeroCounts(), ...counts }),
  };
}
