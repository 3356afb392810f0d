import { rememberRoot } from "../../src/mirror/engine/run/guard-facts.ts";
import type { RunReport } from "../../src/mirror/engine/run/report.ts";
import { planOnly, syncToConvergence } from "../../src/mirror/engine/run/converge.ts";
import type { Settings, World } from "../../src/mirror/engine/run/world.ts";
import type { Fs } from "../../src/mirror/ports/disk.ts";
import type { Remote } from "../../src/mirror/ports/remote.ts";
import { LocalDisk } from "../../src/mirror/local/disk.ts";
import { makeMirrorFolder } from "../../src/mirror/local/marker.ts";
import { DEFAULT_GUARD_LIMITS } from "../../src/mirror/model/policy.ts";
import type { WireResult } from "../../src/common/wire.ts";
import type { WireRequest } from "../../src/contract/wire.ts";
import type { Clock } from "../../src/common/clock.ts";
import type { Service } from "../../src/service/service.ts";
import type { StoredState } from "../../src/mirror/state/state.ts";
import type { Dice } from "./dice.ts";
import { type MemoryState, openInMemory, type StateCopy } from "./memory-state.ts";
import { Killed, startProcess } from "./process.ts";
import { NO_LOG } from "./quiet-ports.ts";
import { RamDisk, type RamDiskOptions } from "./ram-disk.ts";

export const ROOT = "/home/ann/notes";

export const SETTINGS: Settings = {
  names: "map",
  direction: "both",
  prefer: null,
  conflicts: () => "conflict-copy",
  retryRefused: false,
  guards: DEFAULT_GUARD_LIMITS,
  reviewsOnlyUnchanged: false,
  secondLookMs: 2_000,
};

/** A copy of a mirror's disk and state. */
export type MirrorCopy = StateCopy & {
  readonly disk: Buffer;
  readonly requests: readonly string[];
  readonly boot: number;
  /** Rows and contents that a power cut leaves; null if no process has run yet. */
  readonly safe: StateCopy | null;
};

export type MirrorOptions = {
  readonly disk?: RamDiskOptions;
  readonly prefix?: string;
  /** True if the mirror translates links; `wiki` for wiki links too. */
  readonly links?: boolean | "wiki";
  /** True if the mirror excludes files by `.gitignore`. */
  readonly gitignore?: boolean;
  readonly key?: string;
  readonly fill?: (disk: RamDisk) => void;
};

/** What a mirror shares with the other mirrors of its rig. */
type Surroundings = {
  readonly key: string;
  readonly handle: Service["handle"];
  readonly clock: Clock;
  readonly dice: Dice;
};

/**
 * One linked folder: its disk, its state, and a process that starts for each run and may be killed.
 */
export class Mirror {
  readonly disk: RamDisk;
  /** Requests that the mirror has sent since it was created, as `METHOD /path`. */
  readonly requests: string[];
  readonly #around: Surroundings;
  readonly #options: MirrorOptions;
  readonly #memory: MemoryState;
  readonly #boot: number;
  #safe: StateCopy | null;
  /** Called before each call of a port. */
  onCall: (() => void) | null = null;
  /** Returns the world of a starting process, which a test may change. */
  alterWorld: (world: World) => World = (world) => world;
  #writes = 0;
  #calls = 0;
  #killIn: number | null = null;

  /** @param from a copy of a mirror with the same options; null to create an empty folder */
  constructor(around: Surroundings, options: MirrorOptions, from: MirrorCopy | null) {
    this.#around = around;
    this.#options = options;
    this.disk = from === null ? startDisk(options) : new RamDisk(options.disk, from.disk);
    this.#memory = openInMemory(around.clock, from);
    this.requests = [...(from?.requests ?? [])];
    this.#boot = from?.boot ?? 1;
    this.#safe = from?.safe ?? null;
    if (from === null) rememberRoot(this.world());
  }

  get state(): StoredState {
    return this.#memory.state;
  }

  /** Returns the number of port calls since the last start. */
  calls(): number {
    return this.#calls;
  }

  /**
   * Returns the number of possible changes so far: on the disk, in the state, and by write
   * requests.
   */
  changes(): number {
    return this.disk.changes + this.#memory.changes() + this.#writes;
  }

  /**
   * Kills the process at this port call, counted over disk, state and wire; 1 is the next call,
   * null means never.
   */
  killAt(call: number | null): void {
    this.#killIn = call;
  }

  /**
   * Runs one sync; with `retryRefused` false it is not a manual one. Returns null if the process
   * was killed.
   */
  async sync(
    settings: Partial<Settings> = {},
    run: { readonly retryRefused: boolean } = { retryRefused: true },
  ): Promise<RunReport | null> {
    const world = this.world();
    try {
      return await syncToConvergence(world, { settings: { ...SETTINGS, ...settings }, ...run, kind: "sync" });
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      return null;
    } finally {
      this.#killIn = null;
      this.disk.advance(10);
    }
  }

  /** Syncs several times. Returns the last report. */
  async syncTimes(times: number, ...how: Parameters<Mirror["sync"]>): Promise<RunReport | null> {
    let report: RunReport | null = null;
    for (let n = 0; n < times; n++) report = await this.sync(...how);
    return report;
  }

  /** Restarts the machine, with these changes of its world. Then syncs, not manually. */
  restart(changes: Partial<World> = {}): Promise<RunReport | null> {
    this.alterWorld = (world) => ({ ...world, bootId: "boot-2", ...changes });
    return this.sync({}, { retryRefused: false });
  }

  /** Syncs once more. Returns the write requests of that sync. */
  async syncWrites(settings: Partial<Settings> = {}): Promise<string[]> {
    this.requests.length = 0;
    await this.sync(settings);
    return this.writes();
  }

  async plan(settings: Partial<Settings> = {}): ReturnType<typeof planOnly> {
    return planOnly(this.world(), { settings: { ...SETTINGS, ...settings }, retryRefused: true, kind: "sync" });
  }

  write(path: string, text: string): void {
    const whole = this.path(path);
    this.disk.user.makeFolder(whole.slice(0, whole.lastIndexOf("/")));
    this.disk.user.write(whole, text);
    this.disk.advance(10);
  }

  /** Returns the write requests so far, of one method or of all. */
  writes(method?: "POST" | "PUT" | "PATCH" | "DELETE"): string[] {
    return this.requests.filter((request) =>
      method === undefined ? !request.startsWith("GET ") : request.startsWith(`${method} `),
    );
  }

  /** Removes a file or a folder. */
  remove(path: string): void {
    this.disk.user.remove(this.path(path));
  }

  rename(from: string, to: string): void {
    this.disk.user.rename(this.path(from), this.path(to));
  }

  texts(): Map<string, string> {
    return this.disk.user.texts(ROOT);
  }

  /** Returns the contents in the trash, sorted. */
  trash(): string[] {
    return [...this.disk.user.texts(this.path(".mdmirror/trash"), true).values()].sort();
  }

  path(path: string): string {
    return `${ROOT}/${path}`;
  }

  /** Returns the world of a new process. */
  world(): World {
    this.#calls = 0;
    this.#safe = this.#memory.copy();
    const { clock, dice, key } = this.#around;
    const { gitignore = false, links = false, prefix = "" } = this.#options;
    const machine = {
      ...{ clock, random: dice, log: NO_LOG, bootId: `boot-${this.#boot}`, prefix, links },
      ...{ key: this.#options.key ?? key, disk: this.disk, state: this.state },
      openDisk: (fs: Fs) =>
        new LocalDisk(fs, ROOT, { random: dice, gitignore: gitignore ? () => this.state.localPaths() : null }),
      counts: (call: number): void => {
        this.#calls = call;
      },
    };
    let killAt: number | null = null;
    const fate = {
      get killAt() {
        return killAt;
      },
      onCall: (call: number) => {
        this.onCall?.();
        if (this.#killIn !== null && --this.#killIn === 0) killAt = call;
      },
      exchange: (request: WireRequest) => this.#exchange(request),
      onDisk: () => undefined,
    };
    const onSafe = (what: "texts" | "all"): void => {
      const copy = this.#memory.copy();
      this.#safe = what === "all" || this.#safe === null ? copy : { ...this.#safe, texts: copy.texts };
    };
    return this.alterWorld(startProcess(machine, fate, { onSafe }));
  }

  /** Returns a copy of everything that outlives the process. Only between two runs. */
  copy(): MirrorCopy {
    const { disk, requests } = this;
    return { disk: disk.copy(), ...this.#memory.copy(), requests: [...requests], boot: this.#boot, safe: this.#safe };
  }

  /**
   * Returns a copy as a power cut leaves it: everything that was written to the disk (`losePower`
   * then loses its unflushed part), and of the state only the durable rows.
   */
  copyAfterPowerCut(): MirrorCopy {
    return { ...this.copy(), ...this.#safe, boot: this.#boot + 1 };
  }

  async #exchange(request: WireRequest): Promise<WireResult> {
    this.requests.push(`${request.method} ${request.path}`);
    // ORDER: like over a network, an answer comes only after all work that is ready has been done.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    if (request.method !== "GET") this.#writes++;
    try {
      return { kind: "answer", response: await this.#around.handle(request) };
    } catch (error) {
      if ((error as Error).name !== "ConnectionLost") throw error;
      return { kind: "lost", why: (error as Error).message };
    }
  }
}

/** Returns a client in which some calls are replaced. */
export function withCalls(remote: Remote, calls: Partial<Remote>): Remote {
  return new Proxy(remote, {
    get(target, name) {
      const member: unknown = Reflect.get(calls, name) ?? Reflect.get(target, name, target);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
}

/** Returns a disk with an empty folder to be linked. */
function startDisk(options: MirrorOptions): RamDisk {
  const disk = new RamDisk(options.disk);
  disk.user.makeFolder(ROOT);
  options.fill?.(disk);
  makeMirrorFolder(disk, ROOT, "marker-1");
  return disk;
}
