import { parseArgs } from "node:util";
import { findFault } from "./all.ts";
import type { Throw } from "./caught.ts";
import { throwDrills } from "./net-drills.ts";
import { throwLives } from "./net-lives.ts";
import { plantHere } from "./plant.ts";

/**
 * Applies one mutant in this process and runs the suite on it. Without a mutant: the control. The
 * last line of its output is the outcome as JSON.
 */

const { values } = parseArgs({
  options: {
    fault: { type: "string" },
    drills: { type: "string" },
    first: { type: "string" },
    lives: { type: "string", default: "0" },
    tests: { type: "string", multiple: true, default: [] },
  },
});
const fault = values.fault === undefined ? null : findFault(values.fault);
let end: Throw = { caught: null, drills: 0, lives: 0, tests: 0, reached: fault === null };
const lives = Number(values.lives);
if (values.drills !== undefined || lives > 0) {
  const isReached = fault === null ? () => true : plantHere(fault);
  if (values.drills !== undefined) end = { ...end, ...(await throwDrills(values.drills, values.first ?? null)) };
  if (end.caught === null && lives > 0) end = { ...end, ...(await throwLives(lives)) };
  end = { ...end, reached: isReached() };
}
if (end.caught === null && values.tests.length > 0) {
  // Loading vitest takes a third of a second, which the fault-injection tests do not need.
  const { throwTests } = await import("./net-tests.ts");
  const thrown = await throwTests(fault, values.tests);
  end = { ...end, ...thrown, reached: end.reached || thrown.reached };
}
process.stdout.write(`\n${JSON.stringify(end)}\n`, () => process.exit(0));
