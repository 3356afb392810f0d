/**
 * What the proofs share: a service in this process over real HTTP, with its requests counted, and
 * the command line as a child process.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Sqlite from "better-sqlite3";
import type { WireRequest, WireResponse } from "../../src/contract/wire.ts";
import { type OpenData, openData } from "../../src/server/data.ts";
import { type HttpServer, startHttp } from "../../src/server/http.ts";
import type { Variant } from "../../test/variants/variant.ts";
import { normaliseText } from "../../test/variants/requests.ts";
import { PROFILES, type ProfileName } from "../../test/variants/profiles.ts";
import { varyService } from "../../test/variants/vary-service.ts";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
export const CORPORA = join(ROOT, "../shared/corpora");

export type Fixture = {
  readonly folder: string;
  readonly data: OpenData;
  readonly server: HttpServer;
  /** Requests that were not GET, since the last reset: `METHOD /path`. */
  readonly writes: string[];
  /** In-process calls of the app's owner; not counted. */
  call(method: string, path: string, body?: object): Promise<WireResponse>;
  end(): Promise<void>;
};

/** The service as it is, in no weather. */
let profile: Variant = {};

/** The deployment of every fixture from here on; what one says of itself comes over it. */
export function useProfile(name: ProfileName): void {
  profile = PROFILES[name];
}

/**
 * The weather of a workspace of so many documents: what a page, a key and a second bear grows with
 * it, so that its runs end.
 */
function atSize(variant: Variant, documents: number): Variant {
  const { maxPageSize, keyExpires, rateLimit } = variant;
  if (maxPageSize === undefined || keyExpires === undefined || rateLimit === undefined) return variant;
  return {
    ...variant,
    maxPageSize: Math.min(1_000, Math.max(maxPageSize, Math.ceil(documents / 10))),
    keyExpires: { ...keyExpires, after: Math.max(keyExpires.after, Math.ceil(documents * 0.6)) },
    rateLimit: { ...rateLimit, requests: Math.max(rateLimit.requests, Math.ceil(documents / 20)) },
  };
}

/**
 * @param onRequest told each request before it is answered; it may hold the answer back
 * @param documents about how many it will hold: its weather is that of such a one
 */
export async function openFixture(
  variant: Variant = {},
  onRequest?: (request: WireRequest) => void | Promise<void>,
  documents = 0,
): Promise<Fixture> {
  const folder = mkdtempSync(join(tmpdir(), "mdmirror-prove-"));
  const data = await openData(join(folder, "data"));
  const writes: string[] = [];
  const varied = varyService(
    data.service.handle,
    { ...atSize(profile, documents), ...variant },
    {
      requests: 0,
      renames: new Map(),
      now: () => performance.now(),
      withdraw: async (changeId) => void (await data.service.admin.reviews.reject(changeId)),
    },
  );
  const handle = async (request: WireRequest, fault?: Parameters<typeof varied>[1]) => {
    await onRequest?.(request);
    if (request.method !== "GET") writes.push(`${request.method} ${request.path}`);
    return await varied(request, fault ?? null);
  };
  const server = await startHttp({ handle }, {});
  return {
    folder,
    data,
    server,
    writes,
    call: (method, path, body) =>
      data.service.answer({
        method,
        path,
        headers: { authorization: `Bearer ${data.key}`, "content-type": "application/json" },
        body: body === undefined ? null : JSON.stringify(body),
      }),
    async end() {
      await server.close();
      await data.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type Ran = { readonly code: number | null; readonly out: string; readonly ms: number };

/** One `mdmirror …` as a user runs it. `onStart` may kill it. */
export function run(fixture: Fixture, args: readonly string[], onStart?: (child: ChildProcess) => void): Promise<Ran> {
  const started = performance.now();
  const child = spawn(process.execPath, [join(ROOT, "src/cli/entry.mjs"), ...args], {
    cwd: fixture.folder,
    env: {
      ...process.env,
      XDG_STATE_HOME: join(fixture.folder, "state"),
      MDMIRROR_API_KEY: fixture.data.key,
      NO_COLOR: "1",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (out += chunk.toString()));
  onStart?.(child);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, out, ms: performance.now() - started }));
  });
}

const KEY_REFUSED = 5;
/** A run that meets an expired key so often does not come forward. */
const MOST_KEYS = 40;

/**
 * The same as often as its key expires, as a person does it: with a good key again, `sync` in place
 * of the `init` that has linked the folder. @returns the last run, with the time of all
 */
export async function runToEnd(fixture: Fixture, args: readonly string[]): Promise<Ran & { readonly keys: number }> {
  const [command, notes, ...options] = args;
  let ms = 0;
  for (let keys = 1; ; keys++) {
    const isLinked = command === "init" && existsSync(join(notes!, ".mdmirror/config.json"));
    const ran = await run(fixture, isLinked ? ["sync", notes!] : [command!, notes!, ...options]);
    ms += ran.ms;
    if (ran.code !== KEY_REFUSED || profile.keyExpires === undefined || keys === MOST_KEYS) return { ...ran, ms, keys };
  }
}

export type Tree = ReadonlyMap<string, string>;

export const digest = (text: string | Buffer) => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** Path → digest of every `.md` file below a folder; dot folders and the mirror's own left out. */
export function localTree(folder: string): Map<string, string> {
  return treeOf(folder, (text) => text);
}

/** The same, each text as the deployment saves it when it is sent. */
export function savedTree(folder: string): Map<string, string> {
  return treeOf(folder, (text) => (profile.normalise === true ? normaliseText(text.toString()) : text));
}

function treeOf(folder: string, saved: (text: Buffer) => string | Buffer): Map<string, string> {
  const tree = new Map<string, string>();
  const walk = (below: string) => {
    for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory() && !entry.name.startsWith(".")) walk(path);
      else if (entry.isFile() && entry.name.endsWith(".md"))
        tree.set(path, digest(saved(readFileSync(join(folder, path)))));
    }
  };
  if (existsSync(folder)) walk("");
  return tree;
}

export type RemoteDocument = { readonly id: string; readonly digest: string };

/** A document of the service, as its own API tells it. */
export type LiveThere = { readonly id: string; readonly text: string; readonly changeId: string };

/** Path → document of the service, by its own API. */
export async function liveThere(fixture: Pick<Fixture, "call">): Promise<Map<string, LiveThere>> {
  const live = new Map<string, LiveThere>();
  for (let cursor = ""; ; ) {
    const page = JSON.parse((await fixture.call("GET", `/v1/files?limit=1000${cursor}`)).body) as {
      data: { id: string; path: string }[];
      hasMore: boolean;
      nextCursor: string;
    };
    for (const { id, path } of page.data) {
      const answer = await fixture.call("GET", `/v1/files/${id}`);
      const file = JSON.parse(answer.body) as { content: string; lastChangeId: string };
      live.set(path.slice(1), { id, text: file.content, changeId: file.lastChangeId });
    }
    if (!page.hasMore) return live;
    cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`;
  }
}

/** Path → id and digest of every document of the service. */
export async function remoteTree(fixture: Fixture): Promise<Map<string, RemoteDocument>> {
  return new Map([...(await liveThere(fixture))].map(([path, { id, text }]) => [path, { id, digest: digest(text) }]));
}

/** How many paths differ between the two sides, by path and digest. */
export function differences(local: Tree, remote: ReadonlyMap<string, RemoteDocument>): string[] {
  const differing: string[] = [];
  for (const [path, text] of local) if (remote.get(path)?.digest !== text) differing.push(path);
  for (const path of remote.keys()) if (!local.has(path)) differing.push(path);
  return differing;
}

/** Local path → remote path of every linked document of a mirror. */
export function readLinks(notes: string): Map<string, string> {
  return readRows(notes, "SELECT local_path AS a, remote_path AS b FROM links");
}

/** Local path → reason of every hold. */
export function readHolds(notes: string): Map<string, string> {
  return readRows(notes, "SELECT path AS a, reason AS b FROM holds");
}

function readRows(notes: string, sql: string): Map<string, string> {
  const db = new Sqlite(join(notes, ".mdmirror/state.db"), { readonly: true });
  try {
    return new Map((db.prepare(sql).all() as { a: string; b: string }[]).map(({ a, b }) => [a, b]));
  } finally {
    db.close();
  }
}

let failures = 0;

/** One line of the proof: what, the figure, and whether it is as it must be. */
export function line(what: string, figure: string, good: boolean): void {
  if (!good) failures++;
  console.log(`${good ? "ok  " : "FAIL"}  ${what}: ${figure}`);
}

export function failed(): number {
  return failures;
}
