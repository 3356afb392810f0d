/**
 * `npm run mutants [-- --only ID …]`: applies one mutant of the source at a time, in memory, and
 * runs the test files that belong to the mutant until one test fails. These files must first pass
 * without a mutant. Exit 1 if they do not, or if no test finds a mutant.
 */
import { parseArgs } from "node:util";
import { MUTANTS } from "../test/simulator/mutants/all.ts";
import { checkMutant, runTests, type TestsEnd } from "../test/simulator/mutants/mutant.ts";
import { asksForHelp, printUsage } from "./usage.ts";

if (asksForHelp()) {
  printUsage(import.meta.url);
  process.exit(0);
}
const { values } = parseArgs({ options: { only: { type: "string", multiple: true } } });
const chosen = MUTANTS.filter(({ id }) => values.only === undefined || values.only.includes(id));
if (chosen.length === 0) throw new Error("no such mutant");
for (const mutant of chosen) checkMutant(mutant);

const control = await runTests(null, [...new Set(chosen.flatMap(({ tests }) => tests))]);
if (control.kind !== "passed") {
  console.log("The tests fail without a mutant:", control);
  process.exit(1);
}
const missed: string[] = [];
for (const mutant of chosen) {
  const end = await runTests(mutant, mutant.tests);
  if (end.kind !== "failed") missed.push(mutant.id);
  console.log([mutant.id.padEnd(30), mutant.promise, resultOf(end, mutant.does)].join("  "));
}
console.log(`${chosen.length} mutants, ${chosen.length - missed.length} caught`);
process.exit(missed.length === 0 ? 0 : 1);

function resultOf(end: TestsEnd, does: string): string {
  if (end.kind === "failed") return `caught by ${end.test}`;
  return end.kind === "broken" ? `the tests did not run: ${end.why}` : `NOT CAUGHT: the program ${does}`;
}
