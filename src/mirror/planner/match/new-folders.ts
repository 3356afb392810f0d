import type { DirId } from "../../../contract/ids.ts";
import { isUnsafeName, makeHashedName, toLocalName, toRemoteName } from "../../model/names.ts";
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
import { generateRemotePaths } from "../../model/left-out.ts";
import type { Trees } from "../../model/tree.ts";
import type { FolderRow } from "./row.ts";
import {
  claimFolder,
  type FindLocalFolder,
  type FolderPaths,
  makeLocalFolderFinder,
  applyFolderMoves,
} from "./folder-paths.ts";
import { type FolderForest, makeFolderRow, registerFolder } from "./forest.ts";
import type { FolderRecord } from "../../model/record.ts";

/**
 * Adds rows for new folders, parents first. A new local folder and a new folder on the service that
 * correspond get one row.
 */
export function addUnrecordedFolders(forest: FolderForest, trees: Trees, policy: Policy, paths: FolderPaths): void {
  const findLocalFolder = makeLocalFolderFinder(trees.local);
  for (const { path, rank, id } of listUnrecorded(forest, trees, paths)) {
    if (rank === RANK_LOCAL) addLocalFolder(forest, path, policy);
    else addRemoteFolder(forest, path, id, findLocalFolder, paths, trees);
  }
}

/**
 * ORDER: listed folders come first, because they have ids. Folders that are only part of a listed
 * document's path come next. Local folders come last, because a local folder gets the row of the
 * corresponding folder on the service.
 */
const [RANK_LISTED, RANK_IMPLIED, RANK_LOCAL] = [0, 1, 2];

type UnrecordedFolder = {
  readonly depth: number;
  readonly rank: number;
  readonly path: string;
  readonly id: DirId | null;
};

function listUnrecorded(forest: FolderForest, trees: Trees, paths: FolderPaths): UnrecordedFolder[] {
  const { base, local, remote } = trees;
  const newFolders: UnrecordedFolder[] = [];
  for (const { id, path } of remote.folders.values())
    if (!base.dirs.has(id)) newFolders.push({ depth: depthOf(path), rank: RANK_LISTED, path, id });
  for (const path of listImpliedFolders(forest, trees))
    if (!forest.byRemote.has(path)) newFolders.push({ depth: depthOf(path), rank: RANK_IMPLIED, path, id: null });
  for (const path of local.folders.keys())
    if (!paths.claimed.has(path)) newFolders.push({ depth: depthOf(path), rank: RANK_LOCAL, path, id: null });
  return newFolders.sort((a, b) => a.depth - b.depth || a.rank - b.rank || compareStrings(a.path, b.path));
}

/**
 * Returns the folders above all documents and folders of the service. May leave out folders that
 * the forest has already.
 */
function listImpliedFolders(forest: FolderForest, trees: Trees): ReadonlySet<RemotePath> {
  const impliedPaths = new Set<RemotePath>();
  for (const { path } of trees.remote.folders.values()) addFoldersAbove(impliedPaths, path);
  // Listings are sorted by folder, so most documents are in the same folder as the document before.
  let previousFolder = "";
  for (const path of generateRemotePaths(trees)) {
    const slashIndex = path.lastIndexOf("/");
    if (slashIndex <= 0 || (slashIndex === previousFolder.length && path.startsWith(previousFolder))) continue;
    previousFolder = path.slice(0, slashIndex);
    if (!forest.byRemote.has(previousFolder)) addFoldersAbove(impliedPaths, path);
  }
  return impliedPaths;
}

function addFoldersAbove(folders: Set<RemotePath>, path: RemotePath): void {
  for (let above = parentOf(path); above !== "" && !folders.has(above); above = parentOf(above)) folders.add(above);
}

function addRemoteFolder(
  forest: FolderForest,
  path: RemotePath,
  id: DirId | null,
  lookUp: FindLocalFolder,
  paths: FolderPaths,
  trees: Trees,
): void {
  const folderAtPath = forest.byRemote.get(path);
  if (folderAtPath !== undefined && folderAtPath.remoteSeen !== "unknown") return;
  const remoteSide = { dirId: id, remotePath: path, remoteSeen: id === null ? "implied" : "listed" } as const;
  const expectedPath = findTwinPath(forest, path, id, lookUp, trees);
  const twin = expectedPath === null ? undefined : forest.byLocal.get(expectedPath);
  if (twin?.remoteSeen === "gone" && twin.record !== null) {
    // The folder was deleted on the service and created again with a new id. For users, both are
    // one folder.
    Object.assign(twin, { replaced: twin.record.id, ...remoteSide });
    registerFolder(forest, twin);
    return;
  }
  const folder = makeFolderRow(forest.nextKey(), remoteSide);
  const joinsLocalFolder = expectedPath !== null && twin === undefined && !paths.claimed.has(expectedPath);
  if (joinsLocalFolder) Object.assign(folder, { localPath: expectedPath, localSeen: "present" });
  registerFolder(forest, folder);
}

/**
 * Returns the local folder that corresponds to a folder on the service. Tries the name on the
 * service, then the name with digits of the id (used if another folder had the name), then other
 * spellings.
 */
function findTwinPath(
  forest: FolderForest,
  path: RemotePath,
  id: DirId | null,
  lookUp: FindLocalFolder,
  { local }: Trees,
): LocalPath | null {
  const parent = forest.byRemote.get(parentOf(path))?.localPath ?? null;
  if (parent === null || isUnsafeName(nameOf(path), "folder")) return null;
  const derivePathBy = (nameFor: typeof toLocalName) =>
    joinPath(parent, nameFor(nameOf(path), "folder", id ?? path, local.disk.maxNameBytes));
  const plainPath = derivePathBy(toLocalName);
  return local.folders.has(plainPath) ? plainPath : (lookUp(derivePathBy(makeHashedName)) ?? lookUp(plainPath));
}

/**
 * Returns true if the folder was deleted locally and is still listed on the service. A new local
 * folder at the path then counts as this folder; otherwise both folders would be blocked.
 */
function isKeptOnService({ localSeen, remoteSeen }: FolderRow): boolean {
  return localSeen === "absent" && remoteSeen === "listed";
}

function addLocalFolder(forest: FolderForest, path: LocalPath, policy: Policy): void {
  if (forest.byLocal.has(path)) return;
  const parent = forest.byLocal.get(parentOf(path));
  const mappedName = policy.names === "map" ? toRemoteName(nameOf(path), "folder", policy.refusedCharacters) : null;
  const remoteParentPath = parent?.remotePath ?? null;
  const twin =
    mappedName === null || remoteParentPath === null
      ? undefined
      : forest.byRemote.get(joinPath(remoteParentPath, mappedName));
  if (twin !== undefined && twin.localPath === null && (twin.record === null || isKeptOnService(twin))) {
    Object.assign(twin, { localPath: path, localSeen: "present" });
    registerFolder(forest, twin);
  } else registerFolder(forest, makeFolderRow(forest.nextKey(), { localPath: path, localSeen: "present" }));
}

/**
 * If a folder was moved on the service to the path of a new local folder, merges the two folders.
 * The documents of the moved folder are still in the old local folder. mdmirror moves these
 * documents one by one, then removes the empty old folder.
 */
export function mergeFolders(forest: FolderForest, trees: Trees, policy: Policy, paths: FolderPaths): void {
  if (policy.direction === "push") return;
  for (const folder of [...forest.folders]) {
    const targetPath = findMergeTarget(forest, trees, paths, folder);
    if (targetPath !== null) mergeInto(forest, paths, folder, targetPath);
  }
}

function findMergeTarget(
  forest: FolderForest,
  { local }: Trees,
  paths: FolderPaths,
  folder: FolderRow,
): LocalPath | null {
  const { record, localPath, remotePath } = folder;
  if (record === null || localPath === null || remotePath === null) return null;
  if (!isMovedOnServiceAlone(folder, record, paths)) return null;
  const candidatePath = deriveLocalPath(forest, local, record, remotePath);
  if (candidatePath === null || !local.folders.has(candidatePath) || paths.claimed.has(candidatePath)) return null;
  return isWithin(candidatePath, localPath) || isWithin(localPath, candidatePath) ? null : candidatePath;
}

/** Returns a folder's local path; null if the folder's parent is not on disk. */
function deriveLocalPath(
  forest: FolderForest,
  { disk }: Trees["local"],
  { id }: FolderRecord,
  remotePath: RemotePath,
): LocalPath | null {
  const parent = forest.byRemote.get(parentOf(remotePath))?.localPath ?? null;
  return parent === null ? null : joinPath(parent, toLocalName(nameOf(remotePath), "folder", id, disk.maxNameBytes));
}

/**
 * Returns true if a folder was moved only on the service. If both sides moved the folder,
 * `choosePlaceRule` decides.
 */
function isMovedOnServiceAlone(folder: FolderRow, record: FolderRecord, paths: FolderPaths): boolean {
  if (folder.localSeen !== "present" || folder.remoteSeen !== "listed") return false;
  return folder.remotePath !== record.remotePath && folder.localPath === applyFolderMoves(record.localPath, paths);
}

function mergeInto(forest: FolderForest, paths: FolderPaths, folder: FolderRow, target: LocalPath): void {
  const { record, localPath } = folder;
  const vacatedFolder = makeFolderRow(forest.nextKey(), { localPath, localSeen: "present", isVacated: true });
  forest.byLocal.delete(localPath!);
  registerFolder(forest, vacatedFolder);
  forest.byBaseLocal.set(record!.localPath, vacatedFolder);
  folder.localPath = target;
  folder.isMerged = true;
  claimFolder(paths, record!, target);
  paths.claimed.delete(localPath!);
  forest.byLocal.set(target, folder);
}
