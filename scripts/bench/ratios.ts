/**
 * `npm run bench [-- --size 1000,10000,100000,tldr --only clone,push --repeats 5 --json FILE
 * --quick --list]`: measures speed as ratios. Each line compares mdmirror with a bare loop, with
 * another program or with a bound. It measures the two sides in turn on this machine, and takes the
 * median of the pairs.
 */
import type { Line, LineOptions } from "./line.ts";
import { CLONE, NO_OP, ONE_EDIT, PUSH } from "./lines/syncs.ts";
import { PEER_LINES } from "./lines/peers.ts";
import { REQUESTS } from "./lines/requests.ts";
import { MEMORY, START } from "./lines/small.ts";
import { REST_MEMORY, SAVE } from "./lines/watch.ts";
import { writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { killChildren } from "./child.ts";
import { corpusFault, isGenerated } from "./corpus.ts";
import { openFixture } from "./fixture.ts";
import { type Row, tableOf } from "./rows.ts";

/** Every line of the benchmark, in the order of the table. */

export const LINES: readonly Line[] = [
  CLONE,
  PUSH,
  NO_OP,
  ONE_EDIT,
  REQUESTS,
  SAVE,
  MEMORY,
  REST_MEMORY,
  START,
  ...PEER_LINES,
];

const LARGE = 100_000;
/** LIMIT: pairs with many documents, because each clone or push then takes half a minute. */
const LARGE_REPEATS = 3;

const { values } = parseArgs({
  options: {
    size: { type: "string" },
    only: { type: "string" },
    repeats: { type: "string" },
    json: { type: "string" },
    quick: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
  },
});
const quick = values.quick;
const sizes = (values.size ?? (quick ? "1000" : "1000,10000,100000,tldr")).split(",");
const only = values.only?.split(",") ?? null;
const repeats = Number(values.repeats ?? (quick ? 3 : 5));

const say = (what: string) => process.stderr.write(`… ${what}\n`);
const matches = ({ name }: Line) =>
  only === null || only.some((one) => (one.endsWith("*") ? name.startsWith(one.slice(0, -1)) : name === one));
const repeatsAt = (size: string) => (Number(size) >= LARGE ? Math.min(repeats, LARGE_REPEATS) : repeats);

async function measure(line: Line, asked: LineOptions): Promise<readonly Row[]> {
  const fault = corpusFault(asked.size);
  if (fault !== null) return [{ kind: "skipped", line: line.name, size: asked.size, why: fault }];
  try {
    return await line.run(asked);
  } catch (error) {
    const why = (error instanceof Error ? error.message : String(error)).replaceAll("\n", " ⏎ ");
    return [{ kind: "failed", line: line.name, size: asked.size, why }];
  }
}

/** @param finished called with the rows before the folders are removed, which takes minutes */
async function run(lines: readonly Line[], finished: (rows: readonly Row[]) => void): Promise<void> {
  const opening = openFixture(say);
  const rows: Row[] = [];
  const stopping = new AbortController();
  const stop = () => {
    if (stopping.signal.aborted) return;
    stopping.abort();
    killChildren();
    void opening.then((opened) => opened.end()).finally(() => process.exit(130));
  };
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  const fixture = await opening;
  try {
    for (const line of lines) {
      for (const size of line.sizes(sizes)) {
        // The interrupted line has failed; no further line begins.
        if (stopping.signal.aborted) return await new Promise<never>(() => undefined);
        say(`${line.name}, ${size}: ${line.about}`);
        const made = await measure(line, { fixture, size, repeats: repeatsAt(size), quick });
        rows.push(...made);
        for (const text of tableOf(made).slice(1)) say(text);
      }
    }
    finished(rows);
  } finally {
    say("removing the trees");
    await fixture.end();
  }
}

const lines = LINES.filter(matches);
const seconds = lines
  .flatMap((line) => line.sizes(sizes).map((size) => line.seconds(size, repeatsAt(size))))
  .reduce((sum, one) => sum + one, 0);
const corpora = sizes.filter(isGenerated).reduce((sum, size) => sum + Number(size) * 0.000_6, 5);

if (values.list) for (const { name, about } of LINES) console.log(`${name.padEnd(16)} ${about}`);
else if (lines.length === 0) {
  console.error(`no line is called ${values.only}; there are: ${LINES.map(({ name }) => name).join(", ")}`);
  process.exitCode = 2;
} else {
  say(`about ${Math.ceil((seconds + corpora) / 60)} min on a machine at rest`);
  const before = loadavg()[0]!;
  const began = performance.now();
  await run(lines, (rows) => {
    const minutes = (performance.now() - began) / 60_000;
    const about = {
      at: new Date().toISOString(),
      node: process.version,
      cpus: availableParallelism(),
      load: [before, loadavg()[0]!] as const,
      minutes: Math.round(minutes * 10) / 10,
      repeats,
    };
    console.log("");
    for (const text of tableOf(rows)) console.log(text);
    console.log(
      `\nNode ${about.node}, ${about.cpus} cores, load ${about.load.map((one) => one.toFixed(1)).join(" → ")}, ${about.minutes} min. Figures are medians of the pairs' ratios, sides in turn.`,
    );
    if (values.json !== undefined) writeFileSync(resolve(values.json), `${JSON.stringify({ about, rows }, null, 1)}\n`);
  });
}
