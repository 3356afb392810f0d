import { withTranslation } from "../../src/mirror/engine/links/translating.ts";
import { rememberRoot } from "../../src/mirror/engine/run/guard-facts.ts";
import { followed } from "../../src/mirror/folder/open-disk.ts";
import { META } from "../../src/mirror/engine/run/meta.ts";
import type { RunReport } from "../../src/mirror/engine/run/report.ts";
import { planOnly, syncToConvergence } from "../../src/mirror/engine/run/sync.ts";
import type { Settings, World } from "../../src/mirror/engine/run/world.ts";
import { LocalDisk } from "../../src/mirror/local/disk.ts";
import { makeMirrorFolder } from "../../src/mirror/local/marker.ts";
import { DEFAULT_GUARDS } from "../../src/mirror/model/policy.ts";
import type { RemoteTraits } from "../../src/mirror/ports/remote.ts";
import type { Wire, WireResult } from "../../src/common/wire.ts";
import type { Clock } from "../../src/common/clock.ts";
import type { Random } from "../../src/common/random.ts";
import { createRemote } from "../../src/mirror/remote/client.ts";
import type { Service } from "../../src/service/service.ts";
import type { StoredState } from "../../src/mirror/state/state.ts";
import type { Dice } from "./dice.ts";
import { guardState } from "./guard-state.ts";
import { openInMemory, type StateCopy } from "./memory-state.ts";
import { RamDisk, type RamDiskOptions } from "./ram-disk.ts";
import { closeNothing, NO_LOG, NO_PROGRESS } from "./quiet-ports.ts";

/**
 * Kills a mirror: a port call throws it, and every later one, until the mirror is started again.
 */
export class Killed extends Error {
  override readonly name = "Killed";
}

export const ROOT = "/home/ann/notes";

export const SETTINGS: Settings = {
  names: "map",
  direction: "both",
  prefer: null,
  conflicts: () => "conflict-copy",
  retryRefused: false,
  guards: DEFAULT_GUARDS,
  reviewAfterQuiet: false,
  secondLookMs: 2_000,
};

/** A disk and a state, as the mirror left them. */
export type MirrorCopy = StateCopy & {
  readonly disk: Buffer;
  readonly requests: readonly string[];
  readonly boot: number;
};

export type MirrorOptions = {
  readonly disk?: RamDiskOptions;
  readonly prefix?: string;
  /** True if the mirror converts links; `wiki`: wiki links too. */
  readonly links?: boolean | "wiki";
  /** True if the mirror follows `.gitignore` files. */
  readonly gitignore?: boolean;
  readonly key?: string;
  readonly fill?: (disk: RamDisk) => void;
};

/** Things that a mirror shares with the others of its rig. */
type Surroundings = {
  readonly key: string;
  readonly handle: Service["handle"];
  readonly clock: Clock;
  readonly dice: Dice;
};

/** One mirror: its disk, its state, and a process that is started for each run and may die. */
export class Mirror {
  readonly disk: RamDisk;
  readonly state: StoredState;
  /** Requests that the mirror sent since it was made, as `METHOD /path`. */
  readonly requests: string[];
  readonly #around: Surroundings;
  readonly #options: MirrorOptions;
  readonly #copyState: () => StateCopy;
  readonly #stateChanges: () => number;
  readonly #boot: number;
  readonly #random: Random;
  #safe: StateCopy | null = null;
  /** Called before each call of a port. */
  onCall: (() => void) | null = null;
  #writes = 0;
  #calls = 0;
  #killAt: number | null = null;

  /** @param from a copy of a mirror with the same options; null: its folder is made now */
  constructor(around: Surroundings, options: MirrorOptions, from: MirrorCopy | null) {
    const { dice, clock } = around;
    this.#around = around;
    this.#options = options;
    this.disk = from === null ? startDisk(options) : new RamDisk(options.disk, from.disk);
    const { state, copy, changes } = openInMemory(clock, from);
    this.state = state;
    this.#copyState = copy;
    this.#stateChanges = changes;
    this.requests = [...(from?.requests ?? [])];
    this.#boot = from?.boot ?? 1;
    this.#random = dice;
    if (from === null) rememberRoot(this.world());
    this.disk.beforeCall = null;
  }

  /** Number of port calls since the last start. */
  calls(): number {
    return this.#calls;
  }

  /** Counts possible changes so far: on the disk, in the state and by requests that write. */
  changes(): number {
    return this.disk.changes + this.#stateChanges() + this.#writes;
  }

  /** Dies at this call (1: the next one), counted over disk, state and wire. null: never. */
  killAt(call: number | null): void {
    this.#killAt = call;
  }

  /**
   * Runs one `sync`, a manual one unless `retryRefused` is false; a kill ends it with `null`, as a
   * crash would.
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
      this.#killAt = null;
      this.disk.beforeCall = null;
      this.disk.advance(10);
    }
  }

  async plan(settings: Partial<Settings> = {}): ReturnType<typeof planOnly> {
    const world = this.world();
    try {
      return await planOnly(world, { settings: { ...SETTINGS, ...settings }, retryRefused: true, kind: "sync" });
    } finally {
      this.disk.beforeCall = null;
    }
  }

  write(path: string, text: string): void {
    const whole = this.path(path);
    this.disk.user.makeFolder(whole.slice(0, whole.lastIndexOf("/")));
    this.disk.user.write(whole, text);
    this.disk.advance(10);
  }

  texts(): Map<string, string> {
    return this.disk.user.texts(ROOT);
  }

  path(path: string): string {
    return `${ROOT}/${path}`;
  }

  /** Returns the world of a new process. */
  world(): World {
    this.#calls = 0;
    const enter = this.#begin();
    this.disk.beforeCall = enter;
    this.#safe = this.#copyState();
    const onSafe = (what: "texts" | "all"): void => {
      const copy = this.#copyState();
      this.#safe = what === "all" || this.#safe === null ? copy : { ...this.#safe, texts: copy.texts };
    };
    const state = guardState(this.state, { enter, onSafe });
    const { clock } = this.#around;
    const random = this.#random;
    const { gitignore = false } = this.#options;
    const traits = this.state.meta(META.traits);
    const remote = createRemote({
      wire: this.#wire(enter),
      key: this.#options.key ?? this.#around.key,
      clock,
      random,
      log: NO_LOG,
      traits: traits === null ? null : (JSON.parse(traits) as RemoteTraits),
    });
    const world: World = {
      clock,
      random,
      log: NO_LOG,
      progress: NO_PROGRESS,
      remote,
      disk: new LocalDisk(this.disk, ROOT, { random, gitignore: followed({ gitignore }, this.state) }),
      state,
      bootId: `boot-${this.#boot}`,
      prefix: this.#options.prefix ?? "",
    };
    const { links = false } = this.#options;
    return links === false ? world : withTranslation(world, true, links === "wiki");
  }

  /** Copies everything that outlives the process, between two runs. */
  copy(): MirrorCopy {
    return { disk: this.disk.copy(), ...this.#copyState(), requests: [...this.requests], boot: this.#boot };
  }

  /**
   * Copies the state after a power cut: everything that reached the disk, and of the state only the
   * durable rows.
   */
  copyAfterPowerCut(): MirrorCopy {
    return { ...this.copy(), ...this.#safe, boot: this.#boot + 1 };
  }

  /**
   * Makes each call of a port a place to die. Unfinished work of a dead process is not carried out
   * while the next one works.
   */
  #begin(): () => void {
    let isDead = false;
    return () => {
      if (isDead) throw new Killed("the process is gone");
      this.onCall?.();
      this.#calls++;
      if (this.#killAt === null || --this.#killAt > 0) return;
      isDead = true;
      throw new Killed("killed here");
    };
  }

  #wire(enter: () => void): Wire {
    return { send: (request) => this.#send(request, enter), close: closeNothing };
  }

  async #send(request: Parameters<Wire["send"]>[0], enter: () => void): Promise<WireResult> {
    enter();
    this.requests.push(`${request.method} ${request.path}`);
    // ORDER: as over a network, an answer comes only after all work that is ready has been done.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    if (request.method !== "GET") this.#writes++;
    let response: Awaited<ReturnType<Service["handle"]>>;
    try {
      response = await this.#around.handle(request);
    } catch (error) {
      if ((error as Error).name !== "ConnectionLost") throw error;
      return { kind: "lost", why: (error as Error).message };
    }
    // A second moment to die: the service has carried out the request, and nobody received the
    // answer.
    enter();
    return { kind: "answer", response };
  }
}

/** Makes a disk with a folder that will be linked. */
function startDisk(options: MirrorOptions): RamDisk {
  const disk = new RamDisk(options.disk);
  disk.user.makeFolder(ROOT);
  options.fill?.(disk);
  makeMirrorFolder(disk, ROOT, "marker-1");
  return disk;
}
