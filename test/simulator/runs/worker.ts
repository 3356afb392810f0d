import { parentPort, workerData } from "node:worker_threads";
import { makeScript, makeSmallScript } from "./generate.ts";
import { makeScenarioScript } from "./scenarios.ts";
import { makeLinkedScript } from "./linked.ts";
import { makeProgramScript } from "./programs.ts";
import { type ProfileName, PROFILES } from "../../variants/variant.ts";
import { runSimulation } from "./run.ts";
import { shrink } from "./shrink.ts";
import { describeStep } from "./script.ts";
import { countRun, noTotals } from "./totals.ts";

/** Kinds of scripts, made by generate.ts, scenarios.ts, linked.ts and programs.ts. */
export type RunKind = "plain" | "scenarios" | "small" | "links" | "programs";

/**
 * Task of a worker: runs every `every`-th seed of a range, reports each failure as text, and its
 * totals at the end.
 */
export type WorkerTask = {
  readonly first: number;
  readonly runs: number;
  readonly steps: number;
  readonly every: number;
  readonly offset: number;
  readonly kind: RunKind;
  /** Deployment of all runs; null: each run has the deployment of its seed. */
  readonly profile: ProfileName | null;
};

const MAKERS = {
  plain: makeScript,
  scenarios: makeScenarioScript,
  small: makeSmallScript,
  links: makeLinkedScript,
  programs: makeProgramScript,
} as const;

function report(text: string): void {
  parentPort!.postMessage({ kind: "failure", text });
}

const { first, runs, steps, every, offset, kind, profile } = workerData as WorkerTask;
const totals = noTotals();
for (let seed = first + offset; seed < first + runs; seed += every) {
  const made = MAKERS[kind](seed, steps);
  const script = profile === null ? made : { ...made, setup: { ...made.setup, variant: PROFILES[profile] } };
  const run = await runSimulation(script);
  countRun(totals, run);
  if (run.failures.length === 0) continue;
  // Reported before the run is shrunk, because a run of programs takes hours to shrink.
  report(`seed ${seed}: ${run.failures.length} failures, the first: ${run.failures[0]}`);
  const small = await shrink(script, run);
  const reported = [
    `seed ${seed} shrunk to ${small.script.steps.length} steps: ${small.run.failures[0]}`,
    `  ${JSON.stringify(small.script.setup)}`,
    ...small.script.steps.map(
      (step, index) => `    ${index + 1}. ${describeStep(step)}\n       ${small.run.steps[index] ?? ""}`,
    ),
    ...small.run.why.map((line) => `  why ${line}`),
    `  as a row: ${JSON.stringify(small.script)}`,
  ];
  report(reported.join("\n"));
}
parentPort!.postMessage({ kind: "totals", totals });
