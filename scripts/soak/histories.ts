/**
 * `npm run soak -- histories [--store sqlite|postgres] [--processes 3] [--seconds 60] [--seed 1]
 * [--clients 20] [--kills 5]`: concurrent clients work on few documents of one `serve` on SQLite,
 * or of several on one PostgreSQL. Processes, and PostgreSQL too, are killed and started again.
 * Each round of some thousand operations is checked: could one service that executes one request
 * after the other have given all these answers? Exit 1 if not, or if that could not be decided.
 */
import { parseArgs } from "node:util";
import { checkHistory, describeVerdict } from "../../test/histories/oracle.ts";
import { openPostgresScene, openSqliteScene, runScene } from "../../test/histories/scene.ts";

const { values } = parseArgs({
  options: {
    store: { type: "string", default: "postgres" },
    processes: { type: "string", default: "3" },
    seconds: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    clients: { type: "string", default: "20" },
    kills: { type: "string", default: "5" },
  },
});
/** LIMIT: operations of one round, because the time to check them grows with their square. */
const OPERATIONS = 3_000;

if (values.store !== "sqlite" && values.store !== "postgres") {
  console.error("--store is sqlite or postgres");
  process.exit(2);
}
const scene = values.store === "sqlite" ? await openSqliteScene() : await openPostgresScene(Number(values.processes));
const began = performance.now();
const total = { operations: 0, acknowledged: 0, unknown: 0, documents: 0, states: 0, kills: 0 };
let wrong = 0;
try {
  for (let round = 0; performance.now() - began < Number(values.seconds) * 1_000; round++) {
    const seed = Number(values.seed) * 100 + round;
    const plan = { seed, clients: Number(values.clients), operations: OPERATIONS, strikes: Number(values.kills) };
    const { history, struck } = await runScene(scene, plan);
    const verdict = checkHistory(history);
    console.log(`round ${round}: killed ${struck.join(", ") || "nothing"}; ${describeVerdict(verdict)}`);
    for (const what of [...verdict.broken, ...verdict.undecided]) console.log(`  ${what}`);
    for (const what of ["operations", "acknowledged", "unknown", "documents", "states"] as const)
      total[what] += verdict[what];
    total.kills += struck.length;
    wrong += verdict.broken.length + verdict.undecided.length;
  }
} finally {
  await scene.end();
}
console.log(
  Object.entries(total)
    .map(([what, n]) => `${n.toLocaleString("en")} ${what}`)
    .join(", "),
);
console.log(wrong === 0 ? "all histories hold" : `${wrong} objects without a history that holds`);
process.exit(wrong === 0 ? 0 : 1);
