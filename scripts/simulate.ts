/**
 * `npm run simulate -- --seed N --runs M [--steps S] [--no-kills] [--no-faults]`: seeded lives of a mirror, one after the other. Prints each failing seed with its steps;
 * exit 1 on any failure.
 */
import { parseArgs } from "node:util";
import { simulate } from "../test/model/simulate.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    runs: { type: "string", default: "100" },
    steps: { type: "string", default: "30" },
    "no-kills": { type: "boolean", default: false },
    "no-faults": { type: "boolean", default: false },
  },
});
const first = Number(values.seed);
const runs = Number(values.runs);
let steps = 0;
let calls = 0;
let kills = 0;
let failed = 0;
for (let seed = first; seed < first + runs; seed++) {
  const life = await simulate(seed, {
    steps: Number(values.steps),
    kills: !values["no-kills"],
    faults: !values["no-faults"],
  });
  steps += life.steps.length;
  calls += life.portCalls;
  kills += life.kills;
  if (life.failures.length === 0) continue;
  failed++;
  console.log(`seed ${seed}: ${life.failures.length} failures`);
  for (const failure of life.failures.slice(0, 5)) console.log(`  ${failure}`);
  for (const [index, step] of life.steps.entries()) console.log(`    ${index + 1}. ${step}`);
}
console.log(`simulated ${runs} lives: ${steps} steps, ${calls} port calls, ${kills} kills, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
