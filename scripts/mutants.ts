/**
 * `npm run mutants [-- --only ID …] [--suite own|runs|both] [--runs N]`: applies one mutant of the
 * source at a time, in memory, and runs a test suite on each. The control, without a mutant, comes
 * first and must pass. `own` (the default): the fault-injection tests and the tests that belong to
 * the mutant; all must be caught. `runs`: the simulation runs of N seeds (60 by default; of each
 * seed a plain one and one with scenarios). How many mutants they catch is a measure, not a check.
 * `both`: each mutant twice. The last line says how many mutants were caught; exit 1 if the own
 * suite missed one, or a control failed.
 */
import { parseArgs } from "node:util";
import { saveResult } from "./results.ts";
import { MUTANTS } from "../test/simulator/mutants/all.ts";
import { checkMutant } from "../test/simulator/mutants/mutant.ts";
import { controlsOf, type MutantEnd, jobOf, runsJobOf, readEnd, runJobs } from "../test/simulator/mutants/run.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    suite: { type: "string", default: "own" },
    runs: { type: "string", default: "60" },
    "no-control": { type: "boolean", default: false },
    json: { type: "string" },
  },
});
const chosen = MUTANTS.filter(({ id }) => values.only === undefined || values.only.includes(id));
if (chosen.length === 0) throw new Error("no such mutant");
if (!["own", "runs", "both"].includes(values.suite)) throw new Error("--suite is own, runs or both");
const simulations = Number(values.runs);
if (!Number.isInteger(simulations) || simulations < 1) throw new Error("--runs is a number from 1 on");
for (const mutant of chosen) checkMutant(mutant);

const started = performance.now();
const row = (cells: readonly (readonly [string, number])[]) =>
  console.log(cells.map(([text, width]) => text.slice(0, width).padEnd(width)).join("  "));
row([
  ["mutant", 30],
  ["breaks", 6],
  ["caught by", 40],
  ["after", 5],
  ["time", 7],
  ["what the suite says", 100],
]);
const show = (one: MutantEnd) => {
  const { by, says } = readEnd(one);
  row([
    [one.job.mutant?.id ?? "(control: no mutant)", 30],
    [one.job.mutant?.promise ?? "", 6],
    [by, 40],
    ["kind" in one.end ? "" : String(one.end.faultTests + one.end.simulations + one.end.tests), 5],
    [`${(one.ms / 1000).toFixed(1)} s`, 7],
    [says.replaceAll("\n", " "), 100],
  ]);
};
const withOwn = values.suite !== "runs";
const withRuns = values.suite !== "own";
const controls = [...(withOwn ? controlsOf(chosen) : []), ...(withRuns ? [runsJobOf(null, simulations)] : [])];
const ends = await runJobs(
  [
    ...(values["no-control"] ? [] : controls),
    ...(withOwn ? chosen.map(jobOf) : []),
    ...(withRuns ? chosen.map((mutant) => runsJobOf(mutant, simulations)) : []),
  ],
  show,
);
const own = ends.filter(({ job }) => job.mutant !== null && job.simulations === 0);
const missed = own.filter((end) => !readEnd(end).caught);
const byRuns = ends.filter((end) => end.job.mutant !== null && end.job.simulations > 0 && readEnd(end).caught).length;
const broken = ends.some(({ job, end }) => job.mutant === null && ("kind" in end || end.caught !== null));
if (withOwn) saveResult(values.json, { mutated: own.length, missed: missed.map(({ job }) => job.mutant!.id) });
for (const { job } of missed)
  console.log(`NOT CAUGHT: ${job.mutant!.id} (${job.mutant!.promise}): the program ${job.mutant!.does}`);
if (broken) console.log("THE CONTROL FAILED: what is caught means nothing");
console.log(`in ${((performance.now() - started) / 1000).toFixed(0)} s`);
const reported = {
  own: `${own.length - missed.length} caught`,
  runs: `${byRuns} caught by the runs of ${simulations} seeds alone`,
  both: `${own.length - missed.length} caught (${byRuns} by the runs of ${simulations} seeds alone)`,
}[values.suite];
console.log(`${chosen.length} mutants, ${reported}`);
process.exit(missed.length === 0 && !broken ? 0 : 1);
