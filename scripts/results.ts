/** Results that scripts keep as JSON, from which the tables of the documents are made. */
import { writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { basename, isAbsolute, resolve } from "node:path";

/** When and where a result was measured. */
export type About = {
  /** ISO 8601. */
  readonly at: string;
  readonly node?: string;
  readonly cpus: number;
  /** The load of the last minute, at the end; of a bench at its begin and end. */
  readonly load?: number | readonly [number, number];
  /** Arguments of the command; of a path its last name. */
  readonly args?: readonly string[];
  readonly note?: string;
};

/** @param file where it goes; undefined: nothing is kept */
export function saveResult(file: string | undefined, result: object): void {
  if (file === undefined) return;
  writeFileSync(resolve(file), `${JSON.stringify({ about: aboutRun(file), ...result }, null, 1)}\n`);
}

/** @param file of the result, which is no part of what was asked for */
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
