/** One measure: a load from outside, and what it cost the service. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { LoadOrder, LoadSeen } from "./load.ts";
import type { MirrorsOrder, MirrorsSeen } from "./mirrors.ts";
import type { ServiceRow } from "./rows.ts";
import type { Served, Used } from "./servers.ts";

const run = promisify(execFile);
const MIRRORS = fileURLToPath(new URL("mirrors.ts", import.meta.url));
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

export function databaseMs(before: Used | null, after: Used | null, requests: number): number | null {
  if (before === null || after === null || after.databaseCpuMs === 0 || requests === 0) return null;
  return (after.databaseCpuMs - before.databaseCpuMs) / requests;
}

/** Edits beside mirrors at rest: how they fare, and how soon the mirrors are told. */
export async function measureMirrors(
  served: Served,
  where: Where,
  order: Omit<MirrorsOrder, "urls" | "keyFile">,
): Promise<ServiceRow[]> {
  const before = served.used();
  const sent: MirrorsOrder = { ...order, urls: served.urls, keyFile: served.keyFile };
  const { stdout } = await run(process.execPath, [MIRRORS, JSON.stringify(sent)], { maxBuffer: 256 * 1024 * 1024 });
  const after = served.used();
  const { seconds, requests, refused, pages, edits, told, isDeaf } = JSON.parse(stdout) as MirrorsSeen;
  if (order.listen && isDeaf) return [];
  const cpuMs = before === null || after === null ? null : after.cpuMs - before.cpuMs;
  const share = cpuMs === null ? "" : `, ${Math.round(cpuMs / seconds / 10)} % of a core`;
  const beside = `${order.mirrors} mirrors ${order.listen ? "listening" : "polling"}`;
  const row = (what: string, took: readonly number[], note: string): ServiceRow => ({
    ...where,
    what: `${what}, ${beside}`,
    perSecond: took.length / seconds,
    p50: shareOf(took, 0.5),
    p99: shareOf(took, 0.99),
    cpuMs: null,
    databaseMs: null,
    writtenBytes: null,
    note,
  });
  const rows = [
    row(
      "edit",
      edits,
      `all: ${Math.round(requests / seconds)} requests a second${share}${refused === 0 ? "" : `, ${refused} × 503`}`,
    ),
    row("page of a poll", pages, ""),
  ];
  return order.listen ? [...rows, row("edit → told", told, `p95 ${shareOf(told, 0.95)} ms`)] : rows;
}

function shareOf(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
