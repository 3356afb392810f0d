import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { RemoteTraits } from "../../ports/remote.ts";
import type { State } from "../../ports/state.ts";
import type { Clock, Log, Progress, Random } from "../../ports/world.ts";
import { rememberRoot } from "../../engine/run/guard-facts.ts";
import { META } from "../../engine/run/meta.ts";
import type { World } from "../../engine/run/world.ts";
import { createDisk } from "../../local/disk.ts";
import { MIRROR_FOLDER } from "../../model/mirror-folder.ts";
import { makeMirrorFolder } from "../../local/marker.ts";
import { createNodeFs } from "../../local/node-fs.ts";
import { examineOwnFolder, tightenOwnFolder } from "../../state/own-folder.ts";
import { type AcquiredLock, acquireLock } from "../../state/lock.ts";
import { readBootId } from "./boot.ts";
import { type Config, readConfig } from "./config.ts";
import { findKey } from "./key.ts";
import { openLog, SILENT_LOG } from "./log.ts";
import { withRoom } from "./room.ts";
import { openToRead, openToWrite } from "./open-state.ts";
import { busyTrouble, NO_PROGRESS, unwritable } from "./folder-trouble.ts";
import { connect } from "../trust/connect.ts";
import { admit, keepMarker } from "../trust/gate.ts";
import { errnoClause, ok, type Result, trouble } from "./trouble.ts";

export type MirrorOptions = {
  /**
   * `read`: no lock, the state as it is, a disk and a log that are never written (I23). `write`:
   * locked; a damaged state is set aside and rebuilt by adoption.
   */
  readonly mode: "read" | "write";
  /** The command, for whoever finds the folder locked. */
  readonly what: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly progress?: Progress;
  /** `--url` and `--key-file`. */
  readonly url?: string | null;
  readonly keyFile?: string | null;
};

/** One mirrored folder, composed: config, key, lock, state, disk, remote. */
export type OpenedMirror = {
  /** Absolute. */
  readonly root: string;
  readonly config: Config;
  /** As it is used now: `--url` > `MDMIRROR_URL` > config. */
  readonly url: string;
  readonly world: World;
  /** What the user should be told of the opening: a state that was set aside or made anew. */
  readonly notes: readonly string[];
  /** Of `write`: what the daemon frees while a command has the folder. */
  readonly lock?: FolderLock;
  /** A daemon keeps the folder, has lent it, and goes on when it is closed. */
  readonly borrowed?: boolean;
  close(): Promise<void>;
};

type GiveBack = () => void;

/** The command that keeps the folder, and lends it. */
export const DAEMON = "watch";

/** `take`: false while another process has it. */
export type FolderLock = { free(): void; take(): boolean };

/** @param dir absolute path of a folder that holds `.mdmirror/` */
export async function openMirror(dir: string, options: MirrorOptions): Promise<Result<OpenedMirror>> {
  const { mode, env, cwd, clock, random, keyFile = null } = options;
  if (!existsSync(dir)) return trouble("usage", `${dir} is not there`, "mount it, or name the folder where it is now");
  const root = realpathSync(dir);
  const folder = join(root, MIRROR_FOLDER);
  const entered = enter(folder, mode);
  if (entered.kind === "trouble") return entered;
  const config = readConfig(folder);
  if (config.kind === "trouble") return config;
  const admitted = admit(root, config.value, options);
  if (admitted.kind === "trouble") return admitted;
  const { origin } = admitted.value;
  const found = findKey({ folder, keyFile, cwd, env, origin });
  if (found.kind === "trouble") return found;
  const { key } = found.value;

  const closers: (() => void | Promise<void>)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  let giveBack: GiveBack | null = null;
  try {
    const lock = mode === "write" ? folderLock(folder, options) : null;
    if (lock !== null) {
      const taken = await takeFolder(root, lock, options);
      if (taken.kind === "trouble") return taken;
      giveBack = taken.value;
      closers.push(
        () => giveBack?.(),
        () => lock.free(),
      );
    }
    const opened = mode === "write" ? openToWrite(folder, clock) : openToRead(folder, clock);
    if (opened.kind === "trouble") {
      await close();
      return opened;
    }
    const { state, isNew } = opened.value;
    const notes = [...admitted.value.notes, ...opened.value.notes];
    closers.push(() => state.close());
    const log = logOf(mode, folder, key, options, notes);
    const remote = connect(origin, { key, clock, random, log, traits: readTraits(state) });
    closers.push(() => remote.close());
    const fs = createNodeFs();
    if (mode === "write" && isNew) {
      makeMirrorFolder(fs, root, random.hex(32));
      keepMarker(root, admitted.value, env);
    }
    const disk = createDisk(fs, root, { random, probe: mode === "write" });
    const progress = withRoom(options.progress ?? NO_PROGRESS);
    const world: World = {
      clock,
      random,
      log,
      progress,
      remote,
      disk,
      state,
      bootId: readBootId(),
      prefix: config.value.remote,
    };
    // A state without a past takes the folder as it is: adoption deletes and overwrites nothing
    // (I05).
    if (isNew) rememberRoot(world);
    const lendable = lock === null ? {} : { lock: { free: lock.free, take: () => lock.take().kind === "locked" } };
    const borrowed = giveBack !== null;
    return ok({ root, config: config.value, url: origin.url, world, notes, ...lendable, borrowed, close });
  } catch (error) {
    await close();
    const told = unwritable(root, error);
    if (told === null) throw error;
    return told;
  }
}

/** Nothing in the folder is opened before all of it was looked at. */
function enter(folder: string, mode: MirrorOptions["mode"]): Result<null> {
  try {
    if (mode === "write") tightenOwnFolder(folder);
    else examineOwnFolder(folder);
    return ok(null);
  } catch (error) {
    const told = unwritable(folder, error);
    if (told === null) throw error;
    return told;
  }
}

/**
 * The lock, also where a daemon has it: asked by a command, it ends its pass and lends the folder
 * until it is given back.
 * @returns what gives it back; null: nobody had it
 */
async function takeFolder(
  root: string,
  lock: ReturnType<typeof folderLock>,
  { what, clock }: MirrorOptions,
): Promise<Result<GiveBack | null>> {
  const first = lock.take();
  if (first.kind === "locked") return ok(null);
  if (what === DAEMON) return busyTrouble(root, first.holder, clock);
  const { borrowFolder, NO_DAEMON } = await import("../control/ask.ts");
  const borrowed = await borrowFolder(root, what);
  if (borrowed === NO_DAEMON) return busyTrouble(root, first.holder, clock);
  if (borrowed.kind === "trouble") return borrowed;
  const second = lock.take();
  if (second.kind === "locked") return ok(borrowed.value.giveBack);
  borrowed.value.giveBack();
  return busyTrouble(root, second.holder, clock);
}

/** A lock that can be freed and taken again. */
function folderLock(folder: string, { clock, what }: MirrorOptions) {
  let held: Extract<AcquiredLock, { kind: "locked" }> | null = null;
  return {
    take(): AcquiredLock {
      if (held !== null) return held;
      const lock = acquireLock(folder, { since: clock.now(), what });
      if (lock.kind === "locked") held = lock;
      return lock;
    },
    free() {
      held?.release();
      held = null;
    },
  };
}

function logOf(mode: MirrorOptions["mode"], folder: string, key: string, options: MirrorOptions, notes: string[]): Log {
  if (mode === "read") return SILENT_LOG;
  const debug = options.env["MDMIRROR_LOG"] === "debug";
  const onFault = (error: Error) => void notes.push(`the log cannot be written: ${errnoClause(error)}`);
  return openLog({ folder, clock: options.clock, secret: key, debug, onFault });
}

function readTraits(state: State): RemoteTraits | null {
  const text = state.meta(META.traits);
  return text === null ? null : (JSON.parse(text) as RemoteTraits);
}
