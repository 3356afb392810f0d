import { execFileSync, type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { FILES } from "../../src/contract/routes.ts";
import { combineByMerge } from "../../src/server/combine.ts";
import { startHttp } from "../../src/server/http.ts";
import { type AnswerOne, createService } from "../../src/server/service.ts";
import { openSqlite } from "../../src/server/sqlite/store.ts";

/**
 * A workspace of the embedded service in this process, and a folder linked to it by `mdmirror
 * init`.
 */
export type Fixture = {
  readonly root: string;
  readonly url: string;
  readonly key: string;
  readonly documents: number;
  /** Asks the service without HTTP. */
  call(method: "GET" | "POST" | "PUT", path: string, body?: object): Promise<{ readonly [member: string]: unknown }>;
  /**
   * Called with the method of a request when it arrives, and `performance.now()`.
   */
  onRequest: (method: string, at: number) => void;
  close(): Promise<void>;
};

export const CHECKOUT = fileURLToPath(new URL("../../", import.meta.url));
const ENTRY = join(CHECKOUT, "src/cli/entry.mjs");
const WORDS =
  "folder mirror service document change text place name merge tree link base local remote write read".split(" ");

/** None outlives this process, however it ends. */
const children = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

function track(child: ChildProcess): ChildProcess {
  children.add(child);
  child.once("exit", () => children.delete(child));
  return child;
}

/** Folders of 20 documents, 40 of them in an area. */
export function pathOf(n: number): string {
  return `area-${Math.floor(n / 800)}/topic-${Math.floor(n / 20)}/note-${n}.md`;
}

/** 2 to 8 kB, each its own. */
export function textOf(n: number): string {
  let seed = n * 2_654_435_761 + 1;
  const next = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
  const length = 2_000 + 6_000 * next();
  let text = `# Note ${n}\n`;
  while (text.length < length) {
    const words = Array.from({ length: 8 + Math.floor(next() * 10) }, () => WORDS[Math.floor(next() * WORDS.length)]);
    text += `\n${words.join(" ")}.${next() < 0.2 ? "\n" : ""}`;
  }
  return `${text}\n`;
}

/**
 * @param dir where the ground is or will be: `service/` and `mirror/`. What an earlier call left
 * there is used as it is.
 */
export async function openFixture(dir: string, documents: number): Promise<Fixture> {
  const made = existsSync(join(dir, "key"));
  mkdirSync(join(dir, "service"), { recursive: true });
  mkdirSync(join(dir, "mirror"), { recursive: true });
  const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));
  const service = createService({
    store: openSqlite({ folder: join(dir, "service") }, { random }),
    now: () => Date.now(),
    random,
    combine: combineByMerge,
    onFault: (error) => {
      throw error;
    },
  });
  const key = made ? readFileSync(join(dir, "key"), "utf8") : (await service.admin.createWorkspace("bench")).key;
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const send = async (answer: AnswerOne, method: string, path: string, body?: object) => {
    const sent = body === undefined ? null : JSON.stringify(body);
    return JSON.parse((await answer({ method, path, headers, body: sent })).body);
  };
  const call: Fixture["call"] = (method, path, body) => send(service.answer, method, path, body);
  if (!made) {
    for (let from = 0; from < documents; from += 500)
      await service.batch(async (answer) => {
        for (let n = from; n < Math.min(from + 500, documents); n++)
          await send(answer, "POST", FILES, { path: pathOf(n), content: textOf(n) });
      });
  }
  const handle: typeof service.handle = (request) => {
    const at = performance.now();
    fixture.onRequest(request.method, at);
    return service.handle(request);
  };
  const http = await startHttp({ ...service, handle }, { host: "127.0.0.1", port: 0 });
  const root = realpathSync(join(dir, "mirror"));
  // The list of mirrors of whoever runs this is left alone.
  process.env["XDG_STATE_HOME"] = join(dir, "state");
  const fixture: Fixture = {
    root,
    url: http.url,
    key,
    documents,
    call,
    onRequest: () => undefined,
    close: () => http.close(),
  };
  if (!made) {
    const init = spawn(process.execPath, [ENTRY, "init", root, "--url", http.url, "--yes"], {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, MDMIRROR_API_KEY: key },
    });
    const [code] = await once(init, "exit");
    if (code !== 0) throw new Error(`init ended with ${code}`);
    writeFileSync(join(dir, "key"), key);
  }
  return fixture;
}

/** `mdmirror watch` in a process of its own, once its first run is over. */
export async function startWatch(fixture: Fixture, nodeOptions: readonly string[] = []): Promise<ChildProcess> {
  const watching = track(
    spawn(process.execPath, [...nodeOptions, ENTRY, "watch", fixture.root, "--json", "--url", fixture.url], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, MDMIRROR_API_KEY: fixture.key },
    }),
  );
  const lines = createInterface({ input: watching.stdout! });
  const first = Promise.withResolvers<void>();
  lines.on("line", (line) => {
    if (JSON.parse(line).kind === "run") first.resolve();
  });
  watching.on("exit", (code) => first.reject(new Error(`watch ended with ${code}`)));
  // Once it has started, its end is asked for.
  first.promise.catch(() => undefined);
  await first.promise;
  return watching;
}

/** A process that watches the same tree by chokidar as it comes, when it is ready. */
export async function startChokidar(root: string): Promise<ChildProcess> {
  const code = `import { watch } from "chokidar"; watch(${JSON.stringify(root)}, { ignoreInitial: true }).on("ready", () => console.log("ready"));`;
  const bare = track(
    spawn(process.execPath, ["--input-type=module", "-e", code], {
      cwd: CHECKOUT,
      stdio: ["ignore", "pipe", "inherit"],
    }),
  );
  await once(bare.stdout!, "data");
  return bare;
}

export async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}

/**
 * Memory in MB (resident; of it the process's own), processor time of the threads alive in
 * milliseconds. Linux.
 */
export function usage(child: ChildProcess): { readonly rss: number; readonly own: number; readonly cpuMs: number } {
  const proc = `/proc/${child.pid}`;
  const rollup = readFileSync(`${proc}/smaps_rollup`, "utf8");
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(rollup)![1]);
  let nanoseconds = 0;
  for (const task of readdirSync(`${proc}/task`))
    nanoseconds += Number(readFileSync(`${proc}/task/${task}/schedstat`, "utf8").split(" ")[0]);
  return {
    rss: kilobytes("Rss") / 1024,
    own: (kilobytes("Private_Dirty") + kilobytes("Private_Clean")) / 1024,
    cpuMs: nanoseconds / 1e6,
  };
}

/** How many folders' notices a process asks the system for. */
export function inotifyWatches(child: ChildProcess): number {
  const found = execFileSync("sh", ["-c", `cat /proc/${child.pid}/fdinfo/* 2>/dev/null | grep -c '^inotify' || true`]);
  return Number(found.toString());
}
