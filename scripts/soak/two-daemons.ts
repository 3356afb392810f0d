/**
 * `npm run soak -- daemons [seeds] [first] [steps]`: runs two daemons on one workspace with random
 * edits, seed by seed, in virtual time. Exit 1 if one does not converge.
 */
import { soakTwoDaemons } from "../../test/engine/daemon/two-daemons.ts";

const [seeds = 100, first = 1, steps = 80] = process.argv.slice(2).map(Number);
for (let seed = first; seed < first + seeds; seed++) {
  const wrong = await soakTwoDaemons(seed, steps);
  if (wrong.length === 0) continue;
  console.error(`seed ${seed}:\n  ${wrong.join("\n  ")}`);
  process.exit(1);
}
console.log(`${seeds} seeds from ${first}, ${steps} steps each: all converged`);
