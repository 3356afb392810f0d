/**
 * `npm run simulate -- --seed N --runs M [--steps S] [--workers W] [--plots | --small | --links |
 * --programs]`: seeded lives of several mirrors and a person in the app (test/simulator/life). Prints each failing
 * seed with its script shrunk to a few steps and the `why` of the documents it names, and the
 * totals; exit 1 on any failure. `--small`: workspaces of one to four documents
 * (test/simulator/life/small.ts). `--plots`: lives with plots in them
 * (test/simulator/life/plots.ts). `--links`: documents that link each other, in mirrors that
 * translate links (test/simulator/life/linked.ts). `--programs`: programs beside daemons that write
 * many files, read back and wait (test/simulator/life/programs.ts). `--profile NAME`: all with one deployment of
 * test/variants/profiles.ts, in place of that of each seed. `--one-mirror [--no-kills]
 * [--no-faults]`: the older lives of one mirror (test/simulator/simulate.ts).
 */
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { saveResult } from "./results.ts";
import { addTotals, noTotals, type Totals, tellTotals } from "../test/simulator/life/totals.ts";
import type { WorkerTask } from "../test/simulator/life/worker.ts";
import { asksForHelp, tellUsage } from "./usage.ts";
import { readProfile } from "../test/variants/profiles.ts";
import { simulate } from "../test/simulator/simulate.ts";

if (asksForHelp()) {
  tellUsage(import.meta.url);
  process.exit(0);
}
const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    runs: { type: "string", default: "100" },
    steps: { type: "string" },
    plots: { type: "boolean", default: false },
    small: { type: "boolean", default: false },
    links: { type: "boolean", default: false },
    programs: { type: "boolean", default: false },
    profile: { type: "string" },
    workers: { type: "string", default: "2" },
    "one-mirror": { type: "boolean", default: false },
    "no-kills": { type: "boolean", default: false },
    "no-faults": { type: "boolean", default: false },
    json: { type: "string" },
  },
});
const first = Number(values.seed);
const runs = Number(values.runs);
const failed = values["one-mirror"] ? await oneMirror() : await manyLives();
process.exit(failed === 0 ? 0 : 1);

type Told = { readonly kind: "failure"; readonly text: string } | { readonly kind: "totals"; readonly totals: Totals };

async function manyLives(): Promise<number> {
  const workers = Math.max(1, Math.min(Number(values.workers), runs));
  const sum = noTotals();
  const profile = values.profile === undefined ? null : readProfile(values.profile);
  const kind = (["plots", "small", "links", "programs"] as const).find((name) => values[name]) ?? "plain";
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
  console.log(tellTotals(sum));
  const { crashPoints, faults, ...counts } = sum;
  const told = { ...counts, crashPoints: crashPoints.size, faults: Object.fromEntries(faults) };
  saveResult(values.json, { kind, ...told });
  return sum.failed;
}

function runWorker(workerData: WorkerTask, sum: Totals): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("../test/simulator/life/worker.ts", import.meta.url), { workerData });
    worker.on("message", (told: Told) => {
      if (told.kind === "failure") console.log(told.text);
      else addTotals(sum, told.totals);
    });
    worker.on("error", reject);
    worker.on("exit", (code) => (code === 0 ? resolve() : reject(new Error(`a worker ended with ${code}`))));
  });
}

async function oneMirror(): Promise<number> {
  let [steps, calls, kills, failures] = [0, 0, 0, 0];
  for (let seed = first; seed < first + runs; seed++) {
    const life = await simulate(seed, {
      steps: Number(values.steps ?? "30"),
      kills: !values["no-kills"],
      faults: !values["no-faults"],
    });
    steps += life.steps.length;
    calls += life.portCalls;
    kills += life.kills;
    if (life.failures.length === 0) continue;
    failures++;
    console.log(`seed ${seed}: ${life.failures.length} failures`);
    for (const failure of life.failures.slice(0, 5)) console.log(`  ${failure}`);
    for (const [index, step] of life.steps.entries()) console.log(`    ${index + 1}. ${step}`);
  }
  console.log(`simulated ${runs} lives: ${steps} steps, ${calls} port calls, ${kills} kills, ${failures} failed`);
  return failures;
}
