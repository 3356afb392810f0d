import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { systemClock } from "../../src/app/mirror/clock.ts";
import type { DocId } from "../../src/contract/ids.ts";
import { FILES } from "../../src/contract/routes.ts";
import type { WireRequest } from "../../src/contract/wire.ts";
import type { Wire } from "../../src/ports/remote.ts";
import { createDaemon, type Daemon, type DaemonEvent, type DaemonTiming } from "../../src/engine/daemon/daemon.ts";
import { rememberRoot } from "../../src/engine/run/guard-facts.ts";
import type { World } from "../../src/engine/run/world.ts";
import { LocalDisk } from "../../src/local/disk.ts";
import { makeMirrorFolder } from "../../src/local/marker.ts";
import { createNodeFs } from "../../src/local/node-fs.ts";
import { createWatcher } from "../../src/local/watch.ts";
import { createRemote } from "../../src/remote/client.ts";
import { combineByMerge } from "../../src/server/combine.ts";
import { createService } from "../../src/server/service.ts";
import { openState } from "../../src/state/open.ts";
import { rollDice } from "../simulator/dice.ts";
import { SETTINGS } from "../simulator/mirror.ts";

/**
 * A daemon on a real folder with the real watcher, and the service in process: what an editor does
 * to a file is done.
 */
export type Live = {
  readonly root: string;
  readonly daemon: Daemon;
  readonly events: DaemonEvent[];
  /** `METHOD /path` of every request, with when it came. */
  readonly requests: { readonly what: string; readonly at: number }[];
  path(path: string): string;
  remote(path: string): { readonly id: DocId; readonly text: string } | null;
  remotePaths(): string[];
  edit(path: string, text: string): void;
  create(path: string, text: string): DocId;
  /** Resolves with the next event for which it holds. */
  next(holds: (event: DaemonEvent) => boolean): Promise<DaemonEvent>;
  stop(): Promise<void>;
};

export type LiveOptions = {
  readonly files?: Readonly<Record<string, string>>;
  readonly timing?: Partial<DaemonTiming>;
  /** A service to share; else its own. */
  readonly cloud?: Cloud;
};

export type Cloud = ReturnType<typeof createCloud>;

export function createCloud() {
  const dice = rollDice(1);
  const service = createService({
    database: ":memory:",
    now: () => Date.now(),
    random: (bytes) => Uint8Array.from({ length: bytes }, () => dice.below(256)),
    combine: combineByMerge,
    onFault: (error) => {
      throw error;
    },
  });
  const { key } = service.admin.createWorkspace("live");
  const call = (method: WireRequest["method"], path: string, body?: object) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const answer = service.answer({ method, path, headers, body: body === undefined ? null : JSON.stringify(body) });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`);
    return JSON.parse(answer.body);
  };
  return { service, key, call };
}

export async function startLive(options: LiveOptions = {}): Promise<Live> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "mdmirror-live-")));
  const { service, key, call } = options.cloud ?? createCloud();
  for (const [path, text] of Object.entries(options.files ?? {})) call("POST", FILES, { path, content: text });
  const clock = systemClock();
  const random = rollDice(2);
  const fs = createNodeFs();
  makeMirrorFolder(fs, root, "marker-live");
  const opened = openState({ folder: join(root, ".mdmirror"), clock });
  if (opened.kind !== "opened") throw new Error(`the state did not open: ${opened.kind}`);
  const requests: Live["requests"] = [];
  const wire: Wire = {
    async send(request) {
      requests.push({ what: `${request.method} ${request.path}`, at: performance.now() });
      return { kind: "answer", response: await service.handle(request) };
    },
    close: async () => undefined,
  };
  const log = { write: () => undefined };
  const world: World = {
    clock,
    random,
    log,
    progress: { report: () => undefined },
    remote: createRemote({ wire, key, clock, random, log, traits: null }),
    disk: new LocalDisk(fs, root, { random }),
    state: opened.state,
    bootId: "boot",
    prefix: "",
  };
  rememberRoot(world);
  const daemon = createDaemon(world, createWatcher(root), {
    settings: SETTINGS,
    ...(options.timing === undefined ? {} : { timing: options.timing }),
  });
  const events: DaemonEvent[] = [];
  const waiting = new Set<{ holds: (event: DaemonEvent) => boolean; resolve: (event: DaemonEvent) => void }>();
  daemon.onEvent((event) => {
    events.push(event);
    for (const one of waiting) {
      if (!one.holds(event)) continue;
      waiting.delete(one);
      one.resolve(event);
    }
  });
  const stopping = new AbortController();
  const running = daemon.run(stopping.signal);
  await daemon.request("sync");
  // The first request came before the watch began; this one after.
  await daemon.request("rescan");
  requests.length = 0;
  const found = (path: string) => call("GET", `${FILES}?path=${encodeURIComponent(path)}`).data[0];
  return {
    root,
    daemon,
    events,
    requests,
    path: (path) => join(root, path),
    remote(path) {
      const file = found(path);
      return file === undefined ? null : { id: file.id, text: call("GET", `${FILES}/${file.id}`).content };
    },
    remotePaths() {
      const paths: string[] = [];
      for (let cursor = "", more = true; more; ) {
        const page = call("GET", `${FILES}?limit=1000${cursor}`);
        // As paths on disk are told: relative.
        paths.push(...(page.data as { path: string }[]).map(({ path }) => path.replace(/^\//, "")));
        cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`;
        more = page.hasMore;
      }
      return paths.sort();
    },
    edit(path, text) {
      const file = found(path);
      call("PUT", `${FILES}/${file.id}/content`, { baseChangeId: file.lastChangeId, content: text });
    },
    create: (path, text) => call("POST", FILES, { path, content: text }).id,
    next: (holds) => new Promise((resolve) => waiting.add({ holds, resolve })),
    async stop() {
      stopping.abort();
      await running;
      await world.remote.close();
      opened.state.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

export function writeDeep(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
