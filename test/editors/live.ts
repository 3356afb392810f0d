import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { systemClock } from "../../src/common/clock.ts";
import type { WireRequest } from "../../src/contract/wire.ts";
import type { Wire, WireResult } from "../../src/common/wire.ts";
import { createDaemon } from "../../src/mirror/engine/daemon/daemon.ts";
import type { Daemon, DaemonEvent, DaemonTiming } from "../../src/mirror/engine/daemon/interface.ts";
import { rememberRoot } from "../../src/mirror/engine/run/guard-facts.ts";
import type { World } from "../../src/mirror/engine/run/world.ts";
import { LocalDisk } from "../../src/mirror/local/disk.ts";
import { makeMirrorFolder } from "../../src/mirror/local/marker.ts";
import { createNodeFs } from "../../src/mirror/local/node-fs.ts";
import { createWatcher } from "../../src/mirror/local/watch.ts";
import { createRemote } from "../../src/mirror/remote/client.ts";
import { SyncService } from "../sync-service/service.ts";
import { App, type AppFile } from "../simulator/app.ts";
import { rollBytes, rollDice } from "../simulator/dice.ts";
import { emptyDatabase } from "../simulator/empty-service.ts";
import { SETTINGS } from "../simulator/mirror.ts";
import { openIn } from "../state/fixture.ts";
import { closeNothing, NO_LOG, NO_PROGRESS, rethrow } from "../simulator/quiet-ports.ts";

/** A daemon on a real folder with the real file watcher. The service is in the same process. */

export type LiveOptions = {
  readonly files?: Readonly<Record<string, string>>;
  readonly timing?: Partial<DaemonTiming>;
};

/** Sends requests to a service and records them. */
class LiveWire implements Wire {
  /** `METHOD /path` of every request, and its time in ms. */
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
  readonly #app: App;
  readonly #world: World;
  readonly #waiting = new Set<Wait>();
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;

  constructor({ files = {}, timing }: LiveOptions) {
    this.root = realpathSync(mkdtempSync(join(tmpdir(), "mdmirror-live-")));
    const random = rollBytes(1);
    const service = new SyncService({ database: emptyDatabase(), now: Date.now, random, onFault: rethrow });
    const { key } = service.admin.createWorkspace("live");
    this.#app = new App(service, key);
    for (const [path, text] of Object.entries(files)) this.#app.create(path, text);
    const wire = new LiveWire(service);
    this.requests = wire.requests;
    this.#world = worldOf(this.root, wire, key);
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

  remote(path: string): AppFile | undefined {
    return this.#app.files().get(path);
  }

  remotePaths(): string[] {
    return this.#app.paths();
  }

  /** Resolves with the next matching event. */
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
  return {
    clock,
    random,
    log: NO_LOG,
    progress: NO_PROGRESS,
    remote: createRemote({ wire, key, clock, random, log: NO_LOG, traits: null }),
    disk: new LocalDisk(fs, root, { random }),
    state: openIn(join(root, ".mdmirror"), clock),
    bootId: "boot",
    prefix: "",
  };
}

export async function startLive(options: LiveOptions = {}): Promise<Live> {
  const live = new Live(options);
  await live.daemon.request("resume");
  // The first cycle began before the file watcher was ready; this cycle begins after it.
  await live.daemon.request("resume");
  live.requests.length = 0;
  return live;
}

export function writeDeep(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
