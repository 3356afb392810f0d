import type { DirId } from "../../../contract/ids.ts";
import { hashedName, isUnsafeName, localNameFor, remoteNameFor } from "../../model/local-name.ts";
import { compareStrings } from "../../model/by-path.ts";
import {
  depthOf,
  isWithin,
  joinPath,
  type LocalPath,
  nameOf,
  parentOf,
  type RemotePath,
} from "../../../contract/path.ts";
import type { Policy } from "../../model/policy.ts";
import { remotePathsOf } from "../../model/left-out.ts";
import type { Trees } from "../../model/tree.ts";
import type { FolderRow } from "./row.ts";
import { claimFolder, type FolderLookup, type FolderPaths, localFolderLookup, relocate } from "./folder-paths.ts";
import { type Forest, newFolder, register } from "./forest.ts";
import type { FolderRecord } from "../../model/record.ts";

/**
 * Adds the folders that base has no record of, parents first. If both sides have a folder at
 * corresponding places, the two become one row.
 */
export function addUnrecordedFolders(forest: Forest, trees: Trees, policy: Policy, paths: FolderPaths): void {
  const lookUp = localFolderLookup(trees.local);
  for (const { path, rank, id } of listUnrecorded(forest, trees, paths)) {
    if (rank === RANK_LOCAL) addLocalFolder(forest, path, policy);
    else addRemoteFolder(forest, path, id, lookUp, paths, trees);
  }
}

/**
 * ORDER: listed folders come first, because they have ids. Then come folders that are only known
 * from the paths of documents. Local folders come last, so that they can join the rows of folders
 * on the service.
 */
const [RANK_LISTED, RANK_IMPLIED, RANK_LOCAL] = [0, 1, 2];

type UnrecordedFolder = {
  readonly depth: number;
  readonly rank: number;
  readonly path: string;
  readonly id: DirId | null;
};

/** Lists the folders that base has no record of, parents first. */
function listUnrecorded(forest: Forest, trees: Trees, paths: FolderPaths): UnrecordedFolder[] {
  const { base, local, remote } = trees;
  const unrecorded: UnrecordedFolder[] = [];
  for (const { id, path } of remote.folders.values())
    if (!base.dirs.has(id)) unrecorded.push({ depth: depthOf(path), rank: RANK_LISTED, path, id });
  for (const path of impliedFolders(forest, trees))
    if (!forest.byRemote.has(path)) unrecorded.push({ depth: depthOf(path), rank: RANK_IMPLIED, path, id: null });
  for (const path of local.folders.keys())
    if (!paths.claimed.has(path)) unrecorded.push({ depth: depthOf(path), rank: RANK_LOCAL, path, id: null });
  return unrecorded.sort((a, b) => a.depth - b.depth || a.rank - b.rank || compareStrings(a.path, b.path));
}

/**
 * Returns the paths of all folders above the documents and folders of the service. Folders that the
 * forest already has may be missing.
 */
function impliedFolders(forest: Forest, trees: Trees): ReadonlySet<RemotePath> {
  const implied = new Set<RemotePath>();
  for (const { path } of trees.remote.folders.values()) addAbove(implied, path);
  // Listings are sorted by folder, so most documents are in the same folder as the one before. That
  // folder is skipped without a search.
  let before = "";
  for (const path of remotePathsOf(trees)) {
    const slash = path.lastIndexOf("/");
    if (slash <= 0 || (slash === before.length && path.startsWith(before))) continue;
    before = path.slice(0, slash);
    if (!forest.byRemote.has(before)) addAbove(implied, path);
  }
  return implied;
}

function addAbove(folders: Set<RemotePath>, path: RemotePath): void {
  for (let above = parentOf(path); above !== "" && !folders.has(above); above = parentOf(above)) folders.add(above);
}

function addRemoteFolder(
  forest: Forest,
  path: RemotePath,
  id: DirId | null,
  lookUp: FolderLookup,
  paths: FolderPaths,
  trees: Trees,
): void {
  const folderAtPath = forest.byRemote.get(path);
  if (folderAtPath !== undefined && folderAtPath.remoteSeen !== "unknown") return;
  const remoteSide = { dirId: id, remotePath: path, remoteSeen: id === null ? "implied" : "listed" } as const;
  const expected = twinPathOf(forest, path, id, lookUp, trees);
  const twin = expected === null ? undefined : forest.byLocal.get(expected);
  if (twin?.remoteSeen === "gone" && twin.record !== null) {
    // The folder was deleted on the service and created again with a new id. It counts as the same
    // folder, as it does for its users.
    Object.assign(twin, { replaced: twin.record.id, ...remoteSide });
    register(forest, twin);
    return;
  }
  const folder = newFolder(forest.nextKey(), remoteSide);
  const joins = expected !== null && twin === undefined && !paths.claimed.has(expected);
  if (joins) Object.assign(folder, { localPath: expected, localSeen: "present" });
  register(forest, folder);
}

/**
 * Returns the path of the local folder that belongs to a folder on the service; null if there is
 * none. Prefers the same name. Then tries the name with digits of the id, which is used if the name
 * was taken, and at last other spellings of the name.
 */
function twinPathOf(
  forest: Forest,
  path: RemotePath,
  id: DirId | null,
  lookUp: FolderLookup,
  { local }: Trees,
): LocalPath | null {
  const parent = forest.byRemote.get(parentOf(path))?.localPath ?? null;
  if (parent === null || isUnsafeName(nameOf(path), "folder")) return null;
  const pathBy = (nameFor: typeof localNameFor) =>
    joinPath(parent, nameFor(nameOf(path), "folder", id ?? path, local.disk.maxNameBytes));
  const plainPath = pathBy(localNameFor);
  return local.folders.has(plainPath) ? plainPath : (lookUp(pathBy(hashedName)) ?? lookUp(plainPath));
}

/**
 * Returns true if the folder was deleted locally and is still listed on the service. A new local
 * folder at the same path then counts as the same folder, so that neither is blocked.
 */
function isKeptOnService({ localSeen, remoteSeen }: FolderRow): boolean {
  return localSeen === "absent" && remoteSeen === "listed";
}

function addLocalFolder(forest: Forest, path: LocalPath, policy: Policy): void {
  if (forest.byLocal.has(path)) return;
  const parent = forest.byLocal.get(parentOf(path));
  const mapped = policy.names === "map" ? remoteNameFor(nameOf(path), "folder", policy.refusedCharacters) : null;
  const above = parent?.remotePath ?? null;
  const twin = mapped === null || above === null ? undefined : forest.byRemote.get(joinPath(above, mapped));
  if (twin !== undefined && twin.localPath === null && (twin.record === null || isKeptOnService(twin))) {
    Object.assign(twin, { localPath: path, localSeen: "present" });
    register(forest, twin);
  } else register(forest, newFolder(forest.nextKey(), { localPath: path, localSeen: "present" }));
}

/**
 * Merges folders that were moved on the service to the path of a new local folder. From then on,
 * the two are one folder. The documents of the moved folder are still in its old local folder. They
 * are moved one by one, and the old folder is removed when it is empty.
 */
export function mergeFolders(forest: Forest, trees: Trees, policy: Policy, paths: FolderPaths): void {
  if (policy.direction === "push") return;
  for (const folder of [...forest.folders]) {
    const target = targetOf(forest, trees, paths, folder);
    if (target !== null) mergeInto(forest, paths, folder, target);
  }
}

/**
 * Returns the path of the new local folder with which a moved folder is merged; null if it is not
 * merged.
 */
function targetOf(forest: Forest, { local }: Trees, paths: FolderPaths, folder: FolderRow): LocalPath | null {
  const { record, localPath, remotePath } = folder;
  if (record === null || localPath === null || remotePath === null) return null;
  if (!isMovedOnServiceAlone(folder, record, paths)) return null;
  const target = localPathOf(forest, local, record, remotePath);
  if (target === null || !local.folders.has(target) || paths.claimed.has(target)) return null;
  return isWithin(target, localPath) || isWithin(localPath, target) ? null : target;
}

/**
 * Returns the local path that corresponds to a folder's path on the service; null if its parent is
 * not on disk.
 */
function localPathOf(
  forest: Forest,
  { disk }: Trees["local"],
  { id }: FolderRecord,
  remotePath: RemotePath,
): LocalPath | null {
  const parent = forest.byRemote.get(parentOf(remotePath))?.localPath ?? null;
  return parent === null ? null : joinPath(parent, localNameFor(nameOf(remotePath), "folder", id, disk.maxNameBytes));
}

/**
 * Returns true if a folder was moved on the service and not locally. If it was moved on both sides,
 * `placeRule` decides.
 */
function isMovedOnServiceAlone(folder: FolderRow, record: FolderRecord, paths: FolderPaths): boolean {
  if (folder.localSeen !== "present" || folder.remoteSeen !== "listed") return false;
  return folder.remotePath !== record.remotePath && folder.localPath === relocate(record.localPath, paths);
}

function mergeInto(forest: Forest, paths: FolderPaths, folder: FolderRow, target: LocalPath): void {
  const { record, localPath } = folder;
  const old = newFolder(forest.nextKey(), { localPath, localSeen: "present", isVacated: true });
  forest.byLocal.delete(localPath!);
  register(forest, old);
  forest.byBaseLocal.set(record!.localPath, old);
  folder.localPath = target;
  folder.isMerged = true;
  claimFolder(paths, record!, target);
  paths.claimed.delete(localPath!);
  forest.byLocal.set(target, folder);
}
