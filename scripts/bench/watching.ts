/**
 * Measures `mdmirror watch` on the real disk, against the embedded service over HTTP: save → PUT
 * received beyond the settle time, memory and processor time at rest, beside bare chokidar on the
 * same tree.
 * `npm run bench -- watch [documents] [--fixture DIR] [--saves N] [--rest SECONDS]
 * [--only saves|rest|chokidar] [--json] [--node OPTION]…`
 * `--fixture`: a folder to keep the workspace and the mirror in, used again by the next run.
 * Linux (reads /proc).
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { DEFAULT_TIMING } from "../../src/engine/daemon/timing.ts";
import {
  type Fixture,
  inotifyWatches,
  openFixture,
  pathOf,
  startChokidar,
  startWatch,
  stop,
  usage,
} from "./watching-fixture.ts";

export type Part = "saves" | "rest" | "chokidar";

export type DaemonFigures = {
  readonly documents: number;
  /** Start of the process to the end of its first run, in ms. */
  readonly startMs: number | null;
  /** Save → PUT received beyond the settle time, in ms. */
  readonly saves: { readonly p50: number; readonly p95: number; readonly most: number } | null;
  /**
   * RSS in MB: the median and the most of the time at rest; of the median, what no other process
   * shares.
   */
  readonly rest: {
    readonly rss: number;
    readonly most: number;
    readonly own: number;
    readonly watches: number;
    /** Share of one core. */
    readonly cpu: number;
  } | null;
  readonly chokidar: { readonly rss: number; readonly own: number; readonly watches: number } | null;
};

export type DaemonBench = {
  readonly documents: number;
  readonly parts: readonly Part[];
  readonly saves: number;
  readonly restMs: number;
  readonly nodeOptions?: readonly string[];
};

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const percentile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))]!;

export async function measureDaemon(fixture: Fixture, bench: DaemonBench): Promise<DaemonFigures> {
  const { documents, parts } = bench;
  const figures = { documents, startMs: null, saves: null, rest: null, chokidar: null };
  const chokidar = parts.includes("chokidar") ? await measureChokidar(fixture) : null;
  if (!parts.includes("saves") && !parts.includes("rest")) return { ...figures, chokidar };
  const began = performance.now();
  const watching = await startWatch(fixture, bench.nodeOptions);
  const startMs = performance.now() - began;
  try {
    await pause(3_000);
    const saves = parts.includes("saves") ? await measureSaves(fixture, bench.saves) : null;
    if (!parts.includes("rest")) return { ...figures, startMs, saves, chokidar };
    // The first minute after a change polls often; what is measured is rest.
    await pause(DEFAULT_TIMING.activeForMs + DEFAULT_TIMING.pollRestMs);
    const rss: number[] = [];
    const own: number[] = [];
    const [from, before] = [performance.now(), usage(watching)];
    while (performance.now() - from < bench.restMs) {
      const now = usage(watching);
      rss.push(now.rss);
      own.push(now.own);
      await pause(500);
    }
    const cpu = (usage(watching).cpuMs - before.cpuMs) / (performance.now() - from);
    const rest = {
      rss: percentile(rss, 0.5),
      most: Math.max(...rss),
      own: percentile(own, 0.5),
      watches: inotifyWatches(watching),
      cpu,
    };
    return { documents, startMs, saves, rest, chokidar };
  } finally {
    await stop(watching);
  }
}

async function measureSaves(fixture: Fixture, saves: number): Promise<DaemonFigures["saves"]> {
  const beyond: number[] = [];
  for (let n = 0; n < saves; n++) {
    const path = join(fixture.root, pathOf((n * 97) % fixture.documents));
    const text = readFileSync(path, "utf8");
    const heard = new Promise<number>((resolve) => {
      fixture.onRequest = (method, at) => {
        if (method === "PUT") resolve(at);
      };
    });
    writeFileSync(path, `${text}Edited ${Date.now()}.\n`);
    const at = performance.now();
    beyond.push((await heard) - at - DEFAULT_TIMING.settleMs);
    await pause(100 + Math.random() * 100);
  }
  fixture.onRequest = () => undefined;
  return { p50: percentile(beyond, 0.5), p95: percentile(beyond, 0.95), most: Math.max(...beyond) };
}

async function measureChokidar(fixture: Fixture): Promise<DaemonFigures["chokidar"]> {
  const bare = await startChokidar(fixture.root);
  try {
    await pause(30_000);
    const { rss, own } = usage(bare);
    return { rss, own, watches: inotifyWatches(bare) };
  } finally {
    await stop(bare);
  }
}

function show(figures: DaemonFigures): void {
  const { documents, startMs, saves, rest, chokidar } = figures;
  const mb = (value: number) => `${value.toFixed(0)} MB`;
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  console.log(`${documents} documents${startMs === null ? "" : `, first run over after ${ms(startMs)}`}`);
  if (saves !== null)
    console.log(
      `  save → PUT received, beyond ${DEFAULT_TIMING.settleMs} ms: p50 ${ms(saves.p50)}, p95 ${ms(saves.p95)}, most ${ms(saves.most)}`,
    );
  if (rest !== null)
    console.log(
      `  at rest: ${mb(rest.rss)} (its own ${mb(rest.own)}, most ${mb(rest.most)}), ${rest.watches} watches, ${(rest.cpu * 100).toFixed(3)} % of a core`,
    );
  if (chokidar !== null)
    console.log(
      `  bare chokidar: ${mb(chokidar.rss)} (its own ${mb(chokidar.own)}), ${chokidar.watches} watches${rest === null ? "" : `; ratio ${(rest.rss / chokidar.rss).toFixed(2)}`}`,
    );
}

/** What the command line asks for, measured and shown. */
export async function benchWatching(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      fixture: { type: "string" },
      saves: { type: "string", default: "100" },
      rest: { type: "string", default: "120" },
      only: { type: "string", multiple: true },
      node: { type: "string", multiple: true },
      json: { type: "boolean", default: false },
    },
  });
  const documents = Number(positionals[0] ?? 10_000);
  const dir = values.fixture ?? mkdtempSync(join(tmpdir(), "mdmirror-bench-daemon-"));
  const fixture = await openFixture(dir, documents);
  const figures = await measureDaemon(fixture, {
    documents,
    parts: (values.only as Part[] | undefined) ?? ["chokidar", "saves", "rest"],
    saves: Number(values.saves),
    restMs: Number(values.rest) * 1000,
    nodeOptions: values.node ?? [],
  });
  if (values.json) console.log(JSON.stringify(figures));
  else show(figures);
  await fixture.close();
  if (values.fixture === undefined) rmSync(dir, { recursive: true, force: true });
}
