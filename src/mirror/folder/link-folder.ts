/** Links a folder to a workspace, after a check of the folder and a plan of the first sync. */

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
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { makeMirrorFolder, readMarker } from "../local/marker.ts";
import { createNodeFs } from "../local/node-fs.ts";
import { examineOwnFolder, makeOwnFolder, tightenOwnFolder } from "../state/own-files.ts";
import type { StoredState } from "../state/state.ts";
import { type Config, hasConfig, writeConfig } from "../settings/config.ts";
import { storeKey } from "../settings/key.ts";
import { readPrefix } from "../settings/settings.ts";
import { describeSystemError, NEXT_OF_INIT } from "./trouble.ts";
import { SILENT_LOG } from "./log.ts";
import { NO_PROGRESS, type OpenedMirror } from "./open-mirror.ts";
import { openToRead, readDiskRules } from "./open-local.ts";
import { planSync, type SyncPlan, USUAL_RUN } from "./run.ts";
import { bindMirror } from "../trust/list.ts";
import { connect } from "../trust/connect.ts";
import { findMirror } from "../trust/gate.ts";
import { type Environment, findHome, locateRegistry } from "../trust/registry.ts";
import type { TrustedOrigin } from "../trust/address.ts";
import { checkOwner, findMirrorAbove } from "../trust/owner.ts";
import { quoteForShell } from "../model/shell-word.ts";
import { ok, refusal, type Result } from "../../common/trouble.ts";
import { makeFolders } from "../../common/make-folders.ts";

/**
 * State of a folder before it is linked.
 * - `linked`: the folder is already linked
 * - `known`: the folder has files from an earlier link by this user, which was interrupted or lost
 *   its configuration
 * - `fresh`: the folder has no such files
 */
type UnlinkedKind = "linked" | "known" | "fresh";

/**
 * Returns the state of a folder before it is linked, or trouble if the folder may not be linked.
 * @param isConfirmed true if the user confirmed an unusual folder, such as the home folder
 */
export function checkFolder(dir: string, env: Environment, isConfirmed: boolean): Result<UnlinkedKind> {
  const stat = statSync(dir, { throwIfNoEntry: false });
  if (stat !== undefined && !stat.isDirectory()) return refusal(`${dir} is a file`, "name a folder");
  const root = resolveRealPath(dir);
  const ownerResult = checkOwner(root, env);
  if (ownerResult.kind === "trouble") return ownerResult;
  examineOwnFolder(join(root, MIRROR_FOLDER));
  if (hasConfig(join(root, MIRROR_FOLDER))) return ok("linked");
  const mirrorRoot = findMirrorAbove(root, env);
  if (mirrorRoot !== null) {
    return refusal(
      `${dir} is inside the linked folder ${mirrorRoot}; its files would be synced twice`,
      "choose a folder outside of it",
    );
  }
  const unusualReason = explainUnusual(root, findHome(env));
  if (unusualReason !== null && !isConfirmed) {
    return refusal(
      `${dir} is ${unusualReason}: every Markdown file below it would be uploaded`,
      `create a folder of its own, or use --any-folder`,
    );
  }
  return checkEarlierFiles(root, env);
}

/** Returns the real path of a folder that need not exist yet. */
function resolveRealPath(dir: string): string {
  const wholePath = resolve(dir);
  const existingFolder = findNearestFolder(wholePath);
  return join(realpathSync(existingFolder), relative(existingFolder, wholePath));
}

/** Returns a clause that says why the folder is unusual to link; null for a usual folder. */
function explainUnusual(root: string, home: string): string | null {
  if (root === "/") return "the root of the file system";
  if (root === home) return "your home folder";
  return home.startsWith(`${root}/`) ? "a folder above your home" : null;
}

/**
 * Checks the files that an earlier link left in `.mdmirror/`. Refuses a state file of a folder that
 * is not in the user's list, because the state decides which documents count as deleted locally.
 */
function checkEarlierFiles(root: string, env: Environment): Result<UnlinkedKind> {
  const registry = locateRegistry(env);
  const folder = join(root, MIRROR_FOLDER);
  if (findMirror(registry, root).kind === "known") return ok("known");
  if (!existsSync(join(folder, "state.db"))) return ok("fresh");
  return refusal(
    `${folder} has the state of a linked folder that is not in your list (${registry}); nothing was sent`,
    `move ${quoteForShell(folder)} away and link the folder again: your files stay, and nothing is deleted`,
    "untrusted",
  );
}

export type LinkRequest = {
  readonly dir: string;
  readonly config: Config;
  readonly origin: TrustedOrigin;
  readonly key: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly progress?: Progress;
  readonly ignore?: readonly string[];
};

/**
 * Opens a folder that is not linked yet, for the first plan of the folder. Only reads the files in
 * the folder. Keeps the state in memory, or uses the state of an earlier link. Creates a missing
 * folder; `close` removes the created folders again if they are still empty.
 */
function openUnlinked(request: LinkRequest): Result<OpenedMirror> {
  const { dir, config, origin, key, clock, random, progress = NO_PROGRESS, ignore = [] } = request;
  let topmostFolder: string | null = null;
  let openedState: StoredState | null = null;
  try {
    topmostFolder = makeFolders(dir);
    const root = realpathSync(dir);
    // The plan ignores a damaged state of an earlier link, because the first sync will rebuild the
    // state.
    const earlierState = openToRead(join(root, MIRROR_FOLDER), clock, true);
    if (earlierState.kind === "trouble") return earlierState;
    const remote = connect(origin, { key, clock, random, log: SILENT_LOG, traits: null });
    const { state, isNew } = earlierState.value;
    openedState = state;
    const rules = readDiskRules(config, () => []);
    const disk = new AlreadyMarkedDisk(createNodeFs(), root, { random, probes: false, ignore, ...rules });
    const world: World = {
      clock,
      random,
      log: SILENT_LOG,
      progress,
      remote,
      disk,
      state,
      bootId: null,
      prefix: readPrefix(config.remote),
    };
    if (isNew) rememberRoot(world);
    const close = async () => {
      state.close();
      await remote.close();
      if (topmostFolder !== null) removeCreatedFolders(dir, topmostFolder);
    };
    return ok({ root, config, url: config.url, world, notes: [], isBorrowed: false, close });
  } catch (error) {
    openedState?.close();
    return describeSystemError(dir, error);
  }
}

/**
 * Plans the first sync of a folder that is not linked yet, and calls `work` with the plan. Writes
 * no file.
 * @returns trouble if the service does not answer, or the folder contains another linked folder
 */
export async function withFirstPlan<T>(
  request: LinkRequest,
  work: (mirror: OpenedMirror, plan: SyncPlan) => Promise<T>,
): Promise<Result<T>> {
  const openResult = openUnlinked(request);
  if (openResult.kind === "trouble") return openResult;
  try {
    const planResult = await planSync(openResult.value, USUAL_RUN, NEXT_OF_INIT);
    if (planResult.kind === "trouble") return planResult;
    const insideResult = refuseFolderInside(planResult.value);
    return insideResult.kind === "trouble" ? insideResult : ok(await work(openResult.value, planResult.value));
  } finally {
    await openResult.value.close();
  }
}

/**
 * Tries the key with one request before the key is stored.
 * @returns null if the service accepts the key, otherwise the fault
 */
export async function tryKey({ config, origin, key, clock, random }: Omit<LinkRequest, "dir">): Promise<Fault | null> {
  const remote = connect(origin, { key, clock, random, log: SILENT_LOG, traits: null });
  try {
    // The service accepts a valid key even if the folder does not exist, so any name is good
    // enough.
    const folderAnswer = await remote.findFolder(readPrefix(config.remote) || "mdmirror");
    return folderAnswer.ok ? null : folderAnswer.fault;
  } finally {
    await remote.close();
  }
}

/**
 * Removes the empty folders from `dir` up to `topmost`.
 * @param topmost highest folder that was created for the first plan
 */
function removeCreatedFolders(dir: string, topmost: string): void {
  for (let folder = resolve(dir); readdirSync(folder).length === 0; folder = dirname(folder)) {
    rmdirSync(folder);
    if (folder === resolve(topmost)) return;
  }
}

/** A disk that has a marker for the planner before a marker is written. */
class AlreadyMarkedDisk extends LocalDisk {
  override identify(): RootIdentity | null {
    const rootIdentity = super.identify();
    return rootIdentity === null ? null : { ...rootIdentity, markerId: rootIdentity.markerId ?? "not-linked-yet" };
  }
}

/** Returns true if the first plan only fills an empty folder, so that it needs no confirmation. */
export function onlyFillsFolder({ plan, trees }: SyncPlan): boolean {
  const fillingKinds: ReadonlySet<Action["kind"]> = new Set(["create-local", "make-folder-local"]);
  return (
    trees.local.files.size === 0 &&
    trees.local.folders.size === 0 &&
    plan.steps.every(({ action }) => fillingKinds.has(action.kind))
  );
}

/** Returns trouble if this folder contains a linked folder, whose files would be synced twice. */
function refuseFolderInside({ trees }: SyncPlan): Result<null> {
  const folderInside = [...trees.local.unseen].find(([, { isMirror }]) => isMirror === true);
  if (folderInside === undefined) return ok(null);
  const problem = `${folderInside[0]} in this folder is a linked folder of its own; its files would be synced twice`;
  return refusal(problem, "move it out, or choose another folder");
}

/**
 * Links a folder: creates `.mdmirror/`, and adds the folder to the user's registry.
 * ORDER: the registry first, the configuration last. A folder without a configuration is not
 * linked, so after a kill in between, `init` starts from the beginning.
 * @returns a clause about a damaged registry entry that was set aside, or null
 */
export function linkFolder(
  request: Pick<LinkRequest, "dir" | "config" | "random" | "origin"> & {
    readonly env: Environment;
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
    const bindResult = bindMirror(root, marker, { address: origin.address, allowHttp: origin.allowHttp, env, name });
    if (bindResult.kind === "trouble") {
      if (topmostCreated !== null) removeCreatedFolders(dir, topmostCreated);
      return bindResult;
    }
    const folder = join(root, MIRROR_FOLDER);
    makeOwnFolder(folder, "");
    tightenOwnFolder(folder);
    for (const name of ["tmp", "trash"]) makeOwnFolder(folder, name);
    makeMirrorFolder(fs, root, marker);
    if (storedKey !== null) storeKey(folder, storedKey);
    writeConfig(folder, config);
    return bindResult;
  } catch (error) {
    return describeSystemError(dir, error);
  }
}

/**
 * Returns the folder itself if the folder exists; otherwise the nearest existing folder above.
 * @param dir absolute path
 */
export function findNearestFolder(dir: string): string {
  let folder = dir;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}
