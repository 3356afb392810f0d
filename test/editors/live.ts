import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { systemClock } from "../../src/common/system-clock.ts";
import type { DocId } from "../../src/contract/ids.ts";
import { FILES } from "../../src/contract/routes.ts";
import type { WireRequest } from "../../src/contract/wire.ts";
import type { Wire, WireResult } from "../../src/common/wire.ts";
import {
  createDaemon,
  type Daemon,
  type DaemonEvent,
  type DaemonTiming,
} from "../../src/mirror/engine/daemon/daemon.ts";
import { rememberRoot } from "../../src/mirror/engine/run/guard-facts.ts";
import type { World } from "../../src/mirror/engine/run/world.ts";
import { LocalDisk } from "../../src/mirror/local/disk.ts";
import { makeMirrorFolder } from "../../src/mirror/local/marker.ts";
import { createNodeFs } from "../../src/mirror/local/node-fs.ts";
import { createWatcher } from "../../src/mirror/local/watch.ts";
import { createRemote } from "../../src/mirror/remote/client.ts";
import { SyncService } from "../sync-service/service.ts";
import { openState } from "../../src/mirror/state/open.ts";
import { rollBytes, rollDice } from "../simulator/dice.ts";
import { SETTINGS } from "../simulator/mirror.ts";
import { closeNothing, NO_LOG, NO_PROGRESS, rethrow } from "../simulator/quiet-ports.ts";

/**
 * A daemon on a real folder with the real watcher, and the service in process: what an editor does
 * to a file is done.
 */

export type LiveOptions = {
  readonly files?: Readonly<Record<string, string>>;
  readonly timing?: Partial<DaemonTiming>;
  /** A service to share; else its own. */
  readonly cloud?: Cloud;
};

/** A service with one workspace, and requests to it. */
export class Cloud {
  readonly service: SyncService = new SyncService({
    database: ":memory:",
    now: Date.now,
    random: rollBytes(1),
    onFault: rethrow,
  });
  readonly key = this.service.admin.createWorkspace("live").key;

  call(method: WireRequest["method"], path: string, body?: object) {
    const headers = { authorization: `Bearer ${this.key}`, "content-type": "application/json" };
    const asked = { method, path, headers, body: body === undefined ? null : JSON.stringify(body) };
    const answer = this.service.answer(asked);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`);
    return JSON.parse(answer.body);
  }
}

/** To a cloud's service, noting each request. */
class LiveWire implements Wire {
  /** `METHOD /path` of every request, with when it came. */
  readonly requests: { readonly what: string; readonly at: number }[] = [];
  readonly close = closeNothing;
  readonly #service: SyncService;

  constructor(service: SyncService) {
    this.#service = service;
  }

  async send(request: WireRequest): Promise<WireResult> {
    this.requests.push({ what: `${request.method} ${request.path}`, at: performance.now() });
    return { kind: "answer", response: await this.#service.handle(request) };
  }
}

type Wait = { readonly matches: (event: DaemonEvent) => boolean; readonly resolve: (event: DaemonEvent) => void };

export class Live {
  readonly root: string;
  readonly daemon: Daemon;
  readonly events: DaemonEvent[] = [];
  readonly requests: LiveWire["requests"];
  readonly #cloud: Cloud;
  readonly #world: World;
  readonly #waiting = new Set<Wait>();
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;

  constructor({ cloud = new Cloud(), files = {}, timing }: LiveOptions) {
    this.root = realpathSync(mkdtempSync(join(tmpdir(), "mdmirror-live-")));
    this.#cloud = cloud;
    for (const [path, text] of Object.entries(files)) this.create(path, text);
    const wire = new LiveWire(cloud.service);
    this.requests = wire.requests;
    this.#world = worldOf(this.root, wire, cloud.key);
    rememberRoot(this.#world);
    this.daemon = createDaemon(this.#world, createWatcher(this.root), {
      settings: SETTINGS,
      ...(timing === undefined ? {} : { timing }),
    });
    this.daemon.onEvent((event) => this.#tell(event));
    this.#running = this.daemon.run(this.#stopping.signal);
  }

  #tell(event: DaemonEvent): void {
    this.events.push(event);
    for (const one of this.#waiting) {
      if (!one.matches(event)) continue;
      this.#waiting.delete(one);
      one.resolve(event);
    }
  }

  path(path: string): string {
    return join(this.root, path);
  }

  #find(path: string) {
    return this.#cloud.call("GET", `${FILES}?path=${encodeURIComponent(path)}`).data[0];
  }

  remote(path: string): { readonly id: DocId; readonly text: string } | null {
    const file = this.#find(path);
    return file === undefined ? null : { id: file.id, text: this.#cloud.call("GET", `${FILES}/${file.id}`).content };
  }

  remotePaths(): string[] {
    const paths: string[] = [];
    for (let cursor = "", more = true; more; ) {
      const page = this.#cloud.call("GET", `${FILES}?limit=1000${cursor}`);
      // As paths on disk are told: relative.
      paths.push(...(page.data as { path: string }[]).map(({ path }) => path.replace(/^\//, "")));
      cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`;
      more = page.hasMore;
    }
    return paths.sort();
  }

  edit(path: string, text: string): void {
    const { id, lastChangeId } = this.#find(path);
    this.#cloud.call("PUT", `${FILES}/${id}/content`, { baseChangeId: lastChangeId, content: text });
  }

  create(path: string, text: string): DocId {
    return this.#cloud.call("POST", FILES, { path, content: text }).id;
  }

  /** Resolves with the next event for which it holds. */
  next(matches: Wait["matches"]): Promise<DaemonEvent> {
    return new Promise((resolve) => this.#waiting.add({ matches, resolve }));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await this.#world.remote.close();
    this.#world.state.close();
    rmSync(this.root, { recursive: true, force: true });
  }
}

function worldOf(root: string, wire: Wire, key: string): World {
  const clock = systemClock();
  const random = rollDice(2);
  const fs = createNodeFs();
  makeMirrorFolder(fs, root, "marker-live");
  const opened = openState({ folder: join(root, ".mdmirror"), clock });
  if (opened.kind !== "opened") throw new Error(`the state did not open: ${opened.kind}`);
  return {
    clock,
    random,
    log: NO_LOG,
    progress: NO_PROGRESS,
    remote: createRemote({ wire, key, clock, random, log: NO_LOG, traits: null }),
    disk: new LocalDisk(fs, root, { random }),
    state: opened.state,
    bootId: "boot",
    prefix: "",
  };
}

export async function startLive(options: LiveOptions = {}): Promise<Live> {
  const live = new Live(options);
  await live.daemon.request("resume");
  // The first request came before the watch began; this one after.
  await live.daemon.request("resume");
  live.requests.length = 0;
  return live;
}

export function writeDeep(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
