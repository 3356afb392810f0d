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
 * Adds folders without a record, outer ones first: folders that both sides have at corresponding
 * places are one row.
 */
export function addUnrecordedFolders(forest: Forest, trees: Trees, policy: Policy, paths: FolderPaths): void {
  const lookUp = localFolderLookup(trees.local);
  for (const { path, rank, id } of listUnrecorded(forest, trees, paths)) {
    if (rank === RANK_LOCAL) addLocalFolder(forest, path, policy);
    else addRemoteFolder(forest, path, id, lookUp, paths, trees);
  }
}

/**
 * ORDER: folders that the service lists come before folders that only the paths of documents imply,
 * so that a folder's id is known. Local folders come last, so that they join the rows of folders on
 * the service.
 */
const [RANK_LISTED, RANK_IMPLIED, RANK_LOCAL] = [0, 1, 2];

type UnrecordedFolder = {
  readonly depth: number;
  readonly rank: number;
  readonly path: string;
  readonly id: DirId | null;
};

/** Lists the folders without a record, outer ones first. */
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
 * Returns the folders above the paths that the service shows, but may leave out folders that the
 * forest already has.
 */
function impliedFolders(forest: Forest, trees: Trees): ReadonlySet<RemotePath> {
  const implied = new Set<RemotePath>();
  for (const { path } of trees.remote.folders.values()) addAbove(implied, path);
  // Listings are sorted by folder, so most documents are in the folder of the previous document,
  // which is not looked up again.
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
    // The folder was deleted and created again on the service: for all users it is the same folder,
    // although its id is new.
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
 * Returns the local folder that corresponds to a folder on the service. Prefers the folder with the
 * same name, then one whose name has digits of the id (because the name was taken), then one whose
 * name the disk treats as equal.
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
 * Returns true if the folder was deleted locally and is still listed on the service. A folder
 * created locally at the same path counts as this folder, so neither is blocked.
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
 * Merges a folder that was renamed or moved on the service to the path of a local folder without a
 * record: from then on the two are one folder. Documents that base has in the old folder stay in it
 * at first, follow one by one, and the old folder is removed when it is empty.
 */
export function mergeFolders(forest: Forest, trees: Trees, policy: Policy, paths: FolderPaths): void {
  if (policy.direction === "push") return;
  for (const folder of [...forest.folders]) {
    const target = targetOf(forest, trees, paths, folder);
    if (target !== null) mergeInto(forest, paths, folder, target);
  }
}

/**
 * Returns the local folder at the place that this folder has on the service; null if there is none,
 * or it has a record.
 */
function targetOf(forest: Forest, { local }: Trees, paths: FolderPaths, folder: FolderRow): LocalPath | null {
  const { record, localPath, remotePath } = folder;
  if (record === null || localPath === null || remotePath === null) return null;
  if (!isMovedOnServiceAlone(folder, record, paths)) return null;
  const target = localPathOf(forest, local, record, remotePath);
  if (target === null || !local.folders.has(target) || paths.claimed.has(target)) return null;
  return isWithin(target, localPath) || isWithin(localPath, target) ? null : target;
}

/** Returns the path that a folder would have locally; null if the folder above is not local. */
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
 * Returns true if the folder was moved only on the service. If it was moved locally as well,
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
