/**
 * Measures what clients get while `serve` indexes a great import:
 * `npm run bench -- indexing [DOCUMENTS] [--load SECONDS]`
 * Imports generated documents of 2 to
 * 8 kB (100,000) and asks for SECONDS (60): a GET every 20 ms, a search every second, and four
 * times a second a write that is searched for until it is found. Then it only asks, every two
 * seconds, whether the oldest document is found: it is indexed last. At the end a folder of 1,000
 * documents is renamed.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { FileResource } from "../../src/contract/resources.ts";
import { fetchWire } from "../../test/contract/suite/fetch-wire.ts";
import { Api } from "../../test/contract/suite/world.ts";
import { PER_AREA, pathsOf, writeCorpus } from "./corpus.ts";

const ENTRY = fileURLToPath(new URL("../../src/cli/entry.mjs", import.meta.url));
const EVERY_MS = { get: 20, write: 250, search: 1_000, oldest: 2_000, retry: 5 } as const;
const OLDEST_WORD = "qxzjvqkw";
const TICKS_PER_SECOND = 100;

type Served = { readonly child: ChildProcess; readonly api: Api; readonly importMs: number };

/** Starts `serve`, which imports before it listens. */
async function startServe(work: string, folder: string): Promise<Served> {
  const data = join(work, "data");
  const started = performance.now();
  const args = [ENTRY, "serve", "--port", "0", "--data", data, "--import", folder];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  for await (const part of child.stdout!) {
    said += part;
    const url = /http:\/\/[\d.:]+/.exec(said)?.[0];
    if (url === undefined) continue;
    const key = readFileSync(join(data, "key"), "utf8").trim();
    return { child, api: new Api(fetchWire(url), key), importMs: performance.now() - started };
  }
  throw new Error(`serve ended: ${said}`);
}

/** Megabytes, and seconds of processor time, of a process. */
function costOf({ pid }: ChildProcess): { rss: number; most: number; cpu: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const megabytes = (name: string) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)![1]) / 1_024);
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return {
    rss: megabytes("VmRSS"),
    most: megabytes("VmHWM"),
    cpu: (Number(stat[11]) + Number(stat[12])) / TICKS_PER_SECOND,
  };
}

async function timed(times: number[], work: () => Promise<unknown>): Promise<void> {
  const started = performance.now();
  await work();
  times.push(performance.now() - started);
}

/**
 * Starts `work` at a fixed rate, whether or not the last one has ended.
 * @throws the first fault, once all that was started has ended
 */
async function atRate(everyMs: number, end: number, work: (n: number) => Promise<unknown>): Promise<void> {
  const all: Promise<unknown>[] = [];
  const faults: unknown[] = [];
  for (let n = 0, next = performance.now(); next < end && faults.length === 0; n++, next += everyMs) {
    await sleep(Math.max(0, next - performance.now()));
    all.push(work(n).catch((fault: unknown) => faults.push(fault)));
  }
  await Promise.all(all);
  if (faults.length > 0) throw faults[0];
}

/** @param refused takes the 503 of a service that has too much to do: nothing is found then */
async function found(api: Api, query: string, refused: number[] = []): Promise<string[]> {
  const { status, json } = await api.post("/v1/search/hybrid", { query });
  if (status === 503) {
    refused.push(status);
    return [];
  }
  if (status !== 200) throw new Error(`search answered ${status}`);
  return (json.data as FileResource[]).map(({ path }) => path.replace(/^\//, ""));
}

/** A word of its own for each write, of letters alone, that no other is a slip of. */
function wordOf(n: number): string {
  const letters = n
    .toString(26)
    .padStart(4, "0")
    .replaceAll(/[0-9]/g, (digit) => "qrstuvwxyz"[Number(digit)]!);
  return `zj${[...letters].map((letter) => letter.repeat(3)).join("")}`;
}

type Load = {
  readonly get: number[];
  readonly search: number[];
  readonly isThere: number[];
  readonly tries: number[];
  readonly refused: number[];
};

/** `isThere`: ms from the answer of a write to the answer of the search that finds it. */
async function load(api: Api, paths: readonly string[], endMs: number, first: number): Promise<Load> {
  const times: Load = { get: [], search: [], isThere: [], tries: [], refused: [] };
  const get = (n: number) => {
    const query = new URLSearchParams({ path: paths[(n * 7_919) % paths.length]! });
    return timed(times.get, async () => {
      const { status } = await api.get(`/v1/files?${query}`);
      if (status === 503) times.refused.push(status);
      else if (status !== 200) throw new Error(`a list answered ${status}`);
    });
  };
  const search = () => timed(times.search, () => found(api, "archive notes of the folder", times.refused));
  const write = async (n: number) => {
    const word = wordOf(first + n);
    const path = `written/${word}.md`;
    const { status } = await api.post("/v1/files", { path, content: `# ${word}\n` });
    if (status === 503) return void times.refused.push(status);
    if (status !== 201) throw new Error(`a write answered ${status}`);
    const there = performance.now();
    let tries = 1;
    while (!(await found(api, word, times.refused)).includes(path)) {
      tries++;
      await sleep(EVERY_MS.retry);
    }
    times.isThere.push(performance.now() - there);
    times.tries.push(tries);
  };
  await Promise.all([
    atRate(EVERY_MS.get, endMs, get),
    atRate(EVERY_MS.search, endMs, search),
    atRate(EVERY_MS.write, endMs, write),
  ]);
  return times;
}

function tell(what: string, times: readonly number[]): void {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(1).padStart(7);
  console.log(`  ${what.padEnd(44)} p50 ${at(0.5)}  p99 ${at(0.99)}  max ${at(1)}  n ${times.length}`);
}

function tellLoad(what: string, times: Load): void {
  console.log(`${what} (ms)`);
  tell("GET of one entry", times.get);
  tell("search of five common words", times.search);
  tell("a write, until it is found", times.isThere);
  tell("searches until a write is found", times.tries);
  console.log(`  refused with 503: ${times.refused.length}`);
}

async function renameFolder({ api, child }: Served): Promise<void> {
  const [area] = (await api.page("folders", { path: "area-0" })).data;
  const before = costOf(child).cpu;
  const times: number[] = [];
  await timed(times, () => api.patch(`/v1/folders/${area!.id}`, { name: "qzarea" }));
  const started = performance.now();
  const isFound = async () => (await found(api, "qzarea")).length > 0;
  while (!(await isFound())) await sleep(EVERY_MS.retry);
  const foundMs = performance.now() - started;
  await sleep(3_000);
  const cpu = costOf(child).cpu - before;
  console.log(
    `rename of a folder of ${PER_AREA}: answered in ${times[0]!.toFixed(1)} ms, found by its name after ${foundMs.toFixed(0)} ms, ${cpu.toFixed(2)} s of processor time in all`,
  );
}

async function measure(work: string, documents: number, seconds: number): Promise<void> {
  const folder = join(work, "corpus");
  writeCorpus(String(documents), folder);
  const paths = pathsOf(documents);
  mkdirSync(join(folder, "area-0", "topic-0"), { recursive: true });
  writeFileSync(join(folder, paths[0]!), `# ${OLDEST_WORD}\n`);
  const served = await startServe(work, folder);
  const { api, child } = served;
  try {
    const listening = costOf(child);
    const started = performance.now();
    const since = () => `${((performance.now() - started) / 1_000).toFixed(0)} s`;
    console.log(`${documents} documents imported in ${(served.importMs / 1_000).toFixed(1)} s, ${listening.rss} MB`);
    await api.folder("written");
    tellLoad(`for ${seconds} s of indexing`, await load(api, paths, performance.now() + seconds * 1_000, 0));
    while (!(await found(api, OLDEST_WORD)).includes(paths[0]!)) await sleep(EVERY_MS.oldest);
    const done = costOf(child);
    console.log(
      `all indexed after ${since()}, ${(done.cpu - listening.cpu).toFixed(0)} s of processor time; ${done.rss} MB, at most ${done.most} MB`,
    );
    tellLoad("after it, the same for 15 s", await load(api, paths, performance.now() + 15_000, 10_000));
    await renameFolder(served);
  } finally {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  }
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { load: { type: "string" } } });
const work = mkdtempSync(join(tmpdir(), "mdmirror-indexing-"));
try {
  await measure(work, Number(positionals[0] ?? 100_000), Number(values.load ?? 60));
} finally {
  rmSync(work, { recursive: true });
}
