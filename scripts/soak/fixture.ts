/**
 * What a fault is injected into: a service in this process, a linked folder, and documents in which
 * each edit has its own mark.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { WireRequest, WireResponse } from "../../src/contract/wire.ts";
import { openData } from "../../src/service/data.ts";
import { startHttp } from "../../src/service/http/server.ts";
import { type Dice, rollDice } from "../../test/simulator/dice.ts";
import { edited, newText } from "./marked.ts";
import { builtProgram } from "../build/dist.ts";
import { systemClock } from "../../src/common/clock.ts";
import { systemRandom } from "../../src/common/random.ts";
import { runCommandLine } from "../../src/cli/main.ts";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
export const PROGRAM = builtProgram(ROOT);

/** A service with a temporary folder, in this process or in its own. */
export type Service = {
  readonly folder: string;
  readonly url: string;
  readonly key: string;
  /** Write requests since the last reset, as `METHOD /path`. */
  readonly writes: string[];
  /**
   * Calls the service in this process with the owner's key. Such calls are not recorded in
   * `writes`.
   */
  call(method: string, path: string, body?: object): Promise<WireResponse>;
  end(): Promise<void>;
};

type Hook = (request: WireRequest) => void | Promise<void>;

export type Rig = Service & {
  readonly notes: string;
  readonly dice: Dice;
  /**
   * Called with each request that reaches the service in this process; each may delay the answer.
   */
  readonly hooks: Set<Hook>;
  /** Marks of all edits so far, which must be found at the end. */
  readonly marks: Set<string>;
};

export async function openRig(seed: number, served?: Service): Promise<Rig> {
  const hooks = new Set<Hook>();
  const service = served ?? (await serveInProcess(hooks));
  const notes = join(service.folder, "notes");
  return { ...service, notes, dice: rollDice(seed), hooks, marks: new Set() };
}

type ServedData = Pick<Service, "url" | "key" | "call"> & { close(): Promise<void> };

/**
 * Serves a data folder from this process.
 * @param heard called with each request before the service answers it; may delay the answer
 */
export async function serveData(dir: string, port: number, heard: Hook): Promise<ServedData> {
  const data = await openData(dir);
  const handle = async (request: WireRequest) => {
    await heard(request);
    return data.service.handle(request, null);
  };
  const server = await startHttp({ handle }, { port });
  return {
    url: server.url,
    key: data.key,
    call: (method, path, body) =>
      data.service.answer({
        method,
        path,
        headers: { authorization: `Bearer ${data.key}`, "content-type": "application/json" },
        body: body === undefined ? null : JSON.stringify(body),
      }),
    async close() {
      await server.close();
      await data.close();
    },
  };
}

async function serveInProcess(hooks: Set<Hook>): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), "mdmirror-soak-"));
  const writes: string[] = [];
  const { close, ...served } = await serveData(join(folder, "data"), 0, async (request) => {
    for (const hook of hooks) await hook(request);
    if (request.method !== "GET") writes.push(`${request.method} ${request.path}`);
  });
  const end = async () => {
    await close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { ...served, folder, writes, end };
}

export const digest = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** A document of the service, as its own API returns it. */
export type RemoteDocument = { readonly id: string; readonly text: string; readonly changeId: string };

/** Returns every document of the service by path, read by the service's own API. */
export async function readRemote({ call }: Pick<Service, "call">): Promise<Map<string, RemoteDocument>> {
  const found = new Map<string, RemoteDocument>();
  for (let cursor = ""; ; ) {
    const page = JSON.parse((await call("GET", `/v1/files?limit=1000${cursor}`)).body) as {
      data: { id: string; path: string }[];
      hasMore: boolean;
      nextCursor: string;
    };
    for (const { id, path } of page.data) {
      const answer = await call("GET", `/v1/files/${id}`);
      const file = JSON.parse(answer.body) as { content: string; lastChangeId: string };
      found.set(path.slice(1), { id, text: file.content, changeId: file.lastChangeId });
    }
    if (!page.hasMore) return found;
    cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`;
  }
}

let marked = 0;

export function freshMark(rig: Rig): string {
  const mark = `<m${++marked}>`;
  rig.marks.add(mark);
  return mark;
}

export const docPath = (n: number) => `topic-${n % 7}/doc-${n}.md`;

export function writeLocally(rig: Rig, path: string, text: string): void {
  mkdirSync(dirname(join(rig.notes, path)), { recursive: true });
  writeFileSync(join(rig.notes, path), text);
}

export function editLocally(rig: Rig, path: string, paragraph: number): void {
  const file = join(rig.notes, path);
  writeFileSync(file, edited(readFileSync(file, "utf8"), paragraph, freshMark(rig)));
}

/**
 * Returns the JSON of an answer.
 * @throws if the service refuses, because then the soak itself is wrong
 */
export function expectOk(answer: WireResponse): never | Record<string, unknown> {
  if (answer.status >= 300) throw new Error(`the service refused: ${answer.status} ${answer.body}`);
  return answer.body === "" ? {} : (JSON.parse(answer.body) as Record<string, unknown>);
}

/** Creates documents `doc 0` … on the service. */
export async function fillService(rig: Rig, documents: number): Promise<void> {
  for (let n = 0; n < documents; n++) await createOnService(rig, docPath(n), newText(`doc ${n}`));
}

export async function createOnService(rig: Rig, path: string, content: string): Promise<void> {
  expectOk(await rig.call("POST", "/v1/files", { path, content }));
}

export async function findOnService(rig: Pick<Rig, "call">, path: string): Promise<string | null> {
  const { data } = expectOk(await rig.call("GET", `/v1/files?path=${encodeURIComponent(path)}`)) as {
    data: { id: string }[];
  };
  return data[0]?.id ?? null;
}

/**
 * Edits a document on the service.
 * @param change edits the content; by default replaces paragraph `paragraph`
 */
export async function editOnService(rig: Rig, path: string, paragraph: number, change = edited): Promise<void> {
  const id = await findOnService(rig, path);
  const { content, lastChangeId } = expectOk(await rig.call("GET", `/v1/files/${id}`)) as Record<string, string>;
  const text = change(content!, paragraph, freshMark(rig));
  expectOk(await rig.call("PUT", `/v1/files/${id}/content`, { baseChangeId: lastChangeId, content: text }));
}

/**
 * Creates and edits `count` documents of each kind on both sides, at paths that depend on the
 * round.
 */
export async function workOnBothSides(rig: Rig, round: number, count: number, documents: number): Promise<void> {
  for (let k = 0; k < count; k++) {
    writeLocally(rig, `here/${round}-${k}.md`, newText(`here ${round} ${k}`));
    await createOnService(rig, `there/${round}-${k}.md`, newText(`there ${round} ${k}`));
    const path = docPath((round * count + k) % documents);
    editLocally(rig, path, k);
    await editOnService(rig, path, k + 4);
  }
}

export type Ended = { readonly code: number | null; readonly out: string; readonly ms: number };

export type StartOptions = {
  readonly onLine?: (line: string) => void;
  readonly env?: Readonly<Record<string, string>>;
};

export type Started = { readonly child: ChildProcess; readonly ended: Promise<Ended> };

/** The user of a program: the folder with the list of linked folders, and the key. */
export type User = Pick<Service, "folder" | "key">;

/** Starts `mdmirror …` as a process. */
export function start(rig: User, args: readonly string[], options: StartOptions = {}): Started {
  const began = performance.now();
  const { onLine } = options;
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: "/",
    env: {
      ...process.env,
      XDG_STATE_HOME: join(rig.folder, "state"),
      MDMIRROR_API_KEY: rig.key,
      NO_COLOR: "1",
      ...options.env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let rest = "";
  const take = (chunk: Buffer) => {
    out += chunk.toString();
    const lines = (rest + chunk.toString()).split("\n");
    rest = lines.pop()!;
    for (const line of lines) onLine?.(line);
  };
  child.stdout.on("data", take);
  child.stderr.on("data", take);
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, out, ms: performance.now() - began }));
  });
  return { child, ended };
}

export const run = (rig: User, args: readonly string[], options?: StartOptions): Promise<Ended> =>
  start(rig, args, options).ended;

export const initArgs = (rig: Pick<Rig, "notes" | "url">) => ["init", rig.notes, "--url", rig.url, "--yes"];

/** Runs a command in this process, or as a process if it needs another environment. */
export const runUndisturbed = (rig: User, args: readonly string[], options?: StartOptions): Promise<Ended> =>
  options?.env === undefined ? runInProcess(rig, args) : run(rig, args, options);

/** Links the folder and syncs it, before the fault. */
export async function linkAndSync(rig: Rig, options?: StartOptions): Promise<void> {
  const ended = await runUndisturbed(rig, initArgs(rig), options);
  if (ended.code !== 0) throw new Error(`the first sync ended with ${ended.code}: ${ended.out}`);
  const second = await runUndisturbed(rig, ["sync", rig.notes], options);
  if (second.code !== 0) throw new Error(`the second sync ended with ${second.code}: ${second.out}`);
}

/**
 * Runs `mdmirror …` in this process before and after a fault, which takes a fifth of the time of a
 * process. The fault itself meets real processes.
 * @param user the user's list of linked folders, and the key
 */
async function runInProcess(
  user: { readonly folder: string; readonly key: string },
  args: readonly string[],
): Promise<{ readonly code: number; readonly out: string; readonly ms: number }> {
  const began = performance.now();
  let out = "";
  const say = (line: string) => {
    out += `${line}\n`;
  };
  const code = await runCommandLine(args, {
    out: say,
    text: say,
    err: say,
    status: () => undefined,
    terminal: { input: false, output: false, error: false, columns: 80 },
    env: {
      ...process.env,
      XDG_STATE_HOME: join(user.folder, "state"),
      MDMIRROR_API_KEY: user.key,
      NO_COLOR: "1",
    },
    cwd: "/",
    clock: systemClock(),
    random: systemRandom(),
    become: () => {
      throw new Error("nobody's rights are given back here");
    },
    ask: async () => null,
    stop: new AbortController().signal,
    stoppable: async (work) => ({ value: await work(new AbortController().signal), isStopped: false }),
    readText: (path) => readFileSync(path, "utf8"),
  });
  return { code, out, ms: performance.now() - began };
}
