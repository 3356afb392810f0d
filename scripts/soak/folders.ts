/**
 * `npm run soak -- folders [--histories 100] [--seed 1] [--watch]`: users work in three linked
 * folders of one service, while processes sync, watch and are killed. A model that does not know
 * when mdmirror moves a change must explain all that is seen. Each history has a seed of its own;
 * one that fails is shrunk. Exit 1 if any fails.
 */
import { parseArgs } from "node:util";
import { drawHistory, type History, showCommand, shrink } from "../../test/folders/history.ts";
import { play } from "../../test/folders/world.ts";
import { openSqliteScene } from "../../test/histories/sqlite-scene.ts";
import { rollDice } from "../../test/simulator/dice.ts";

const { values } = parseArgs({
  options: {
    histories: { type: "string", default: "100" },
    seed: { type: "string", default: "1" },
    watch: { type: "boolean", default: false },
  },
});
const [first, count] = [Number(values.seed), Number(values.histories)];
const scene = await openSqliteScene();
const began = performance.now();
let played = 0;
let failed = 0;
const playOne = (history: History) => play(scene.cluster.processes[0]!, `history-${++played}`, history);
try {
  for (let seed = first; seed < first + count; seed++) {
    const history = drawHistory(rollDice(seed), values.watch);
    const { broken, trace } = await playOne(history);
    if ((seed - first + 1) % 10 === 0) console.error(`${seed - first + 1} histories, ${failed} failed before`);
    if (broken === null) continue;
    failed++;
    console.log([`seed ${seed}: ${broken}`, ...trace].join("\n  "));
    await showShrunk(history);
  }
} finally {
  await scene.end();
}
const seconds = (performance.now() - began) / 1000;
console.log(`${count} histories from seed ${first}, ${(seconds / count).toFixed(1)} s each: ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

async function showShrunk(history: History): Promise<void> {
  let last: readonly string[] = ["it did not fail again"];
  const { commands } = await shrink(history, async (candidate) => {
    const { broken, trace } = await playOne(candidate);
    if (broken !== null) last = [broken, ...trace];
    return broken !== null;
  });
  console.log([`shrunk to ${commands.length}: ${commands.map(showCommand).join("; ")}`, ...last].join("\n  "));
}
