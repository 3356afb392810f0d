import type { Clock } from "../../common/clock.ts";
import type { RemoteTraits } from "../ports/remote.ts";
import type { State } from "../ports/state.ts";
import { META } from "../engine/run/meta.ts";
import { setAsideDamaged } from "../state/damage.ts";
import type { DatabaseFault } from "../state/database.ts";
import { openState } from "../state/open.ts";
import type { StateFile } from "../state/schema.ts";
import type { StoredState } from "../state/state.ts";
import { FREE_SPACE_STEP, isDiskFull, ok, refusal, type Result, trouble } from "../../common/trouble.ts";
import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { LocalPath } from "../../contract/path.ts";
import type { Disk } from "../ports/disk.ts";
import type { Random } from "../../common/random.ts";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { makeReadingDisk } from "../engine/links/translating.ts";
import { type Config, DEFAULT_CONFIG, readConfig } from "../settings/config.ts";
import { listLinkedFolders, readPrefix } from "../settings/settings.ts";
import { LocalDisk } from "../local/disk.ts";
import { createNodeFs } from "../local/node-fs.ts";
import { readRecordedPaths } from "../state/read-beside.ts";

type OpenedState = {
  readonly state: StoredState;
  /** True if the state has no records yet. The next sync then records what both sides have. */
  readonly isNew: boolean;
  readonly notes: string[];
};

/**
 * Opens the state file of a folder. The caller has the folder's lock. If the file is damaged, sets
 * the file aside, and creates a new state. The next sync then records the documents that both sides
 * have, and deletes and overwrites nothing.
 */
export function openToWrite(folder: string, clock: Clock): Result<OpenedState> {
  const notes: string[] = [];
  let hasLostContents = false;
  // Two files, `state.db` and `texts.db`, may be damaged, so that only the third attempt succeeds.
  for (let attempt = 0; attempt < 3; attempt++) {
    const openedState = openState({ folder, clock });
    if (openedState.kind === "opened") {
      if (hasLostContents) forgetStampsOfMissingContent(openedState.state);
      return ok({ state: openedState.state, isNew: openedState.created || hasNoRoot(openedState.state), notes });
    }
    if (openedState.kind !== "damaged") return makeStateTrouble(openedState);
    hasLostContents ||= openedState.file === "texts.db";
    const stamp = new Date(clock.now()).toISOString().replace(/[:.]/g, "-");
    const damagedCopy = setAsideDamaged(folder, openedState.file, stamp);
    notes.push(
      `${openedState.file} was damaged (${openedState.detail}) and set aside in .mdmirror/${damagedCopy.to}; mdmirror rebuilds it from both sides; nothing is lost`,
    );
  }
  return trouble(
    "fault",
    "the state cannot be rebuilt: it is damaged again immediately",
    "check the disk; then remove .mdmirror/state.db and .mdmirror/texts.db",
  );
}

/** Returns true if a process was killed while it created the state. Such a state counts as new. */
function hasNoRoot(state: StoredState): boolean {
  return state.meta(META.rootMarker) === null && state.load().records.size === 0;
}

/** Makes the next scan read and store the files with content that the content store lacks. */
function forgetStampsOfMissingContent(state: StoredState): void {
  const missingDigests = new Set(state.missingTexts());
  const records = [...state.load().records.values()];
  state.transact(() => {
    for (const record of records)
      if (missingDigests.has(record.localDigest)) state.putRecord({ ...record, stampTrusted: false });
  });
}

/**
 * Reads the state file, which other processes may be writing. Without a state file, returns an
 * empty state in memory.
 * @param damagedIsNew true if a damaged file counts as missing, because the next sync rebuilds the
 * file
 */
export function openToRead(folder: string, clock: Clock, damagedIsNew = false): Result<OpenedState> {
  const openedState = openState({ folder, clock, readOnly: true });
  if (openedState.kind === "opened") {
    if (!hasNoRoot(openedState.state)) return ok({ state: openedState.state, isNew: false, notes: [] });
    openedState.state.close();
  } else if (openedState.kind !== "missing" && !(damagedIsNew && openedState.kind === "damaged"))
    return makeStateTrouble(openedState);
  return ok({ state: createMemoryState(clock), isNew: true, notes: [] });
}

/** Creates an empty state in memory, for a plan as if nothing had been synced yet. */
function createMemoryState(clock: Clock): StoredState {
  const createdState = openState({ folder: ":memory:", clock });
  if (createdState.kind !== "opened") throw new Error(`a database in memory cannot be made: ${createdState.kind}`);
  return createdState.state;
}

export function makeStateTrouble(
  opened: { readonly kind: "missing" } | ({ readonly file: StateFile } & DatabaseFault),
): Result<never> {
  switch (opened.kind) {
    case "missing":
      return trouble("fault", "the folder has no state", "mdmirror sync makes one");
    case "damaged":
      return trouble(
        "fault",
        `${opened.file} is damaged: ${opened.detail}`,
        "mdmirror sync replaces it with a new one, built from both sides; nothing is lost",
      );
    case "newer":
      return refusal(
        `${opened.file} was written by a newer mdmirror (schema ${opened.version}, this one knows ${opened.known}); nothing was changed`,
        "use the newer mdmirror; or go back to .mdmirror/state.db.before, if it exists",
      );
    case "unusable": {
      const isFull = isDiskFull(opened.code);
      return trouble(
        "fault",
        `${opened.file} cannot be used: ${isFull ? "the disk is full" : opened.detail}`,
        isFull ? FREE_SPACE_STEP : "check that the disk has space and this user may write .mdmirror/",
        { code: opened.code },
      );
    }
  }
}

/** Returns the traits that earlier runs learned; null if none are stored. */
export function readTraits(state: Pick<State, "meta">): RemoteTraits | null {
  const storedTraits = state.meta(META.traits);
  return storedTraits === null ? null : (JSON.parse(storedTraits) as RemoteTraits);
}

/** A linked folder without its service. Needs no key, network or lock, and writes nothing (I23). */
export type LocalMirror = { readonly root: string; readonly state: State; readonly disk: Disk; close(): void };

type ClockAndRandom = { readonly clock: Clock; readonly random: Random };

/** @param dir a folder that has `.mdmirror/` */
function openLocal(dir: string, system: ClockAndRandom): Result<LocalMirror> {
  const root = existsSync(dir) ? realpathSync(dir) : dir;
  const stateResult = openToRead(join(root, MIRROR_FOLDER), system.clock);
  if (stateResult.kind === "trouble") return stateResult;
  const { state } = stateResult.value;
  const plainDisk = openDisk(root, { random: system.random, probes: false });
  const disk = withLocalLinks(root, state, plainDisk);
  return ok({ root, state, disk, close: () => state.close() });
}

function withLocalLinks(root: string, state: State, disk: Disk): Disk {
  const config = readConfig(join(root, MIRROR_FOLDER));
  if (config.kind !== "ok" || config.value.links.mode === "keep") return disk;
  return makeReadingDisk({ state, disk, prefix: readPrefix(config.value.remote) }, config.value.links.wiki);
}

/** Closes the folder even if `work` throws. */
export function withLocal<T>(dir: string, system: ClockAndRandom, work: (mirror: LocalMirror) => Result<T>): Result<T> {
  const openResult = openLocal(dir, system);
  if (openResult.kind === "trouble") return openResult;
  try {
    return work(openResult.value);
  } finally {
    openResult.value.close();
  }
}

type AllDiskOptions = ConstructorParameters<typeof LocalDisk>[2];
type DiskRules = Pick<AllDiskOptions, "gitignore" | "folders">;

/**
 * Returns the options of a disk that follow from the folder's configuration.
 * @param recordedPaths returns the paths of documents in base, which stay synced even if a
 * `.gitignore` file excludes them
 */
export function readDiskRules(
  { gitignore, remote }: Pick<Config, "gitignore" | "remote">,
  recordedPaths: () => Iterable<LocalPath>,
): DiskRules {
  return { gitignore: gitignore ? recordedPaths : null, folders: listLinkedFolders(remote) };
}

/**
 * Opens the disk of a linked folder with the ignore rules of the folder's configuration.
 * @param root real path of a folder that has `.mdmirror/`
 */
export function openDisk(root: string, options: Omit<AllDiskOptions, keyof DiskRules>): LocalDisk {
  const ownFolder = join(root, MIRROR_FOLDER);
  const config = readConfig(ownFolder);
  const rules = readDiskRules(config.kind === "ok" ? config.value : DEFAULT_CONFIG, () => readRecordedPaths(ownFolder));
  return new LocalDisk(createNodeFs(), root, { ...options, ...rules });
}
