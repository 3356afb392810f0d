/** One measurement: a load by another process, and the resources of the service. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { LoadOrder, LoadSeen } from "./load.ts";
import type { ServiceRow } from "./rows.ts";
import type { Served, Used } from "./servers.ts";

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

export function databaseMs(before: Used | null, after: Used | null, requests: number): number | null {
  if (before === null || after === null || after.databaseCpuMs === 0 || requests === 0) return null;
  return (after.databaseCpuMs - before.databaseCpuMs) / requests;
}
