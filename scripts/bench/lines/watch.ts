/** The daemon: the time from a save to its PUT, and memory when idle. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_TIMING } from "../../../src/mirror/engine/daemon/interface.ts";
import { rollDice } from "../../../test/simulator/dice.ts";
import { usageOf } from "../child.ts";
import { isGenerated, pathsOf } from "../corpus.ts";
import { figureRow, percentile } from "../rows.ts";
import type { Fixture, Mirror } from "../fixture.ts";
import { atMost, type Line } from "../line.ts";
import { pause, startDaemon } from "../watched.ts";

const SAVES = 100;
/** Fewer saves for other sizes, which only show the growth. */
const savesAt = (size: string) => (size === "10000" ? SAVES : 40);
/** ms from `ready` until memory is read, so that V8 has collected what the start leaves behind. */
const COOL_MS = 20_000;
const HEARD_LIMIT_MS = 30_000;

/** Returns ms from each save to its PUT, without the time for which a file must be unchanged. */
async function timeSaves(fixture: Fixture, mirror: Mirror, documents: number, saves: number): Promise<number[]> {
  const dice = rollDice(7);
  const paths = pathsOf(documents);
  const beyond: number[] = [];
  let heard: (at: bigint) => void = () => undefined;
  await fixture.service.onPut((at) => heard(at));
  try {
    for (let n = 0; n < saves; n++) {
      const path = join(mirror.root, paths[(n * 97) % documents]!);
      const put = new Promise<bigint>((resolve, reject) => {
        const late = setTimeout(() => reject(new Error(`no PUT within ${HEARD_LIMIT_MS} ms`)), HEARD_LIMIT_MS);
        heard = (at) => {
          clearTimeout(late);
          resolve(at);
        };
      });
      const saved = process.hrtime.bigint();
      appendFileSync(path, `Saved ${n}.\n`);
      beyond.push(Number((await put) - saved) / 1e6 - DEFAULT_TIMING.settleMs);
      // Waits for the answer. A random pause keeps saves from coinciding with timers.
      await pause(100 + dice.below(100));
    }
  } finally {
    await fixture.service.onPut(null);
  }
  return beyond;
}

export const SAVE: Line = {
  name: "save",
  about: "save → PUT received, beyond the settle time",
  sizes: (asked) => asked.filter(isGenerated),
  seconds: (size) => savesAt(size) * 0.5 + 5 + Number(size) * 0.000_2,
  async run({ fixture, size, quick }) {
    const mirror = await fixture.mirror(size);
    const saves = async (count: number) => {
      const daemon = await startDaemon(mirror);
      try {
        await pause(2_000);
        return await timeSaves(fixture, mirror, Number(size), count);
      } finally {
        await daemon.stop();
        await fixture.mdmirror(["sync", "--quiet", mirror.root], mirror.key);
      }
    };
    const count = quick ? 20 : savesAt(size);
    await fixture.service.count();
    const beyond = await saves(count);
    // Some of these requests are the lists at the start, and those of the sync at the end.
    const { byRoute } = await fixture.service.count();
    const requests = (byRoute["PUT /v1/files/{id}/content"] ?? 0) / count;
    const other = `${DEFAULT_TIMING.settleMs} ms settling`;
    const row = { line: "save", size, unit: "ms", other, requests } as const;
    const [middle, late] = size === "10000" ? [atMost(15, 6), atMost(40, 12)] : [null, null];
    const figure = percentile(beyond, 0.95);
    return [
      figureRow({ ...row, what: "save → PUT beyond settling, p50", bound: middle }, beyond),
      figureRow({ ...row, what: "save → PUT beyond settling, p95", bound: late, figure }, beyond),
    ];
  },
};

export const REST_MEMORY: Line = {
  name: "watch-rss",
  about: "memory of watch at rest",
  sizes: (asked) => asked.filter(isGenerated),
  seconds: (size) => COOL_MS / 1_000 + Number(size) * 0.000_2,
  async run({ fixture, size }) {
    const daemon = await startDaemon(await fixture.mirror(size));
    try {
      await pause(COOL_MS);
      const bound = size === "10000" ? atMost(130, 110) : null;
      const row = { line: "watch-rss", what: "memory of watch at rest", size, unit: "MB", bound } as const;
      return [figureRow(row, [usageOf(daemon.pid).rssMb])];
    } finally {
      await daemon.stop();
    }
  },
};
