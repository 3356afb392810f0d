/**
 * `npm run soak -- folders [--histories 100] [--seed 1] [--watch]`: users work in three linked
 * folders of one service, while processes sync, watch and are killed. A model that does not know
 * when mdmirror transfers a change must explain all observations. Each history has its own seed;
 * one that fails is shrunk. Exit 1 if any fails.
 */
import { parseArgs } from "node:util";
import { drawHistory, type History, showCommand, shrink } from "../../test/folders/history.ts";
import { play } from "../../test/folders/world.ts";
import { openSqliteScene } from "../../test/histories/scene.ts";
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
const ends = { holds: 0, undecided: 0, broken: 0 };
const playOne = (history: History) => play(scene.cluster.processes[0]!, `history-${++played}`, history);
try {
  for (let seed = first; seed < first + count; seed++) {
    const history = drawHistory(rollDice(seed), values.watch);
    const { end, trace } = await playOne(history);
    ends[end]++;
    if ((seed - first + 1) % 10 === 0) console.error(`to seed ${seed}: ${JSON.stringify(ends)}`);
    if (end === "broken") await showFailure(seed, history, trace);
  }
} finally {
  await scene.end();
}
const seconds = (performance.now() - began) / 1000 / count;
console.log(`${count} histories from seed ${first}, ${seconds.toFixed(1)} s each: ${JSON.stringify(ends)}`);
process.exit(ends.broken === 0 ? 0 : 1);

async function showFailure(seed: number, history: History, trace: readonly string[]): Promise<void> {
  console.log([`seed ${seed}`, ...trace].join("\n  "));
  let last: readonly string[] = ["it did not fail again"];
  const { commands } = await shrink(history, async (candidate) => {
    const played = await playOne(candidate);
    if (played.end === "broken") last = played.trace;
    return played.end === "broken";
  });
  console.log([`shrunk to ${commands.length}: ${commands.map(showCommand).join("; ")}`, ...last].join("\n  "));
}
