/** Processes of `mdmirror serve`, and what the system says of them. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { PROJECT, track, usageOf } from "../child.ts";
import type { Store } from "./stores.ts";

export type Served = {
  readonly urls: readonly string[];
  readonly keyFile: string;
  /** Of the service, without those of a database. */
  readonly servicePids: readonly number[];
  /** Of all processes together; null where the system does not tell. */
  used(): Used | null;
  close(): Promise<void>;
};

export type Used = {
  /** Of the service. */
  readonly cpuMs: number;
  readonly rssMb: number;
  /** Of the database's own processes. */
  readonly databaseCpuMs: number;
  /** Of both. */
  readonly writtenBytes: number;
};

/** @param more arguments of the first process alone */
export async function serveAll(store: Store, processes: number, more: readonly string[] = []): Promise<Served> {
  const started: Started[] = [];
  // One after the other: the first one makes what is missing.
  for (let n = 0; n < processes; n++) started.push(await serveOne([...store.argsOf(n), ...(n === 0 ? more : [])]));
  const pids = started.map(({ child }) => child.pid!);
  return {
    urls: started.map(({ url }) => url),
    keyFile: started[0]!.keyFile,
    servicePids: pids,
    used: () => (existsSync("/proc/self/stat") ? usedBy(pids, store.pids()) : null),
    close: async () => void (await Promise.all(started.map(({ child }) => endOf(child)))),
  };
}

type Started = { readonly child: ChildProcess; readonly url: string; readonly keyFile: string };

async function serveOne(args: readonly string[]): Promise<Started> {
  const all = ["src/cli/entry.mjs", "serve", "--port", "0", ...args];
  const child = spawn(process.execPath, all, { cwd: PROJECT, stdio: ["ignore", "pipe", "inherit"], detached: true });
  track(child);
  let url: string | null = null;
  for await (const line of createInterface({ input: child.stdout })) {
    url ??= /^serving (\S+)$/.exec(line)?.[1] ?? null;
    // Another service of a database has none: its first one's is used.
    const keyFile = /^key: (.+?)(?: \(|$)/.exec(line)?.[1];
    if (url !== null && keyFile !== undefined) return { child, url, keyFile };
  }
  throw new Error(`mdmirror serve ${args.join(" ")} ended before it served`);
}

function usedBy(services: readonly number[], database: readonly number[]): Used {
  const all = services.map(usageOf);
  return {
    cpuMs: sum(all.map(({ cpuMs }) => cpuMs)),
    rssMb: sum(all.map(({ rssMb }) => rssMb)),
    databaseCpuMs: sum(database.map((pid) => usageOf(pid).cpuMs)),
    writtenBytes: sum([...services, ...database].map(writtenBy)),
  };
}

function writtenBy(pid: number): number {
  return Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1] ?? 0);
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

async function endOf(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}

/** Waits until search knows all documents, for as long as the backlog shrinks. */
export async function indexed(url: string): Promise<void> {
  for (let left = Number.POSITIVE_INFINITY; left > 0; ) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    const text = await (await fetch(`${url}/metrics`)).text();
    left = Number(/^mdmirror_service_indexing_backlog (\d+)$/m.exec(text)?.[1] ?? 0);
  }
}

/** The service answers while it imports. */
export async function imported(url: string, documents: number): Promise<void> {
  for (let known = 0; known < documents; ) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    const text = await (await fetch(`${url}/metrics`)).text();
    known = Number(/^mdmirror_service_documents (\d+)$/m.exec(text)?.[1] ?? 0);
  }
}
