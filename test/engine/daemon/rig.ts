import type { Settings } from "../../../src/engine/run/world.ts";
import { createDaemon, type Daemon, type DaemonEvent, type DaemonTiming } from "../../../src/engine/daemon/daemon.ts";
import type { Watcher, WatchHint } from "../../../src/ports/watch.ts";
import type { LocalPath } from "../../../src/model/path.ts";
import type { Fault, Remote } from "../../../src/ports/remote.ts";
import { type Mirror, ROOT, SETTINGS } from "../../simulator/mirror.ts";
import { createRig, type Rig } from "../../simulator/rig.ts";

/**
 * A daemon over the rig: the person's programs act through `user`, which gives the hints that the
 * system would give.
 */

export type DaemonRig = Rig & {
  readonly mirrored: Mirror;
  readonly daemon: Daemon;
  readonly events: DaemonEvent[];
  /** Lets virtual time pass, the daemon running. */
  pass(ms: number): Promise<void>;
  /** Until `what` holds; fails after a minute of virtual time. */
  until(what: () => boolean, mostMs?: number): Promise<void>;
  hint(hint: WatchHint): void;
  save(path: LocalPath, text: string): void;
  remove(path: LocalPath): void;
  rename(from: LocalPath, to: LocalPath): void;
  /** Requests since the last call, of one method or of all. */
  sent(method?: string): string[];
  /**
   * `fault`: every call of the service ends so, until null. `sleptMs` is added to the wall clock:
   * the monotonic one stands still while a machine sleeps.
   */
  readonly requestFaults: { fault: Fault | null; sleptMs: number };
  stop(): Promise<void>;
  readonly watched: { starts: number; closes: number };
};

export type DaemonRigOptions = {
  readonly seed?: number;
  readonly settings?: Partial<Settings>;
  readonly timing?: Partial<DaemonTiming>;
  readonly rig?: Rig;
  readonly mirror?: Mirror;
  /** The start of the watcher fails with these, one after the other. */
  readonly limit?: "ENOSPC" | "EMFILE";
};

export async function startDaemon(options: DaemonRigOptions = {}): Promise<DaemonRig> {
  const rig = options.rig ?? createRig(options.seed ?? 1);
  const mirrored = options.mirror ?? rig.mirror();
  const { clock } = rig;
  let listener: ((hint: WatchHint) => void) | null = null;
  const watched = { starts: 0, closes: 0 };
  const watcher: Watcher = {
    async start(_ignores, onHint) {
      watched.starts++;
      if (options.limit !== undefined) onHint({ kind: "limit", code: options.limit, why: "no more watches" });
      else listener = onHint;
    },
    async close() {
      watched.closes++;
      listener = null;
    },
  };
  const requestFaults: { fault: Fault | null; sleptMs: number } = { fault: null, sleptMs: 0 };
  const fresh = mirrored.world();
  const world = {
    ...fresh,
    clock: { ...clock, now: () => clock.now() + requestFaults.sleptMs },
    remote: withFaults(fresh.remote, () => requestFaults.fault),
  };
  const daemon = createDaemon(world, watcher, {
    settings: { ...SETTINGS, ...options.settings },
    ...(options.timing === undefined ? {} : { timing: options.timing }),
  });
  const events: DaemonEvent[] = [];
  daemon.onEvent((event) => events.push(event));
  const stopping = new AbortController();
  let failed: unknown = null;
  const running = daemon.run(stopping.signal).catch((error: unknown) => {
    failed = error;
  });
  let seen = mirrored.requests.length;
  const hint = (one: WatchHint) => listener?.(one);
  const changed = (...paths: LocalPath[]) => {
    for (const path of paths) hint({ kind: "path", path });
    mirrored.disk.advance(10);
  };
  const made: DaemonRig = {
    ...rig,
    mirrored,
    daemon,
    events,
    watched,
    requestFaults,
    hint,
    async pass(ms) {
      await clock.sleep(ms);
      // The disk's own clock goes with the world's.
      mirrored.disk.advance(ms);
      if (failed !== null) throw failed;
    },
    async until(what, mostMs = 60_000) {
      const end = clock.monotonic() + mostMs;
      while (!what()) {
        if (clock.monotonic() > end) throw new Error("it did not happen in time");
        await made.pass(10);
      }
    },
    save(path, text) {
      const folder = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
      if (folder !== "" && !mirrored.disk.user.exists(`${ROOT}/${folder}`)) {
        mirrored.disk.user.makeFolder(`${ROOT}/${folder}`);
        hint({ kind: "folder", path: folder });
      }
      mirrored.disk.user.write(`${ROOT}/${path}`, text);
      changed(path);
    },
    remove(path) {
      mirrored.disk.user.remove(`${ROOT}/${path}`);
      changed(path);
    },
    rename(from, to) {
      mirrored.disk.user.rename(`${ROOT}/${from}`, `${ROOT}/${to}`);
      changed(from, to);
    },
    sent(method) {
      const requests = mirrored.requests.slice(seen);
      seen = mirrored.requests.length;
      return requests.filter((request) => method === undefined || request.startsWith(`${method} `));
    },
    async stop() {
      stopping.abort();
      await running;
      if (failed !== null) throw failed;
    },
  };
  await made.until(
    () =>
      options.limit !== undefined ||
      (daemon.status().watching !== "starting" && daemon.status().phase.kind !== "observing"),
  );
  await made.pass(1_000);
  made.sent();
  return made;
}

/** The client as it answers when the service cannot be reached, or the key is refused. */
function withFaults(remote: Remote, current: () => Fault | null): Remote {
  return new Proxy(remote, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      if (["traits", "counts", "close"].includes(String(name))) return member.bind(target);
      return async (...args: unknown[]) => {
        const fault = current();
        if (fault === null) return Reflect.apply(member, target, args) as unknown;
        return String(name).startsWith("list") ? { items: [], complete: false, fault } : { ok: false, fault };
      };
    },
  });
}
