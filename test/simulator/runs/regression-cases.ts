import { readFileSync } from "node:fs";
import { APP_ACTS, HAPPENINGS, LOCAL_ACTS, MOMENTS, PROGRAM_ACTS, type Script, type Step } from "./script.ts";

export type Row = {
  readonly found: string;
  readonly script: Script;
  /** True if `npm test` runs the case, because no test of the engine states its rule. */
  readonly short?: true;
};

/**
 * Runs that failed once, shrunk, with the failure: one on a line. They are data, so they stay the
 * same when the generator changes. `script.seed` is the seed that found the failure.
 */
export const FAILED_ONCE: readonly Row[] = readRows("failed-once.jsonl");

function readRows(file: string): readonly Row[] {
  const lines = readFileSync(new URL(`regressions/${file}`, import.meta.url), "utf8").split("\n");
  return lines.flatMap((line, index) => (line === "" ? [] : [rowOf(line, `${file}:${index + 1}`)]));
}

/** A misspelt step would do nothing, and its case would pass for that reason: it is refused. */
function rowOf(line: string, where: string): Row {
  const row = JSON.parse(line) as Row;
  if (typeof row.found !== "string" || row.found === "") throw new Error(`${where}: it does not tell what it found`);
  if (row.script.steps.length === 0) throw new Error(`${where}: nothing happens in it`);
  for (const step of row.script.steps)
    if (!isKnown(step)) throw new Error(`${where}: no such step: ${JSON.stringify(step)}`);
  return row;
}

function isLocal(act: string): boolean {
  return LOCAL_ACTS.some((one) => one === act);
}

function isInApp(act: string): boolean {
  return APP_ACTS.some((one) => one === act);
}

function isOfProgram(act: string): boolean {
  return PROGRAM_ACTS.some((one) => one === act);
}

function isKnown(step: Step): boolean {
  switch (step.do) {
    case "here":
      return isLocal(step.act);
    case "there":
      return isInApp(step.act);
    case "sync":
      return (
        step.interventions.every(({ by, act }) => (by === "app" ? isInApp(act) : by === "local" && isLocal(act))) &&
        (step.incidents ?? []).every(({ moment, what }) => MOMENTS.includes(moment) && HAPPENINGS.includes(what))
      );
    case "watch":
      return step.acts.every(({ by, act }) => (by === "app" ? isInApp : by === "program" ? isOfProgram : isLocal)(act));
    case "grant":
    case "workspace":
    case "backup":
    case "restore-backup":
    case "approve":
    case "wait":
    case "set-clock":
      return true;
    default:
      return false;
  }
}
