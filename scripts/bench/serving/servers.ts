/** Processes of `mdmirror serve`, and what the system says of them. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { PROJECT, track, usageOf } from "../child.ts";

export type Served = {
  readonly urls: readonly string[];
  readonly keyFile: string;
  /** Of all processes together; null where the system does not tell. */
  used(): Used | null;
  close(): Promise<void>;
};

export type Used = { readonly cpuMs: number; readonly rssMb: number; readonly writtenBytes: number };

export type Store = {
  readonly name: "sqlite" | "postgres";
  /** The arguments of `serve` that name the store. */
  readonly args: readonly string[];
};

/** @param more arguments of the first process alone */
export async function serveAll(store: Store, processes: number, more: readonly string[] = []): Promise<Served> {
  const started: Started[] = [];
  // One after the other: the first one makes what is missing.
  for (let n = 0; n < processes; n++) started.push(await serveOne([...store.args, ...(n === 0 ? more : [])]));
  const pids = started.map(({ child }) => child.pid!);
  return {
    urls: started.map(({ url }) => url),
    keyFile: started[0]!.keyFile,
    used: () => (existsSync("/proc/self/stat") ? pids.map(usedBy).reduce(together) : null),
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
    const keyFile = /^key: (\S+) \(/.exec(line)?.[1];
    if (url !== null && keyFile !== undefined) return { child, url, keyFile };
  }
  throw new Error(`mdmirror serve ${args.join(" ")} ended before it served`);
}

function usedBy(pid: number): Used {
  const written = /^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1];
  return { ...usageOf(pid), writtenBytes: Number(written ?? 0) };
}

function together(a: Used, b: Used): Used {
  return { cpuMs: a.cpuMs + b.cpuMs, rssMb: a.rssMb + b.rssMb, writtenBytes: a.writtenBytes + b.writtenBytes };
}

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
