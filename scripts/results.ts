/** Results that scripts store as JSON. The tables of the documents are made from them. */
import { writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { basename, isAbsolute, resolve } from "node:path";

/** When and where a result was measured. */
export type About = {
  /** Time in ISO 8601. */
  readonly at: string;
  readonly node?: string;
  readonly cpus: number;
  /** Load average of the last minute at the end; for a benchmark, at its start and end. */
  readonly load?: number | readonly [number, number];
  /** Arguments of the command; only the last name of a path. */
  readonly args?: readonly string[];
  readonly note?: string;
};

/** @param file path of the result; undefined to store nothing */
export function saveResult(file: string | undefined, result: object): void {
  if (file === undefined) return;
  writeFileSync(resolve(file), `${JSON.stringify({ about: aboutRun(file), ...result }, null, 1)}\n`);
}

/** @param file path of the result, which is left out of the arguments */
export function aboutRun(file = ""): About {
  return {
    at: new Date().toISOString(),
    node: process.version,
    cpus: availableParallelism(),
    load: Math.round(loadavg()[0]! * 10) / 10,
    args: process.argv
      .slice(2)
      .filter((arg) => arg !== file && arg !== "--json")
      .map((arg) => (isAbsolute(arg) ? basename(arg) : arg)),
  };
}
