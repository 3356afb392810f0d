/**
 * `npm run soak -- histories [--seconds 60] [--seed 1] [--clients 20] [--kills 3]`: clients that
 * work side by side on few documents of one `serve` on SQLite, which is killed and started again.
 * Each round of some thousand operations is judged: could one service that does one request after
 * the other have answered all of it? Exit 1 where not, or where that could not be decided.
 */
import { parseArgs } from "node:util";
import { judge, tellVerdict } from "../../test/histories/judge.ts";
import { live } from "../../test/histories/live.ts";
import { openSqliteScene } from "../../test/histories/scenes.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    clients: { type: "string", default: "20" },
    kills: { type: "string", default: "3" },
  },
});
/** LIMIT: operations of one round; what is judged grows with their square. */
const OPERATIONS = 3_000;

const scene = await openSqliteScene();
const began = performance.now();
let wrong = 0;
try {
  for (let round = 0; performance.now() - began < Number(values.seconds) * 1_000; round++) {
    const seed = Number(values.seed) * 100 + round;
    const plan = { seed, clients: Number(values.clients), operations: OPERATIONS, strikes: Number(values.kills) };
    const { history, struck } = await live(scene, plan);
    const verdict = judge(history);
    console.log(`round ${round}: killed ${struck.join(", ") || "nothing"}; ${tellVerdict(verdict)}`);
    for (const what of [...verdict.broken, ...verdict.undecided]) console.log(`  ${what}`);
    wrong += verdict.broken.length + verdict.undecided.length;
  }
} finally {
  await scene.end();
}
console.log(wrong === 0 ? "all histories hold" : `${wrong} objects without a history that holds`);
process.exit(wrong === 0 ? 0 : 1);
