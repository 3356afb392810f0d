/**
 * `npm run simulate -- --seed N --runs M [--steps S] [--workers W] [--scenarios | --small | --links
 * | --programs | --replay BUNDLE]`: runs seeded simulations of several mirrors and a user of the
 * web app (test/simulator/runs). Prints each failing seed, its script shrunk to a few steps, the
 * plans of the documents that the failure names, and totals. Exit 1 on any failure.
 *
 * - `--scenarios` runs scripts with scenarios.
 * - `--small` uses workspaces of one to four documents.
 * - `--links` uses documents that link to each other, and mirrors that translate links.
 * - `--programs` runs programs beside daemons that write many files, read them and wait.
 * - `--profile NAME` uses one deployment of test/variants/variant.ts for all runs, instead of each
 *   seed's own.
 * - `--replay BUNDLE` replays the plan in a user's `mdmirror doctor --bundle BUNDLE`. Exit 1 if the
 *   plan differs from the recorded one.
 */
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { addTotals, noTotals, type Totals, describeTotals } from "../test/simulator/runs/totals.ts";
import type { WorkerTask } from "../test/simulator/runs/worker.ts";
import { asksForHelp, printUsage } from "./usage.ts";
import { readProfile } from "../test/variants/variant.ts";
import { readFileSync } from "node:fs";
import { readBundle, replayBundle } from "../test/simulator/replay.ts";

if (asksForHelp()) {
  printUsage(import.meta.url);
  process.exit(0);
}
const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    runs: { type: "string", default: "100" },
    steps: { type: "string" },
    scenarios: { type: "boolean", default: false },
    small: { type: "boolean", default: false },
    links: { type: "boolean", default: false },
    programs: { type: "boolean", default: false },
    profile: { type: "string" },
    replay: { type: "string" },
    workers: { type: "string", default: "2" },
  },
});
const first = Number(values.seed);
const runs = Number(values.runs);
process.exit((values.replay === undefined ? await runSeeds() : replay(values.replay)) === 0 ? 0 : 1);

/** Prints the plan of a bundle. Returns the number of differences from the recorded plan. */
function replay(file: string): number {
  const bundle = readBundle(readFileSync(file, "utf8"));
  const { lines, differences } = replayBundle(bundle);
  for (const line of lines) console.log(line);
  return differences.length;
}

type Reported =
  | { readonly kind: "failure"; readonly text: string }
  | { readonly kind: "totals"; readonly totals: Totals };

async function runSeeds(): Promise<number> {
  const workers = Math.max(1, Math.min(Number(values.workers), runs));
  const sum = noTotals();
  const profile = values.profile === undefined ? null : readProfile(values.profile);
  const kind = (["scenarios", "small", "links", "programs"] as const).find((name) => values[name]) ?? "plain";
  const tasks = Array.from({ length: workers }, (_, offset) => {
    const task: WorkerTask = {
      first,
      runs,
      steps: Number(values.steps ?? "40"),
      every: workers,
      offset,
      kind,
      profile,
    };
    return runWorker(task, sum);
  });
  await Promise.all(tasks);
  console.log(describeTotals(sum));
  return sum.failed;
}

function runWorker(workerData: WorkerTask, sum: Totals): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("../test/simulator/runs/worker.ts", import.meta.url), { workerData });
    worker.on("message", (reported: Reported) => {
      if (reported.kind === "failure") console.log(reported.text);
      else addTotals(sum, reported.totals);
    });
    worker.on("error", reject);
    worker.on("exit", (code) => (code === 0 ? resolve() : reject(new Error(`a worker ended with ${code}`))));
  });
}
