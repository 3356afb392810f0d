import { parseArgs } from "node:util";
import { findMutant } from "./all.ts";
import type { SuiteEnd } from "./caught.ts";
import { runFaultTests } from "./suite-fault-injection.ts";
import { runSeeds } from "./suite-runs.ts";
import { applyHere } from "./apply-mutant.ts";

/**
 * Applies one mutant in this process and runs the suite on it. Without a mutant: the control. The
 * last line of its output is the outcome as JSON.
 */

const { values } = parseArgs({
  options: {
    mutant: { type: "string" },
    "fault-tests": { type: "string" },
    first: { type: "string" },
    runs: { type: "string", default: "0" },
    tests: { type: "string", multiple: true, default: [] },
  },
});
const mutant = values.mutant === undefined ? null : findMutant(values.mutant);
let end: SuiteEnd = { caught: null, faultTests: 0, simulations: 0, tests: 0, reached: mutant === null };
const simulations = Number(values.runs);
if (values["fault-tests"] !== undefined || simulations > 0) {
  const isReached = mutant === null ? () => true : applyHere(mutant);
  if (values["fault-tests"] !== undefined)
    end = { ...end, ...(await runFaultTests(values["fault-tests"], values.first ?? null)) };
  if (end.caught === null && simulations > 0) end = { ...end, ...(await runSeeds(simulations)) };
  end = { ...end, reached: isReached() };
}
if (end.caught === null && values.tests.length > 0) {
  // Loading vitest takes a third of a second, which the fault-injection tests do not need.
  const { runTests } = await import("./suite-tests.ts");
  const ran = await runTests(mutant, values.tests);
  end = { ...end, ...ran, reached: end.reached || ran.reached };
}
process.stdout.write(`\n${JSON.stringify(end)}\n`, () => process.exit(0));
