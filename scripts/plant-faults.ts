/**
 * `npm run plant-faults [-- --only ID …]`: faults that are planted on purpose, one at a time, in memory, and the net of drills and tests thrown over
 * each. First the control, without any fault, which must pass. The last line tells how many were planted and caught; exit 1 on any that was not, or on a control
 * that failed.
 */
import { parseArgs } from "node:util";
import { FAULTS } from "../test/model/faults/all.ts";
import { checkFault } from "../test/model/faults/fault.ts";
import { controlsOf, type FaultEnd, jobOf, readEnd, runJobs } from "../test/model/faults/run.ts";

const { values } = parseArgs({
  options: { only: { type: "string", multiple: true }, "no-control": { type: "boolean", default: false } },
});
const chosen = FAULTS.filter(({ id }) => values.only === undefined || values.only.includes(id));
if (chosen.length === 0) throw new Error("no such fault");
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
    [one.fault?.id ?? "(control: no fault)", 30],
    [one.fault?.promise ?? "", 6],
    [by, 40],
    ["kind" in one.end ? "" : String(one.end.drills + one.end.tests), 5],
    [`${(one.ms / 1000).toFixed(1)} s`, 7],
    [says.replaceAll("\n", " "), 100],
  ]);
};
const controls = values["no-control"] ? [] : controlsOf(chosen);
const ends = await runJobs([...controls, ...chosen.map(jobOf)], show);
const planted = ends.filter(({ fault }) => fault !== null);
const missed = planted.filter((end) => !readEnd(end).caught);
const broken = ends.some((end) => end.fault === null && ("kind" in end.end || end.end.caught !== null));
for (const { fault } of missed) console.log(`NOT CAUGHT: ${fault!.id} (${fault!.promise}): the program ${fault!.does}`);
if (broken) console.log("THE CONTROL FAILED: what is caught means nothing");
console.log(`in ${((performance.now() - started) / 1000).toFixed(0)} s`);
console.log(`${planted.length} planted, ${planted.length - missed.length} caught`);
process.exit(missed.length === 0 && !broken ? 0 : 1);
