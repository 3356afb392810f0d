import { readFileSync } from "node:fs";
import { APP_ACTS, INCIDENT_KINDS, LOCAL_ACTS, MOMENTS, PROGRAM_ACTS, type Script, type Step } from "./script.ts";

export type Row = {
  readonly found: string;
  readonly script: Script;
  /** True if `npm test` runs the case, because no other test states its rule. */
  readonly short?: true;
};

function readRows(file: string): readonly Row[] {
  const lines = readFileSync(new URL(`regressions/${file}`, import.meta.url), "utf8").split("\n");
  return lines.flatMap((line, index) => (line === "" ? [] : [rowOf(line, `${file}:${index + 1}`)]));
}

/** LIMIT: bytes of a case, so that a reader can follow it and the repository stays small. */
const MAX_BYTES = 200_000;

/**
 * Reads a row. Refuses a misspelt step, which would do nothing, so its case would pass for that
 * reason.
 */
function rowOf(line: string, where: string): Row {
  if (Buffer.byteLength(line) > MAX_BYTES) throw new Error(`${where}: longer than ${MAX_BYTES} bytes: shrink it`);
  const row = JSON.parse(line) as Row;
  if (typeof row.found !== "string" || row.found === "") throw new Error(`${where}: it does not tell what it found`);
  if (row.script.steps.length === 0) throw new Error(`${where}: nothing happens in it`);
  JSON.stringify(row.script.steps, (key, value: unknown) => {
    if (WORDS[key]?.has(value) === false) throw new Error(`${where}: no such ${key}: ${String(value)}`);
    return value;
  });
  return row;
}

/** Words that are valid for a member of a step. */
const WORDS: Readonly<Record<string, ReadonlySet<unknown>>> = {
  do: new Set<Step["do"]>([
    ...(["here", "there", "sync", "watch", "grant", "workspace"] as const),
    ...(["backup", "restore-backup", "approve", "wait", "set-clock"] as const),
  ]),
  act: new Set([...Object.keys(LOCAL_ACTS), ...Object.keys(APP_ACTS), ...PROGRAM_ACTS]),
  moment: new Set(MOMENTS),
  what: new Set(INCIDENT_KINDS),
};

/**
 * Shrunk scripts of runs that failed once, each with its failure, one a line. They are data, so
 * they stay the same when the generator changes. `script.seed` is the seed of the failed run.
 */
export const FAILED_ONCE: readonly Row[] = readRows("failed-once.jsonl");
