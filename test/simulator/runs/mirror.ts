import type { Fs } from "../../../src/mirror/ports/disk.ts";
import type { Random } from "../../../src/common/random.ts";
import { rememberRoot } from "../../../src/mirror/engine/run/guard-facts.ts";
import type { World } from "../../../src/mirror/engine/run/world.ts";
import { LocalDisk } from "../../../src/mirror/local/disk.ts";
import { makeMirrorFolder } from "../../../src/mirror/local/marker.ts";
import type { StoredState } from "../../../src/mirror/state/state.ts";
import type { Policy } from "../../../src/mirror/model/policy.ts";
import { rollDice } from "../dice.ts";
import { type MemoryState, openInMemory, type StateCopy } from "../memory-state.ts";
import { type ProcessHooks, startProcess } from "../process.ts";
import { ROOT } from "../mirror.ts";
import { RamDisk } from "../ram-disk.ts";
import { ALL_ALIVE, CANARY, LINKED_FOLDER, PRIVATE_FOLDER, textsByInode, type UserFolder } from "./user-folder.ts";
import type { SimulatedWorld } from "./world.ts";
import type { MirrorSetup } from "./script.ts";

/**
 * The machine of one mirror: its disk, its state, and a process that starts for each sync and may
 * be killed.
 */

const OUTSIDE = "/home/ann/outside";

/** `onScan` is called before each scan of the whole folder. */
type ScannedFate = ProcessHooks & { readonly onScan: () => void };

/** Options that all mirrors of a run share. */
type Shared = { readonly links: boolean };

export class SimulatedMirror {
  readonly index: number;
  readonly setup: MirrorSetup;
  readonly disk: RamDisk;
  readonly userFolder: UserFolder;
  /** All lines of the log, which must contain no key and no content (I30). */
  readonly log: string[] = [];
  /** State for the oracle: without hooks, and with remembered results of unchanged reads. */
  state: StoredState;
  #memory: MemoryState;
  /** State for the running process. */
  #stored: StoredState;
  readonly #reads = new ReadState();
  /** Direction of its syncs. */
  direction: Policy["direction"] = "both";
  calls = 0;
  /** Code location of the last kill. */
  crashPoint: string | null = null;
  #boot = 1;
  /** The part of the state that a power cut leaves; null for all of it. */
  #medium: StateCopy | null = null;
  #died = false;
  readonly #simulatedWorld: SimulatedWorld;
  readonly #links: boolean;
  readonly #random: Random;

  constructor(simulatedWorld: SimulatedWorld, index: number, setup: MirrorSetup & Shared, seed: number) {
    this.#simulatedWorld = simulatedWorld;
    this.#links = setup.links;
    this.index = index;
    this.setup = setup;
    const dice = rollDice(seed * 31 + index);
    this.#random = dice;
    this.disk = new RamDisk(setup.disk);
    const { user } = this.disk;
    user.makeFolder(ROOT);
    user.makeFolder(OUTSIDE);
    user.write(`${OUTSIDE}/secret.md`, CANARY);
    user.makeFolder(`${ROOT}/${PRIVATE_FOLDER}`);
    user.write(`${ROOT}/${PRIVATE_FOLDER}/diary.md`, CANARY);
    user.write(`${ROOT}/.mdmirrorignore`, `/${PRIVATE_FOLDER}/\n`);
    user.symlink(OUTSIDE, `${ROOT}/${LINKED_FOLDER}`);
    makeMirrorFolder(this.disk, ROOT, `marker-${index}`);
    this.userFolder = {
      mirror: index,
      root: ROOT,
      user,
      half: null,
      hands: simulatedWorld.hands,
      removed: new Map(),
      renamed: new Map(),
      damaged: new Map(),
    };
    this.#memory = openInMemory(simulatedWorld.wallClock, null);
    this.#stored = this.#memory.state;
    this.state = this.#reads.view(this.#stored);
    rememberRoot(this.start(NO_HOOKS));
    this.disk.settle();
  }

  #restartState(): void {
    this.#stored = this.#memory.reopen();
    this.#reads.forget();
    this.state = this.#reads.view(this.#stored);
  }

  /** Starts a new process. Unfinished work of an earlier process does not continue. */
  start(fate: ScannedFate): World {
    this.calls = 0;
    const { wallClock, hands, keys } = this.#simulatedWorld;
    // mdmirror compares file times with the machine's clock, which a step may have set back.
    if (hands) this.disk.advance(wallClock.now() - this.disk.now());
    // The memory of a killed process is gone. A process that ended well has nothing in memory that
    // the files do not have.
    if (this.#died) this.#restartState();
    this.#died = false;
    const machine = {
      ...{ clock: wallClock, random: this.#random, bootId: `boot-${this.#boot}`, prefix: this.setup.prefix },
      ...{ key: keys[this.index]!.key, disk: this.disk, state: this.#stored, links: this.#links },
      log: { write: (...entry: unknown[]) => void this.log.push(JSON.stringify(entry)) },
      openDisk: (fs: Fs) =>
        new ScannedDisk(fate.onScan, fs, ROOT, { random: this.#random, partSize: 3, processProbe: ALL_ALIVE }),
      counts: (call: number): void => {
        this.calls = call;
      },
      dies: (member: string) => {
        this.#died = true;
        this.crashPoint = placeOfCall(member);
      },
    };
    return startProcess(machine, fate, {
      around: (name, call) => this.#reads.around(name, call),
      onSafe: (what) => this.#secured(what),
    });
  }

  /** Makes the present state durable, so that a power cut leaves it. */
  settleState(): void {
    this.#medium = this.#memory.copy();
  }

  #secured(what: "texts" | "all"): void {
    if (this.#medium === null) return;
    if (what === "all") this.settleState();
    else this.#medium = { ...this.#medium, texts: this.#memory.copy().texts };
  }

  /**
   * Cuts the power: the disk loses unflushed data as `fraction` decides, the state loses everything
   * unflushed.
   */
  losePower(fraction: () => number): void {
    const before = textsByInode(this.userFolder);
    this.disk.losePower(fraction);
    for (const [inode, text] of textsByInode(this.userFolder)) {
      const whole = before.get(inode);
      if (whole !== undefined && whole !== text) this.userFolder.damaged.set(inode, whole);
    }
    this.#boot++;
    if (this.#medium === null) throw new Error("the state was never settled");
    this.close();
    this.#memory = openInMemory(this.#simulatedWorld.wallClock, this.#medium);
    this.#medium = null;
    this.#restartState();
  }

  /** Returns all bytes of the state file. */
  stateBytes(): Buffer {
    return this.#memory.copy().rows;
  }

  close(): void {
    this.#memory.close();
  }
}

/**
 * Reports each scan. A listing of the root alone is no scan: on a disk that folds case, mdmirror
 * lists a folder after a write to learn the spelling of one name.
 */
class ScannedDisk extends LocalDisk {
  readonly #onScan: () => void;

  constructor(onScan: () => void, ...of: ConstructorParameters<typeof LocalDisk>) {
    super(...of);
    this.#onScan = onScan;
  }

  override walkInParts(...asked: Parameters<LocalDisk["walkInParts"]>): ReturnType<LocalDisk["walkInParts"]> {
    this.#onScan();
    return super.walkInParts(...asked);
  }
}

export const NO_HOOKS: ScannedFate = {
  killAt: null,
  onCall: () => undefined,
  exchange: async () => ({ kind: "not-sent", why: "offline" }),
  onDisk: () => undefined,
  onScan: () => undefined,
};

const FRAMES = 4;

/**
 * Returns the name of the port call and the innermost locations in `src/` that made it. Two kills
 * with the same result count as one crash point.
 */
function placeOfCall(member: string): string {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 60;
  const { stack = "" } = new Error();
  Error.stackTraceLimit = limit;
  const places = Array.from(stack.matchAll(/\/src\/([\w/-]+)\.ts:(\d+)/g), ([, file, line]) => `${file}:${line}`);
  return [member, ...places.slice(0, FRAMES)].join(" < ");
}

/** Methods of a state that write nothing and whose results depend on its rows only. */
const READS: ReadonlySet<string> = new Set<keyof StoredState>([
  "load",
  "blocks",
  "record",
  "recordsAt",
  "documentsIn",
  "localPaths",
  "hasInode",
  "dir",
  "dirAt",
  "foldersAt",
  "conflict",
  "intents",
  "text",
  "hasText",
  "storedOrigins",
  "digests",
  "versions",
  "isEarlier",
  "meta",
  "events",
  "runs",
  "lossesAfter",
]);

/**
 * Remembers the results of reads of one state until something may have been written. Oracles read
 * base some thousand times in a run, and it changes some dozen times.
 */
class ReadState {
  readonly #answers = new Map<string, unknown>();

  forget(): void {
    this.#answers.clear();
  }

  /** Wraps a call of mdmirror: anything but a read may write. */
  around<T>(name: string, call: () => T): T {
    if (READS.has(name)) return call();
    this.forget();
    try {
      return call();
    } finally {
      // The call may have read its own write and then rolled it back.
      this.forget();
    }
  }

  /** Returns the state for an oracle. */
  view(state: StoredState): StoredState {
    return new Proxy(state, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function" || typeof name !== "string") return member;
        return (...args: unknown[]) => {
          const call = (): unknown => Reflect.apply(member, target, args);
          return READS.has(name) ? this.#once(`${name} ${JSON.stringify(args)}`, call) : this.around(name, call);
        };
      },
    });
  }

  #once(key: string, call: () => unknown): unknown {
    if (!this.#answers.has(key)) this.#answers.set(key, call());
    return this.#answers.get(key);
  }
}
