/** One measurement: a load by another process, and the resources of the service. */
import { execFile, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { LoadOrder, LoadSeen } from "./load.ts";
import type { ServiceRow } from "./rows.ts";
import type { Served, Used } from "./servers.ts";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { isOnPath } from "../../../src/mirror/settings/key.ts";
import { track } from "../child.ts";
import { median } from "../rows.ts";

const run = promisify(execFile);
const LOAD = fileURLToPath(new URL("load.ts", import.meta.url));

export type Where = Pick<ServiceRow, "store" | "processes" | "documents">;

export async function measure(
  served: Served,
  where: Where,
  what: string,
  order: Omit<LoadOrder, "urls" | "keyFile">,
): Promise<ServiceRow> {
  const before = served.used();
  const sent: LoadOrder = { ...order, urls: served.urls, keyFile: served.keyFile };
  const { stdout } = await run(process.execPath, [LOAD, JSON.stringify(sent)]);
  const after = served.used();
  const { requests, seconds, p50, p99, refused } = JSON.parse(stdout) as LoadSeen;
  const each = (total: number) => (requests === 0 ? null : total / requests);
  const isWrite = order.kind === "edit" || order.kind === "create";
  return {
    ...where,
    what,
    perSecond: requests / seconds,
    p50,
    p99,
    cpuMs: before === null || after === null ? null : each(after.cpuMs - before.cpuMs),
    databaseMs: databaseMs(before, after, requests),
    writtenBytes: before === null || after === null || !isWrite ? null : each(after.writtenBytes - before.writtenBytes),
    note: Object.entries(refused)
      .map(([status, count]) => `${count} × ${status}`)
      .join(", "),
  };
}

function databaseMs(before: Used | null, after: Used | null, requests: number): number | null {
  if (before === null || after === null || after.databaseCpuMs === 0 || requests === 0) return null;
  return (after.databaseCpuMs - before.databaseCpuMs) / requests;
}

const BARE = fileURLToPath(new URL("bare-http.ts", import.meta.url));
const TURNS = 5;
/** Numbers of cores, for `taskset`. */
const SERVER_CORE = "0";
const LOAD_CORE = "1";

type Heard = { readonly requests: number; readonly perSecond: number; readonly p50: number; readonly p99: number };
type Turn = Heard & { readonly cpuMs: number | null; readonly databaseMs: number | null; readonly bare: number };
type Order = { readonly folder: string; readonly one: string; readonly seconds: number };

const LIST = "/v1/files?limit=100";

/**
 * Measures the rates that wrk reaches, which itself costs next to nothing, and compares them with
 * those of a bare `node:http` server and the same body. With `taskset`, the server runs on one core
 * and wrk on another. The two servers are measured in turn, because some machines become half as
 * fast from one minute to the next.
 * @param one path of a document
 * @returns no row if wrk is not installed
 */
export async function measureByWrk(
  served: Served,
  where: Where,
  { folder, one, seconds }: Order,
): Promise<ServiceRow[]> {
  const path = process.env["PATH"] ?? "";
  if (!isOnPath("wrk", path)) return [];
  const isPinned = availableParallelism() > 1 && isOnPath("taskset", path);
  const key = readFileSync(served.keyFile, "utf8").trim();
  const bodyFile = join(folder, "body.json");
  const answer = await fetch(served.urls[0]! + one, { headers: { "x-api-key": key } });
  writeFileSync(bodyFile, await answer.text());
  const bare = await startBare(bodyFile);
  if (isPinned) for (const pid of [...served.servicePids, bare.pid]) await pin(pid, SERVER_CORE);
  const load = (url: string) => askByWrk({ url, key, seconds, isPinned });
  const [reads, lists]: [Turn[], Turn[]] = [[], []];
  for (let turn = 0; turn < TURNS; turn++) {
    const { perSecond } = await load(bare.url);
    const measureTurn = async (asked: string): Promise<Turn> => {
      const before = served.used();
      const heard = await load(served.urls[0]! + asked);
      return { ...heard, ...spentOf(before, served.used(), heard.requests), bare: perSecond };
    };
    reads.push(await measureTurn(one));
    lists.push(await measureTurn(LIST));
  }
  bare.end();
  const cores = `0-${availableParallelism() - 1}`;
  if (isPinned) for (const pid of served.servicePids) await pin(pid, cores);
  const pinned = isPinned ? ["on one core"] : [];
  const ratio = median(reads.map((turn) => turn.perSecond / turn.bare));
  return [
    rowOf(where, "read one, by wrk", reads, [`${ratio.toFixed(2)} × of bare node:http`, ...pinned].join(", ")),
    rowOf(where, "list 100, by wrk", lists, pinned.join()),
  ];
}

/** Returns the resources of one request. */
function spentOf(before: Used | null, after: Used | null, requests: number): Pick<Turn, "cpuMs" | "databaseMs"> {
  const cpuMs = before === null || after === null ? null : (after.cpuMs - before.cpuMs) / requests;
  return { cpuMs, databaseMs: databaseMs(before, after, requests) };
}

function rowOf(where: Where, what: string, turns: readonly Turn[], note: string): ServiceRow {
  const middle = (name: "perSecond" | "p50" | "p99" | "cpuMs" | "databaseMs") => {
    const known = turns.map((turn) => turn[name]).filter((figure) => figure !== null);
    return known.length === 0 ? null : median(known);
  };
  const [perSecond, p50, p99] = [middle("perSecond")!, middle("p50")!, middle("p99")!];
  const [cpuMs, ofDatabase] = [middle("cpuMs"), middle("databaseMs")];
  return { ...where, what, perSecond, p50, p99, cpuMs, databaseMs: ofDatabase, writtenBytes: null, note };
}

type Load = { readonly url: string; readonly key: string; readonly seconds: number; readonly isPinned: boolean };

/** @throws if an answer is no success, because a rate of refusals means nothing */
async function askByWrk({ url, key, seconds, isPinned }: Load): Promise<Heard> {
  const asked = ["-t1", "-c16", `-d${Math.ceil(seconds)}s`, "--latency", "-H", `x-api-key: ${key}`, url];
  const { stdout } = isPinned ? await run("taskset", ["-c", LOAD_CORE, "wrk", ...asked]) : await run("wrk", asked);
  if (stdout.includes("Non-2xx")) throw new Error(`wrk was refused at ${url}: ${stdout}`);
  return {
    requests: Number(/(\d+) requests in/.exec(stdout)![1]),
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)![1]),
    p50: msOf(/^ +50% +(\S+)/m.exec(stdout)![1]!),
    p99: msOf(/^ +99% +(\S+)/m.exec(stdout)![1]!),
  };
}

function msOf(text: string): number {
  const [, figure, unit] = /^([\d.]+)(us|ms|s)$/.exec(text)!;
  return Number(figure) * { us: 0.001, ms: 1, s: 1_000 }[unit as "us" | "ms" | "s"];
}

async function startBare(bodyFile: string) {
  const child = spawn(process.execPath, [BARE, bodyFile], { stdio: ["ignore", "pipe", "inherit"], detached: true });
  track(child);
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return { url: line.toString().trim(), pid: child.pid!, end: () => void child.kill() };
}

/** Binds all threads of a process to cores. */
async function pin(pid: number, cores: string): Promise<void> {
  await run("taskset", ["-a", "-c", "-p", cores, String(pid)]);
}
