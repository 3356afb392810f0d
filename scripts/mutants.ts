/**
 * `npm run plant-faults [-- --only ID …] [--net own|lives|both] [--lives N]`: faults that are
 * planted on purpose, one at a time, in memory, and a net thrown over each. First the control,
 * without any fault, which must pass. `own` (the default): the drills and tests that are meant for
 * the fault; all must be caught. `lives`: the lives of N seeds (60 by default; of each a plain one
 * and one with plots) and nothing else, which nobody wrote for any fault: how many they catch is a
 * measure, and none of them a failure.
 * `both`: each fault twice. The last line tells how many were planted and caught; exit 1 on any
 * that its own net missed, or on a control that failed.
 */
import { parseArgs } from "node:util";
import { saveResult } from "./results.ts";
import { FAULTS } from "../test/simulator/faults/all.ts";
import { checkFault } from "../test/simulator/faults/fault.ts";
import { controlsOf, type FaultEnd, jobOf, livesJobOf, readEnd, runJobs } from "../test/simulator/faults/run.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    net: { type: "string", default: "own" },
    lives: { type: "string", default: "60" },
    "no-control": { type: "boolean", default: false },
    json: { type: "string" },
  },
});
const chosen = FAULTS.filter(({ id }) => values.only === undefined || values.only.includes(id));
if (chosen.length === 0) throw new Error("no such fault");
if (!["own", "lives", "both"].includes(values.net)) throw new Error("--net is own, lives or both");
const lives = Number(values.lives);
if (!Number.isInteger(lives) || lives < 1) throw new Error("--lives is a number from 1 on");
for (const fault of chosen) checkFault(fault);

const started = performance.now();
const row = (cells: readonly (readonly [string, number])[]) =>
  console.log(cells.map(([text, width]) => text.slice(0, width).padEnd(width)).join("  "));
row([
  ["fault", 30],
  ["breaks", 6],
  ["caught by", 40],
  ["after", 5],
  ["time", 7],
  ["what the net says", 100],
]);
const show = (one: FaultEnd) => {
  const { by, says } = readEnd(one);
  row([
    [one.job.fault?.id ?? "(control: no fault)", 30],
    [one.job.fault?.promise ?? "", 6],
    [by, 40],
    ["kind" in one.end ? "" : String(one.end.drills + one.end.lives + one.end.tests), 5],
    [`${(one.ms / 1000).toFixed(1)} s`, 7],
    [says.replaceAll("\n", " "), 100],
  ]);
};
const withOwn = values.net !== "lives";
const withLives = values.net !== "own";
const controls = [...(withOwn ? controlsOf(chosen) : []), ...(withLives ? [livesJobOf(null, lives)] : [])];
const ends = await runJobs(
  [
    ...(values["no-control"] ? [] : controls),
    ...(withOwn ? chosen.map(jobOf) : []),
    ...(withLives ? chosen.map((fault) => livesJobOf(fault, lives)) : []),
  ],
  show,
);
const own = ends.filter(({ job }) => job.fault !== null && job.lives === 0);
const missed = own.filter((end) => !readEnd(end).caught);
const byLives = ends.filter((end) => end.job.fault !== null && end.job.lives > 0 && readEnd(end).caught).length;
const broken = ends.some(({ job, end }) => job.fault === null && ("kind" in end || end.caught !== null));
if (withOwn) saveResult(values.json, { planted: own.length, missed: missed.map(({ job }) => job.fault!.id) });
for (const { job } of missed)
  console.log(`NOT CAUGHT: ${job.fault!.id} (${job.fault!.promise}): the program ${job.fault!.does}`);
if (broken) console.log("THE CONTROL FAILED: what is caught means nothing");
console.log(`in ${((performance.now() - started) / 1000).toFixed(0)} s`);
const told = {
  own: `${own.length - missed.length} caught`,
  lives: `${byLives} caught by the lives of ${lives} seeds alone`,
  both: `${own.length - missed.length} caught (${byLives} by the lives of ${lives} seeds alone)`,
}[values.net];
console.log(`${chosen.length} planted, ${told}`);
process.exit(missed.length === 0 && !broken ? 0 : 1);
