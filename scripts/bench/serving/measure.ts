/** One measure: a load from outside, and what it cost the service. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { LoadOrder, LoadSeen } from "./load.ts";
import type { ServiceRow } from "./rows.ts";
import type { Served } from "./servers.ts";

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
    writtenBytes: before === null || after === null || !isWrite ? null : each(after.writtenBytes - before.writtenBytes),
    note: Object.entries(refused)
      .map(([status, count]) => `${count} × ${status}`)
      .join(", "),
  };
}

/** The rate that wrk reaches, which costs itself next to nothing. @returns null: it is not there */
export async function measureByWrk(
  served: Served,
  where: Where,
  path: string,
  seconds: number,
): Promise<ServiceRow | null> {
  const key = readFileSync(served.keyFile, "utf8").trim();
  const before = served.used();
  const args = ["-t1", "-c16", `-d${seconds}s`, "--latency", "-H", `x-api-key: ${key}`, served.urls[0]! + path];
  const out = await run("wrk", args).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (out === null) return null;
  const after = served.used();
  const { stdout } = out;
  const requests = Number(/(\d+) requests in/.exec(stdout)![1]);
  return {
    ...where,
    what: "read one, by wrk",
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)![1]),
    p50: msOf(/50%\s+(\S+)/.exec(stdout)![1]!),
    p99: msOf(/99%\s+(\S+)/.exec(stdout)![1]!),
    cpuMs: before === null || after === null ? null : (after.cpuMs - before.cpuMs) / requests,
    writtenBytes: null,
    note: "",
  };
}

/** `1.2ms`, `870us`, `1.1s` in milliseconds. */
function msOf(text: string): number {
  const [, number, unit] = /^([\d.]+)(us|ms|s)$/.exec(text)!;
  return Number(number) * { us: 0.001, ms: 1, s: 1_000 }[unit as "us" | "ms" | "s"];
}
