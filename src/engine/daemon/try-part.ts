import type { Trees } from "../../model/tree.ts";
import type { RunReport } from "../run/report.ts";
import type { PhaseEvent } from "./phase.ts";
import type { RunLog } from "./run-log.ts";
import type { Runs } from "./runs.ts";
import type { Schedule } from "./schedule.ts";

/** Of the daemon's own. */
type Around = {
  readonly runs: Runs;
  readonly runLog: RunLog;
  readonly schedule: Schedule;
  readonly enter: (event: PhaseEvent) => void;
};

/**
 * Tries to judge a part of the documents by itself, which is possible for nearly every edit.
 * @param look looks at the part; `last`: the report of the last run
 * @returns false: a whole pass must judge
 */
export async function tryPart(
  { runs, runLog, schedule, enter }: Around,
  look: (last: RunReport) => "same" | "whole" | Trees,
): Promise<boolean> {
  const last = runLog.report();
  const part = last === null ? "whole" : look(last);
  if (last === null || part === "whole") return false;
  if (part === "same") return true;
  schedule.noteActivity();
  enter({ kind: "look" });
  const ended = await runs.runPart(part, last);
  if (ended === "whole") return false;
  schedule.noteSuccess();
  enter({ kind: "ended" });
  runLog.note({ ...ended, waiting: new Map(), begun: new Set(), calledOff: new Set() }, false);
  return true;
}

/**
 * Looks at the local changes that have settled.
 * @returns `done`: all is judged; else a run over all that is known must judge. `many`: the folder
 * is to be walked once more after it
 */
export async function judgeDirty(around: Around, now: number): Promise<"done" | "run" | "many"> {
  const { dirty } = around.runs;
  const { paths, whole, many } = dirty.take(now);
  if (paths.length === 0 && !many) return "done";
  if (!whole && !many && (await tryPart(around, (last) => around.runs.lookAtPart(paths, last)))) return "done";
  around.schedule.noteActivity();
  return many ? "many" : "run";
}
