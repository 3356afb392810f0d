import Sqlite from "better-sqlite3";
import type { RemoteTraits } from "../../../src/mirror/ports/remote.ts";
import type { Wire } from "../../../src/common/wire.ts";
import type { Fs } from "../../../src/mirror/ports/fs.ts";
import type { Random } from "../../../src/common/random.ts";
import { rememberRoot } from "../../../src/mirror/engine/run/guard-facts.ts";
import { META } from "../../../src/mirror/engine/run/meta.ts";
import { withTranslation } from "../../../src/mirror/engine/links/translating.ts";
import type { World } from "../../../src/mirror/engine/run/world.ts";
import { LocalDisk } from "../../../src/mirror/local/disk.ts";
import { makeMirrorFolder } from "../../../src/mirror/local/marker.ts";
import { createRemote } from "../../../src/mirror/remote/client.ts";
import type { Db } from "../../../src/mirror/state/database.ts";
import { STATE_SCHEMA, TEXTS_SCHEMA } from "../../../src/mirror/state/schema.ts";
import { StoredState } from "../../../src/mirror/state/state.ts";
import { rollDice } from "../dice.ts";
import { guardState } from "../guard-state.ts";
import { openNew } from "../memory-state.ts";
import { RamDisk } from "../ram-disk.ts";
import { Killed } from "../mirror.ts";
import type { Policy } from "../../../src/mirror/model/policy.ts";
import { placeOfCall } from "./crash-point.ts";
import { type Fate, guardDisk } from "./guarded-ports.ts";
import { ReadState } from "./read-state.ts";
import { LIVING } from "./editors.ts";
import type { SimulatedWorld } from "./world.ts";
import { CANARY, type Desk, LINKED_FOLDER, PRIVATE_FOLDER } from "./desk.ts";
import type { MirrorSetup } from "./script.ts";
import { closeNothing, NO_PROGRESS } from "../quiet-ports.ts";

/**
 * One mirror's machine: its disk, its state, and a process that is started for each sync and may
 * die in it.
 */

export const ROOT = "/home/ann/notes";
const OUTSIDE = "/home/ann/outside";

/** Options that all mirrors of a run share. */
type Shared = { readonly links: boolean };

export class SimulatedMirror {
  readonly index: number;
  readonly setup: MirrorSetup;
  readonly disk: RamDisk;
  readonly desk: Desk;
  /** Everything that was logged: it may have no key and no content (I30). */
  readonly log: string[] = [];
  /** The state for the oracle: no hooks, and unchanged values are read once. */
  state: StoredState;
  /** The state for the working process. */
  #stored: StoredState;
  readonly #reads = new ReadState();
  /** Direction of its syncs. */
  direction: Policy["direction"] = "both";
  calls = 0;
  /** Place of the last kill. */
  crashPoint: string | null = null;
  #dbs: { state: Db; texts: Db };
  #boot = 1;
  #medium: { readonly state: Buffer; readonly texts: Buffer } | null = null;
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
    this.desk = { mirror: index, root: ROOT, user, half: null, removed: new Map(), hands: simulatedWorld.hands };
    this.#dbs = { state: openNew(STATE_SCHEMA), texts: openNew(TEXTS_SCHEMA) };
    this.#stored = this.#openState();
    this.state = this.#reads.view(this.#stored);
    rememberRoot(this.start(QUIET_FATE));
    this.disk.settle();
  }

  #restartState(): void {
    this.#stored = this.#openState();
    this.#reads.forget();
    this.state = this.#reads.view(this.#stored);
  }

  #openState(): StoredState {
    return new StoredState({ ...this.#dbs, clock: this.#simulatedWorld.wallClock, close: () => undefined });
  }

  /** Starts a new process. Unfinished work of an earlier one is dead. */
  start(fate: Fate): World {
    let dead = false;
    this.calls = 0;
    // The disk's times are compared with the machine's, whose clock may have been set back.
    if (this.#simulatedWorld.hands) this.disk.advance(this.#simulatedWorld.wallClock.now() - this.disk.now());
    // The memory of the dead process is gone; one that ended well leaves nothing in memory that the
    // files do not have.
    if (this.#died) this.#restartState();
    this.#died = false;
    const simulatedWorld = this.#simulatedWorld;
    const enter = (member: string): void => {
      if (dead) throw new Killed("the process is gone");
      this.calls++;
      fate.onCall(this.calls, member);
      if (this.calls !== fate.killAt) return;
      dead = true;
      this.#died = true;
      this.crashPoint = placeOfCall(member);
      throw new Killed("killed here");
    };
    const wire: Wire = {
      send: async (request) => {
        enter("wire.send");
        const result = await fate.exchange(request);
        // A second moment to die: the service has carried out the request, and nobody received the
        // answer.
        enter("wire.answer");
        return result;
      },
      close: closeNothing,
    };
    const traits = this.state.meta(META.traits);
    const log = { write: (...entry: unknown[]) => void this.log.push(JSON.stringify(entry)) };
    const remote = createRemote({
      wire,
      key: simulatedWorld.keys[this.index]!.key,
      clock: simulatedWorld.wallClock,
      random: this.#random,
      log,
      traits: traits === null ? null : (JSON.parse(traits) as RemoteTraits),
    });
    const disk = guardDisk(this.disk, enter, fate);
    const world: World = {
      clock: simulatedWorld.wallClock,
      random: this.#random,
      log,
      progress: NO_PROGRESS,
      remote,
      disk: this.#openDisk(disk, fate),
      state: guardState(this.#stored, {
        enter,
        around: (name, call) => this.#reads.around(name, call),
        onSafe: (what) => this.#secured(what),
      }),
      bootId: `boot-${this.#boot}`,
      prefix: this.setup.prefix,
    };
    return this.#links ? withTranslation(world, true) : world;
  }

  #openDisk(fs: Fs, fate: Fate): LocalDisk {
    const options = { random: this.#random, part: 3, processes: LIVING };
    return new ScannedDisk(fate.onScan, fs, ROOT, options);
  }

  /** Makes the present state durable: a power cut leaves it until more is made durable. */
  settleState(): void {
    this.#medium = { state: this.#dbs.state.serialize(), texts: this.#dbs.texts.serialize() };
  }

  #secured(what: "texts" | "all"): void {
    if (this.#medium === null) return;
    if (what === "all") this.settleState();
    else this.#medium = { ...this.#medium, texts: this.#dbs.texts.serialize() };
  }

  /** Loses unsynced parts of the disk as `fraction` decides; of the state, everything unsynced. */
  losePower(fraction: () => number): void {
    this.disk.losePower(fraction);
    this.#boot++;
    if (this.#medium === null) throw new Error("the state was never settled");
    this.close();
    this.#dbs = { state: new Sqlite(this.#medium.state), texts: new Sqlite(this.#medium.texts) };
    this.#medium = null;
    this.#restartState();
  }

  /** All bytes of the state file. */
  stateBytes(): Buffer {
    return this.#dbs.state.serialize();
  }

  close(): void {
    this.#dbs.state.close();
    this.#dbs.texts.close();
  }
}

/**
 * Reports each scan. A listing of the root alone proves none: after a write, a disk that folds case
 * lists a folder for the spelling of one name.
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

export const QUIET_FATE: Fate = {
  killAt: null,
  onCall: () => undefined,
  exchange: async () => ({ kind: "not-sent", why: "offline" }),
  onDisk: () => undefined,
  onScan: () => undefined,
};
