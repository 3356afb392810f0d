/** Starts processes of `mdmirror serve`, and reads their resources from the system. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { PostgresServer } from "../../../test/postgres/server.ts";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { PROJECT, track, usageOf } from "../child.ts";

/** The databases of a measured service. */

export type StoreName = "sqlite" | "postgres";

type Store = {
  readonly name: StoreName;
  /** Returns the arguments of the n-th `serve` that select this database. */
  argsOf(n: number): readonly string[];
  /** Returns the ids of the database's present processes. */
  pids(): readonly number[];
  bytes(): Promise<number>;
  end(): Promise<void>;
};

/**
 * @param folder an empty folder
 * @throws if there is no PostgreSQL for this machine
 */
export async function makeStore(name: StoreName, folder: string): Promise<Store> {
  return name === "sqlite" ? sqliteIn(folder) : postgresIn(folder);
}

function sqliteIn(folder: string): Store {
  const data = join(folder, "data");
  return {
    name: "sqlite",
    argsOf: () => ["--data", data],
    pids: () => [],
    bytes: async () => {
      const files = readdirSync(data).filter((name) => name.startsWith("service.db"));
      return files.reduce((total, file) => total + statSync(join(data, file)).size, 0);
    },
    end: async () => undefined,
  };
}

/** Starts a PostgreSQL that flushes to disk as in production. */
async function postgresIn(folder: string): Promise<Store> {
  const server = await PostgresServer.make({ isDurable: true });
  if (typeof server === "string") throw new Error(`there is no PostgreSQL here: ${server}`);
  const url = server.url("postgres");
  return {
    name: "postgres",
    argsOf: (n) => ["--database", url, "--data", join(folder, `data-${n}`)],
    pids: () => {
      const pid = server.pid();
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
      return [pid, ...children.split(" ").map(Number)];
    },
    async bytes() {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      const { rows } = await client.query("SELECT pg_database_size(current_database()) AS bytes");
      await client.end();
      return Number(rows[0].bytes);
    },
    end: () => server.end(),
  };
}

export type Served = {
  readonly urls: readonly string[];
  readonly keyFile: string;
  /** Ids of the service's processes, without those of a database. */
  readonly servicePids: readonly number[];
  /** Returns the resources of all processes together; null if the system does not report them. */
  used(): Used | null;
  close(): Promise<void>;
};

export type Used = {
  /** Processor time of the service's processes. */
  readonly cpuMs: number;
  readonly rssMb: number;
  /** Processor time of the database's processes. */
  readonly databaseCpuMs: number;
  /** Bytes written to disk by all processes. */
  readonly writtenBytes: number;
};

/** @param more arguments of the first process only */
export async function serveAll(store: Store, processes: number, more: readonly string[] = []): Promise<Served> {
  const started: Started[] = [];
  // One after the other, because the first process creates what the others need.
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
    // Only the first process of a database prints its key file.
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

/** Waits until all documents are indexed, as long as the backlog shrinks. */
export async function indexed(url: string): Promise<void> {
  for (let left = Number.POSITIVE_INFINITY; left > 0; ) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    const text = await (await fetch(`${url}/metrics`)).text();
    left = Number(/^mdmirror_service_indexing_backlog (\d+)$/m.exec(text)?.[1] ?? 0);
  }
}

/** Waits for the import, during which the service already answers. */
export async function imported(url: string, documents: number): Promise<void> {
  for (let known = 0; known < documents; ) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    const text = await (await fetch(`${url}/metrics`)).text();
    known = Number(/^mdmirror_service_documents (\d+)$/m.exec(text)?.[1] ?? 0);
  }
}
