import type { Settings } from "../../../src/mirror/engine/run/world.ts";
import { createDaemon } from "../../../src/mirror/engine/daemon/daemon.ts";
import type { BarrierEnd, Daemon, DaemonEvent, DaemonTiming } from "../../../src/mirror/engine/daemon/interface.ts";
import type {
  EventHint,
  EventListener,
  EventStreamState,
  Fault,
  Remote,
  RemoteEvents,
} from "../../../src/mirror/ports/remote.ts";
import type { Watcher, WatchHint } from "../../../src/mirror/ports/disk.ts";
import type { LocalPath } from "../../../src/contract/path.ts";
import { type Mirror, ROOT, SETTINGS } from "../../simulator/mirror.ts";
import { closeWithTest } from "../../simulator/open-databases.ts";
import { createRig, type Rig } from "../../simulator/rig.ts";

/**
 * A daemon in a rig. Local changes of a user go through the rig's methods, which also give the file
 * watcher's hints.
 */

type DaemonRigOptions = {
  readonly seed?: number;
  readonly settings?: Partial<Settings>;
  readonly timing?: Partial<DaemonTiming>;
  readonly rig?: Rig;
  readonly mirror?: Mirror;
  /** Code with which the start of the file watcher fails. */
  readonly limit?: "ENOSPC" | "EMFILE";
  /** Event stream whose events the test sends. */
  readonly news?: ScriptedEvents;
};

/** Event stream whose events a test sends. */
export class ScriptedEvents implements RemoteEvents {
  #listener: EventListener | null = null;

  start(listener: EventListener): void {
    this.#listener = listener;
  }

  async close(): Promise<void> {
    this.#listener = null;
  }

  state(state: EventStreamState): void {
    this.#listener?.onState(state);
  }

  hint(...hints: readonly EventHint[]): void {
    for (const hint of hints) this.#listener?.onHint(hint);
  }
}

/** File watcher whose hints a test sends. */
class ScriptedWatcher implements Watcher {
  starts = 0;
  closes = 0;
  readonly #limit: DaemonRigOptions["limit"];
  #listener: ((hint: WatchHint) => void) | null = null;

  constructor(limit: DaemonRigOptions["limit"]) {
    this.#limit = limit;
  }

  async start(_ignores: unknown, onHint: (hint: WatchHint) => void): Promise<void> {
    this.starts++;
    if (this.#limit !== undefined) onHint({ kind: "limit", code: this.#limit, why: "no more watches" });
    else this.#listener = onHint;
  }

  async close(): Promise<void> {
    this.closes++;
    this.#listener = null;
  }

  hint(one: WatchHint): void {
    this.#listener?.(one);
  }
}

export class DaemonRig {
  readonly app: Rig["app"];
  readonly service: Rig["service"];
  readonly clock: Rig["clock"];
  readonly mirrored: Mirror;
  readonly daemon: Daemon;
  readonly events: DaemonEvent[] = [];
  readonly watched: ScriptedWatcher;
  /**
   * `fault`: result of every call to the service; null for real results. `sleptMs` is added to the
   * wall clock, because the monotonic clock stops while a machine sleeps.
   */
  readonly requestFaults: { fault: Fault | null; sleptMs: number } = { fault: null, sleptMs: 0 };
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #failed: unknown = null;
  #seen: number;

  constructor({ seed = 1, rig = createRig(seed), mirror = rig.mirror(), ...options }: DaemonRigOptions) {
    const { app, service, clock } = rig;
    this.app = app;
    this.service = service;
    this.clock = clock;
    this.mirrored = mirror;
    this.watched = new ScriptedWatcher(options.limit);
    const fresh = mirror.world();
    const world = {
      ...fresh,
      clock: { ...clock, now: () => clock.now() + this.requestFaults.sleptMs },
      remote: withFaults(fresh.remote, () => this.requestFaults.fault),
    };
    this.daemon = createDaemon(world, this.watched, {
      settings: { ...SETTINGS, ...options.settings },
      ...(options.timing === undefined ? {} : { timing: options.timing }),
      ...(options.news === undefined ? {} : { events: options.news }),
    });
    this.daemon.onEvent((event) => this.events.push(event));
    this.#running = this.daemon.run(this.#stopping.signal).catch((error: unknown) => {
      this.#failed = error;
    });
    this.#seen = mirror.requests.length;
  }

  /** Lets virtual time pass while the daemon runs. */
  async pass(ms: number): Promise<void> {
    await this.clock.sleep(ms);
    // The disk has its own clock, which must advance too.
    this.mirrored.disk.advance(ms);
    if (this.#failed !== null) throw this.#failed;
  }

  /** Waits until the condition is true. Fails after `mostMs` of virtual time. */
  async until(what: () => boolean, mostMs = 60_000): Promise<void> {
    const end = this.clock.monotonic() + mostMs;
    while (!what()) {
      if (this.clock.monotonic() > end) throw new Error("it did not happen in time");
      await this.pass(10);
    }
  }

  /** Waits until the daemon watches and its first cycle is over. */
  async begin(): Promise<void> {
    await this.until(() => {
      const { watching, phase } = this.daemon.status();
      return watching !== "starting" && phase.kind !== "observing";
    });
  }

  hint(hint: WatchHint): void {
    this.watched.hint(hint);
  }

  save(path: LocalPath, text: string): void {
    const { user } = this.mirrored.disk;
    const folder = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
    if (folder !== "" && !user.exists(`${ROOT}/${folder}`)) {
      user.makeFolder(`${ROOT}/${folder}`);
      this.hint({ kind: "folder", path: folder });
    }
    user.write(`${ROOT}/${path}`, text);
    this.#changed(path);
  }

  remove(path: LocalPath): void {
    this.mirrored.remove(path);
    this.#changed(path);
  }

  rename(from: LocalPath, to: LocalPath): void {
    this.mirrored.rename(from, to);
    this.#changed(from, to);
  }

  #changed(...paths: LocalPath[]): void {
    for (const path of paths) this.hint({ kind: "path", path });
    this.mirrored.disk.advance(10);
  }

  /** Returns the requests since the last call, of one method or of all. */
  sent(method?: string): string[] {
    const requests = this.mirrored.requests.slice(this.#seen);
    this.#seen = this.mirrored.requests.length;
    return requests.filter((request) => method === undefined || request.startsWith(`${method} `));
  }

  /** Returns the write requests since the last call of `sent` or `writes`. */
  writes(): string[] {
    return this.sent().filter((request) => !request.startsWith("GET "));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    if (this.#failed !== null) throw this.#failed;
  }
}

export async function startDaemon(options: DaemonRigOptions = {}): Promise<DaemonRig> {
  const made = new DaemonRig(options);
  closeWithTest(() => made.stop());
  if (options.limit === undefined) await made.begin();
  await made.pass(1_000);
  made.sent();
  return made;
}

/** Content that a match by similarity still recognizes after one line was edited. */
export const PLAN = `# Plan

first line

A paragraph that stays as it is, long enough that one edited line leaves the text like itself.

third line
`;

export const note = (n: number): string => `notes/note-${n}.md`;

/** Returns a daemon in sync with that many notes of different contents. */
export async function withNotes(
  count: number,
  pathOf = note,
  options: Partial<DaemonRigOptions> = {},
): Promise<DaemonRig> {
  const { rig = createRig(1) } = options;
  for (let n = 0; n < count; n++) rig.app.create(pathOf(n), `# Note ${n}\n\nits own text, number ${n}\n`);
  return startDaemon({ ...options, rig });
}

/** Returns a client whose calls fail as if the service were unreachable or refused the key. */
function withFaults(remote: Remote, current: () => Fault | null): Remote {
  return new Proxy(remote, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      if (["traits", "generation", "counts", "pressure", "close"].includes(String(name))) return member.bind(target);
      return async (...args: unknown[]) => {
        const fault = current();
        if (fault === null) return Reflect.apply(member, target, args) as unknown;
        return String(name).startsWith("list") ? { items: [], complete: false, fault } : { ok: false, fault };
      };
    },
  });
}

/** Programs that wait until a daemon has synced their files. */

export const OVERLOADED = { status: 503, headers: { "retry-after": "1" }, body: "" };

export const twentyNotes = (options: Partial<DaemonRigOptions> = {}): Promise<DaemonRig> =>
  withNotes(20, (n) => `notes/${n}.md`, options);

/** Saves a file of which the file watcher has not reported anything yet. */
export function saveUnreported(rig: DaemonRig, path: string, text: string): void {
  rig.mirrored.disk.user.write(`${ROOT}/${path}`, text);
  rig.mirrored.disk.advance(10);
}

/**
 * Waits in virtual time until a scope is synced. Returns the waiting time in ms, and the result.
 */
export async function waitForSync(
  rig: DaemonRig,
  scope: readonly string[],
  mostMs = 30_000,
): Promise<readonly [number, BarrierEnd]> {
  const began = rig.clock.monotonic();
  const over = new AbortController();
  const kept: { end: BarrierEnd | null } = { end: null };
  const asked = rig.daemon.whenSynced(scope, over.signal).then((end) => {
    kept.end = end;
  });
  while (kept.end === null && rig.clock.monotonic() - began < mostMs) await rig.pass(10);
  over.abort();
  await asked;
  return [rig.clock.monotonic() - began, kept.end!];
}

export function statesOf(end: BarrierEnd): Record<string, string> {
  if (end.kind === "outside") return Object.fromEntries(end.outside.map(({ path, why }) => [path, why]));
  return Object.fromEntries(end.paths.map(({ path, state }) => [path, state]));
}
