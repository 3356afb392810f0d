/**
 * Links a folder to a workspace: checks the folder, plans the first sync, and writes the
 * configuration.
 */

import { existsSync, readdirSync, realpathSync, rmdirSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { Action } from "../model/action.ts";
import type { RootIdentity } from "../ports/disk.ts";
import type { Fault } from "../ports/remote.ts";
import type { Clock } from "../../common/clock.ts";
import type { Progress } from "../ports/world.ts";
import type { Random } from "../../common/random.ts";
import { rememberRoot } from "../engine/run/guard-facts.ts";
import type { World } from "../engine/run/world.ts";
import { LocalDisk } from "../local/disk.ts";
import { CONFIG_FILE, MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { makeMirrorFolder, readMarker } from "../local/marker.ts";
import { createNodeFs } from "../local/node-fs.ts";
import { makeOwnFolder } from "../state/own-files.ts";
import type { StoredState } from "../state/state.ts";
import { examineOwnFolder, tightenOwnFolder } from "../state/own-folder.ts";
import { type Config, hasConfig, writeConfig } from "../settings/config.ts";
import { storeKey } from "../settings/key.ts";
import { foldersOf, prefixOf } from "../settings/settings.ts";
import { INIT_AGAIN } from "./fault-trouble.ts";
import { troubleOfSystemError } from "./folder-trouble.ts";
import { SILENT_LOG } from "./log.ts";
import { NO_PROGRESS, type OpenedMirror } from "./open-mirror.ts";
import { memoryState, openToRead } from "./open-state.ts";
import { planSync, type SyncPlan, USUAL_RUN } from "./run.ts";
import { bindMirror } from "../trust/list.ts";
import { connect } from "../trust/connect.ts";
import { findMirror } from "../trust/gate.ts";
import { homeOf, registryFolder } from "../trust/registry.ts";
import type { TrustedOrigin } from "../trust/origin.ts";
import { checkOwner, ownershipOf } from "../trust/owner.ts";
import { shellWord } from "../model/shell-word.ts";
import { ok, type Result, trouble } from "../../common/trouble.ts";
import { makeFolders } from "../../common/make-folders.ts";

/**
 * `linked`: already a linked folder. `known`: the folder has files of this user, from a link that
 * was interrupted or lost its configuration. `fresh`: it has no such files.
 */
type FolderKind = "linked" | "known" | "fresh";

/**
 * Checks whether a folder may be linked.
 * @param isConfirmed true if the user confirmed an unusual folder
 */
export function checkFolder(dir: string, env: Env, isConfirmed: boolean): Result<FolderKind> {
  const stat = statSync(dir, { throwIfNoEntry: false });
  if (stat !== undefined && !stat.isDirectory()) return trouble("usage", `${dir} is a file`, "name a folder");
  const root = realPathOf(dir);
  const owner = checkOwner(root, env);
  if (owner.kind === "trouble") return owner;
  examineOwnFolder(join(root, MIRROR_FOLDER));
  if (hasConfig(join(root, MIRROR_FOLDER))) return ok("linked");
  const above = mirrorAbove(root, env);
  if (above !== null) {
    return trouble(
      "usage",
      `${dir} is inside the linked folder ${above}; its files would be synced twice`,
      "choose a folder outside of it",
    );
  }
  const unusual = unusualFolder(root, homeOf(env));
  if (unusual !== null && !isConfirmed) {
    return trouble(
      "usage",
      `${dir} is ${unusual}: every Markdown file below it would be uploaded`,
      `create a folder of its own, or use --any-folder`,
    );
  }
  return checkLeftOver(root, env);
}

/**
 * Returns the real path of a folder that may not exist yet. A folder above it may be a symbolic
 * link.
 */
function realPathOf(dir: string): string {
  const whole = resolve(dir);
  const existing = nearestFolder(whole);
  return join(realpathSync(existing), relative(existing, whole));
}

/** Returns why users rarely want to sync this folder, as a clause; null for a usual folder. */
function unusualFolder(root: string, home: string): string | null {
  if (root === "/") return "the root of the file system";
  if (root === home) return "your home folder";
  return home.startsWith(`${root}/`) ? "a folder above your home" : null;
}

/**
 * Finds a linked folder above the folder. Another user's folder does not count: in a folder such as
 * `/tmp`, anybody could create one.
 */
export function mirrorAbove(root: string, env: Env): string | null {
  for (let folder = dirname(root); ; folder = dirname(folder)) {
    const isMirror = existsSync(join(folder, MIRROR_FOLDER, CONFIG_FILE));
    if (isMirror && ownershipOf(folder, env).kind !== "foreign") return folder;
    if (dirname(folder) === folder) return null;
  }
}

/**
 * Checks the files that an earlier link left in `.mdmirror/`. A state that may not be the user's is
 * refused, because it would decide which documents count as deleted locally.
 */
function checkLeftOver(root: string, env: Env): Result<FolderKind> {
  const place = registryFolder(env);
  const folder = join(root, MIRROR_FOLDER);
  if (findMirror(place, root).kind === "known") return ok("known");
  if (!existsSync(join(folder, "state.db"))) return ok("fresh");
  return trouble(
    "usage",
    `${folder} has the state of a linked folder that is not in your list (${place}); nothing was sent`,
    `move ${shellWord(folder)} away and link the folder again: your files stay, and nothing is deleted`,
    { code: "untrusted" },
  );
}

type Env = Readonly<Record<string, string | undefined>>;

export type LinkRequest = {
  readonly dir: string;
  readonly config: Config;
  readonly origin: TrustedOrigin;
  readonly key: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly progress?: Progress;
  /** Lines that `.mdmirrorignore` will have. */
  readonly ignore?: readonly string[];
};

/**
 * Opens a folder that is not linked yet for its first plan. Its state is in memory, or that of an
 * earlier link, and its disk is only read. A missing folder is created, with the folders above it;
 * `close` removes these folders again if they are still empty.
 */
function openUnlinked(request: LinkRequest): Result<OpenedMirror> {
  const { dir, config, origin, key, clock, random, progress = NO_PROGRESS, ignore = [] } = request;
  let topmostCreated: string | null = null;
  let opened: StoredState | null = null;
  try {
    topmostCreated = makeFolders(dir);
    const root = realpathSync(dir);
    const remote = connect(origin, { key, clock, random, log: SILENT_LOG, traits: null });
    // A link that was interrupted, or lost its configuration, left a state, with which the first
    // sync is planned. The sync itself rebuilds a damaged one.
    const left = openToRead(join(root, MIRROR_FOLDER), clock);
    const { state, isNew } = left.kind === "ok" ? left.value : { state: memoryState(clock), isNew: true };
    const gitignore = config.gitignore ? () => [] : null;
    opened = state;
    const folders = foldersOf(config.remote);
    const disk = new DiskAsIfMarked(createNodeFs(), root, { random, probes: false, ignore, folders, gitignore });
    const world: World = {
      clock,
      random,
      log: SILENT_LOG,
      progress,
      remote,
      disk,
      state,
      bootId: null,
      prefix: prefixOf(config.remote),
    };
    if (isNew) rememberRoot(world);
    const close = async () => {
      state.close();
      await remote.close();
      if (topmostCreated !== null) removeCreatedFolders(dir, topmostCreated);
    };
    return ok({ root, config, url: config.url, world, notes: [], isBorrowed: false, close });
  } catch (error) {
    opened?.close();
    return troubleOfSystemError(dir, error);
  }
}

/**
 * Plans the first sync of a folder that is not linked yet, for `work`. Writes nothing.
 * @returns trouble if the service does not answer, or if another linked folder is inside
 */
export async function withFirstPlan<T>(
  request: LinkRequest,
  work: (mirror: OpenedMirror, plan: SyncPlan) => Promise<T>,
): Promise<Result<T>> {
  const opened = openUnlinked(request);
  if (opened.kind === "trouble") return opened;
  try {
    const planned = await planSync(opened.value, USUAL_RUN, INIT_AGAIN);
    if (planned.kind === "trouble") return planned;
    const inside = checkInside(planned.value);
    return inside.kind === "trouble" ? inside : ok(await work(opened.value, planned.value));
  } finally {
    await opened.value.close();
  }
}

/**
 * Sends one request with a key, before the key is stored.
 * @returns null if the service accepts the key
 */
export async function tryKey({ config, origin, key, clock, random }: Omit<LinkRequest, "dir">): Promise<Fault | null> {
  const remote = connect(origin, { key, clock, random, log: SILENT_LOG, traits: null });
  try {
    // With a valid key, the service answers for any name, also if it has no such folder.
    const answer = await remote.findFolder(prefixOf(config.remote) || "mdmirror");
    return answer.ok ? null : answer.fault;
  } finally {
    await remote.close();
  }
}

/**
 * Removes folders that were created for the plan.
 * @param topmost the highest of these folders
 */
function removeCreatedFolders(dir: string, topmost: string): void {
  for (let folder = resolve(dir); readdirSync(folder).length === 0; folder = dirname(folder)) {
    rmdirSync(folder);
    if (folder === resolve(topmost)) return;
  }
}

/**
 * Disk that reports the folder's marker before linking has written it, so that the first sync can
 * be planned.
 */
class DiskAsIfMarked extends LocalDisk {
  override identify(): RootIdentity | null {
    const found = super.identify();
    return found === null ? null : { ...found, markerId: found.markerId ?? "not-linked-yet" };
  }
}

/** Returns true if the first plan only fills an empty folder, so that no question is needed. */
export function onlyFillsFolder({ plan, trees }: SyncPlan): boolean {
  const fills: ReadonlySet<Action["kind"]> = new Set(["create-local", "make-folder-local"]);
  return (
    trees.local.files.size === 0 &&
    trees.local.folders.size === 0 &&
    plan.steps.every(({ action }) => fills.has(action.kind))
  );
}

/** Refuses a folder with another linked folder inside, whose files would be synced twice. */
function checkInside({ trees }: SyncPlan): Result<null> {
  const inside = [...trees.local.unseen].find(([, { isMirror }]) => isMirror === true);
  if (inside === undefined) return ok(null);
  const what = `${inside[0]} in this folder is a linked folder of its own; its files would be synced twice`;
  return trouble("usage", what, "move it out, or choose another folder");
}

/**
 * Creates `.mdmirror/` and adds the folder to the user's registry. ORDER: the registry first, the
 * configuration last: a folder without a configuration is not linked, and `init` starts over.
 * @returns the registry entry that was set aside, or null
 */
export function linkFolder(
  request: Pick<LinkRequest, "dir" | "config" | "random" | "origin"> & {
    readonly env: Env;
    readonly name: string | null;
  },
  storedKey: string | null,
): Result<string | null> {
  const { dir, config, origin, random, env, name } = request;
  try {
    const topmostCreated = makeFolders(dir);
    const root = realpathSync(dir);
    const fs = createNodeFs();
    const marker = readMarker(fs, root) ?? random.hex(32);
    const kept = bindMirror(root, marker, { address: origin.address, allowHttp: origin.allowHttp, env, name });
    if (kept.kind === "trouble") {
      if (topmostCreated !== null) removeCreatedFolders(dir, topmostCreated);
      return kept;
    }
    const folder = join(root, MIRROR_FOLDER);
    makeOwnFolder(folder, "");
    tightenOwnFolder(folder);
    for (const name of ["tmp", "trash"]) makeOwnFolder(folder, name);
    makeMirrorFolder(fs, root, marker);
    if (storedKey !== null) storeKey(folder, storedKey);
    writeConfig(folder, config);
    return kept;
  } catch (error) {
    return troubleOfSystemError(dir, error);
  }
}

/**
 * Returns the folder, or the lowest existing folder above it.
 * @param dir absolute path of the folder
 */
export function nearestFolder(dir: string): string {
  let folder = dir;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}
