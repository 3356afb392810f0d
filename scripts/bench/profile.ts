/**
 * CPU profiles of our side, made in a run of their own after the timed ones, and where their time
 * went: by file and by function, self time.
 */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Start } from "./child.ts";

/** Runs our side once more with a profile; nothing where none was asked for. */
export type Profiler = (name: string, run: (start: Start) => Promise<unknown>) => Promise<void>;

/** @param folder null: no profiles */
export function createProfiler(folder: string | null, say: (text: string) => void): Profiler {
  if (folder !== null) mkdirSync(folder, { recursive: true });
  return async (name, run) => {
    if (folder === null) return;
    const file = `${name}.cpuprofile`;
    await run({ env: { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder} --cpu-prof-name=${file}` } });
    say(`profile of ${name}, ${file}:`);
    for (const line of summarise(join(folder, file))) say(`  ${line}`);
  };
}

type Profile = {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
};

const MOST = 14;

/**
 * The busiest places and functions of the main thread, in ms and as a share of what was not idle.
 */
function summarise(file: string): string[] {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, "utf8")) as Profile;
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const [places, functions] = [new Map<string, number>(), new Map<string, number>()];
  let idle = 0;
  let busy = 0;
  samples.forEach((id, n) => {
    const ms = timeDeltas[n]! / 1_000;
    const { functionName, url, lineNumber } = frames.get(id)!;
    if (functionName === "(idle)") {
      idle += ms;
      return;
    }
    busy += ms;
    const place = placeOf(url, functionName);
    places.set(place, (places.get(place) ?? 0) + ms);
    const name = `${functionName === "" ? "(anonymous)" : functionName} ${place}${url === "" ? "" : `:${lineNumber + 1}`}`;
    functions.set(name, (functions.get(name) ?? 0) + ms);
  });
  const top = (of: ReadonlyMap<string, number>) =>
    [...of]
      .toSorted((a, b) => b[1] - a[1])
      .slice(0, MOST)
      .map(([name, ms]) => `${ms.toFixed(0).padStart(7)} ms ${((100 * ms) / busy).toFixed(0).padStart(3)} %  ${name}`);
  return [
    `busy ${busy.toFixed(0)} ms, idle ${idle.toFixed(0)} ms; by file:`,
    ...top(places),
    "by function:",
    ...top(functions),
  ];
}

function placeOf(url: string, functionName: string): string {
  if (url === "") return functionName.startsWith("(") ? functionName : "(native)";
  if (url.startsWith("node:")) return url;
  const packages = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url);
  return packages === null ? url.replace(/^.*\/(src|scripts)\//, "$1/") : `package ${packages[1]}`;
}
