import type { FolderRecord } from "../../model/record.ts";
import { joinPath, type LocalPath, nameOf, parentOf, type RemotePath } from "../../../contract/path.ts";
import type { Trees } from "../../model/tree.ts";
import { type FolderRow, getPathOnSide, type Place, type Side, SIDES } from "./row.ts";
import { type FolderPaths, applyFolderMoves } from "./folder-paths.ts";
import { isUnseen } from "./evidence.ts";

/** All folders of the three trees, with one row for each folder. */
export type FolderForest = {
  readonly root: FolderRow;
  readonly folders: Set<FolderRow>;
  readonly byLocal: Map<LocalPath, FolderRow>;
  readonly byRemote: Map<RemotePath, FolderRow>;
  readonly byBaseLocal: Map<LocalPath, FolderRow>;
  readonly byBaseRemote: Map<RemotePath, FolderRow>;
  readonly nextKey: () => number;
};

/**
 * Creates the forest with the root and the recorded folders.
 * @param mayBeHidden true if a missing folder may be at a path that the scan could not read
 */
export function makeForest(trees: Trees, paths: FolderPaths, mayBeHidden: boolean): FolderForest {
  let nextRowKey = 0;
  const root = makeFolderRow(nextRowKey++, {
    localPath: "",
    remotePath: "",
    localSeen: "present",
    remoteSeen: "listed",
  });
  const forest: FolderForest = {
    root,
    folders: new Set(),
    byLocal: new Map([["", root]]),
    byRemote: new Map([["", root]]),
    byBaseLocal: new Map([["", root]]),
    byBaseRemote: new Map([["", root]]),
    nextKey: () => nextRowKey++,
  };
  const pathsOnService = new Set(Array.from(trees.remote.folders.values(), ({ path }) => path));
  for (const dir of paths.sorted) {
    const localSide = findLocalSide(dir, trees, paths, mayBeHidden);
    addRecordedFolder(forest, dir, paths, { ...localSide, ...findRemoteSide(forest, dir, trees, pathsOnService) });
  }
  return forest;
}

export function makeFolderRow(key: number, facts: Partial<FolderRow>): FolderRow {
  return {
    kind: "folder",
    key,
    record: null,
    dirId: null,
    localPath: null,
    remotePath: null,
    localSeen: "absent",
    remoteSeen: "absent",
    replaced: null,
    isVacated: false,
    isMerged: false,
    isPathTaken: false,
    local: { now: null, goal: null },
    remote: { now: null, goal: null },
    ...facts,
  };
}

function addRecordedFolder(
  forest: FolderForest,
  dir: FolderRecord,
  paths: FolderPaths,
  seen: Partial<FolderRow>,
): void {
  const folder = makeFolderRow(forest.nextKey(), {
    record: dir,
    dirId: dir.id,
    isPathTaken: paths.pathTaken.has(dir.id),
    ...seen,
  });
  registerFolder(forest, folder);
  addAtBasePath(forest.byBaseLocal, dir.localPath, folder);
  addAtBasePath(forest.byBaseRemote, dir.remotePath, folder);
}

function findLocalSide(
  dir: FolderRecord,
  trees: Trees,
  paths: FolderPaths,
  mayHide: boolean,
): Partial<Pick<FolderRow, "localPath" | "localSeen">> {
  const currentPath = paths.found.get(dir.id);
  if (currentPath !== undefined) return { localPath: currentPath, localSeen: "present" };
  const isHidden = isUnseen(dir.localPath, trees) || mayHide;
  if (!isHidden && !trees.local.ignores(dir.localPath, "folder")) return {};
  return { localPath: applyFolderMoves(dir.localPath, paths), localSeen: "unknown" };
}

function findRemoteSide(
  forest: FolderForest,
  dir: FolderRecord,
  { remote }: Trees,
  listedPaths: ReadonlySet<RemotePath>,
): Partial<Pick<FolderRow, "remotePath" | "remoteSeen">> {
  const listedFolder = remote.folders.get(dir.id);
  if (listedFolder !== undefined) return { remotePath: listedFolder.path, remoteSeen: "listed" };
  if (remote.complete && remote.foldersComplete && remote.goneFolders.has(dir.id)) return { remoteSeen: "gone" };
  // A folder that this cycle's listing lacks is assumed to be at its old name in its parent folder.
  // If another folder is listed at that path, the place is unknown.
  const parent = findKnownRemoteFolder(forest, parentOf(dir.remotePath), parentOf(dir.localPath));
  const parentPath = parent?.remotePath ?? parentOf(dir.remotePath);
  const remotePath = joinPath(parentPath, nameOf(dir.remotePath));
  return { remotePath: listedPaths.has(remotePath) ? null : remotePath, remoteSeen: "unknown" };
}

/**
 * Adds a folder at its recorded path. If two folders have one recorded path, keeps the folder that
 * exists locally: the user removed the other folder, and the service cannot delete it.
 */
function addAtBasePath(byBasePath: Map<string, FolderRow>, path: string, folder: FolderRow): void {
  if (folder.localSeen === "present" || byBasePath.get(path)?.localSeen !== "present") byBasePath.set(path, folder);
}

export function registerFolder(forest: FolderForest, folder: FolderRow): void {
  forest.folders.add(folder);
  if (folder.localPath !== null && !forest.byLocal.has(folder.localPath)) forest.byLocal.set(folder.localPath, folder);
  if (folder.remotePath === null) return;
  const folderAtPath = forest.byRemote.get(folder.remotePath);
  // A listed folder takes precedence over a folder that was not listed in this cycle.
  if (folderAtPath === undefined || (folderAtPath.remoteSeen === "unknown" && folder.remoteSeen === "listed"))
    forest.byRemote.set(folder.remotePath, folder);
}

/**
 * Sets the current places of all folders.
 * ORDER: called after the last folder was added, because a place refers to the row of the parent
 * folder.
 */
export function placeFolders(forest: FolderForest): void {
  for (const folder of forest.folders)
    for (const side of SIDES) {
      const path = getPathOnSide(folder, side);
      if (path !== null) folder[side].now = toPlace(forest, side, path);
    }
}

/**
 * Returns the folder at a path. Adds a folder that no tree shows, because a document may be in a
 * folder that the key cannot read.
 */
export function findOrAddFolder(forest: FolderForest, side: Side, path: string): FolderRow {
  const foldersByPath = side === "local" ? forest.byLocal : forest.byRemote;
  const knownFolder = foldersByPath.get(path);
  if (knownFolder !== undefined) return knownFolder;
  const folder = makeFolderRow(
    forest.nextKey(),
    side === "local" ? { localPath: path, localSeen: "present" } : { remotePath: path, remoteSeen: "implied" },
  );
  foldersByPath.set(path, folder);
  forest.folders.add(folder);
  folder[side].now = toPlace(forest, side, path);
  return folder;
}

export function toPlace(forest: FolderForest, side: Side, path: string): Place {
  return { parent: findOrAddFolder(forest, side, parentOf(path)), name: nameOf(path) };
}

export function findBaseFolder(
  forest: FolderForest,
  side: Side,
  record: Pick<FolderRecord, "localPath" | "remotePath">,
): FolderRow {
  const [localPath, remotePath] = [parentOf(record.localPath), parentOf(record.remotePath)];
  return side === "local"
    ? findLocalBaseFolder(forest, localPath, remotePath)
    : findRemoteBaseFolder(forest, remotePath, localPath);
}

/**
 * Returns the folder that had a local path when base was recorded: the first of these folders that
 * exists.
 * - the folder with this recorded path
 * - the folder with this path now, because base may record its documents before the folder
 * - a folder without a record at `remotePath`
 * - a new folder row without a place
 * @param remotePath recorded path of that folder on the service
 */
function findLocalBaseFolder(forest: FolderForest, localPath: LocalPath, remotePath: RemotePath): FolderRow {
  const recordedFolder = forest.byBaseLocal.get(localPath);
  if (recordedFolder !== undefined) return recordedFolder;
  const localFolder = forest.byLocal.get(localPath);
  const presentFolder = localFolder === forest.root ? undefined : localFolder;
  return (
    presentFolder ??
    nullIfRecorded(forest, forest.byRemote.get(remotePath)) ??
    addMissingFolder(forest, localPath, remotePath)
  );
}

/**
 * Returns the folder that had a path on the service when base was recorded. If no folder has this
 * recorded path, returns the folder with the path now. Base may record the documents of a moved
 * folder before the folder.
 */
function findRemoteBaseFolder(forest: FolderForest, remotePath: RemotePath, localPath: LocalPath): FolderRow {
  const knownFolder = findKnownRemoteFolder(forest, remotePath, localPath);
  if (knownFolder !== undefined && (knownFolder.record !== null || knownFolder === forest.root)) return knownFolder;
  const folder =
    forest.byRemote.get(remotePath) ?? knownFolder ?? nullIfRecorded(forest, forest.byLocal.get(localPath));
  return folder ?? addMissingFolder(forest, localPath, remotePath);
}

/**
 * Returns the folder with a recorded path on the service. Two folders may have one such path,
 * because a folder that was removed locally may still exist on the service. Prefers the folder that
 * is recorded at both paths.
 */
function findKnownRemoteFolder(
  { byBaseLocal, byBaseRemote }: FolderForest,
  remotePath: RemotePath,
  localPath: LocalPath,
): FolderRow | undefined {
  const sameFolder = byBaseLocal.get(localPath);
  return sameFolder?.record?.remotePath === remotePath ? sameFolder : byBaseRemote.get(remotePath);
}

function nullIfRecorded(forest: FolderForest, folder: FolderRow | undefined): FolderRow | null {
  return folder === undefined || folder.record !== null || folder === forest.root ? null : folder;
}

function addMissingFolder(forest: FolderForest, localPath: LocalPath, remotePath: RemotePath): FolderRow {
  const missingFolder = makeFolderRow(forest.nextKey(), {});
  if (!forest.byBaseLocal.has(localPath)) forest.byBaseLocal.set(localPath, missingFolder);
  if (!forest.byBaseRemote.has(remotePath)) forest.byBaseRemote.set(remotePath, missingFolder);
  forest.folders.add(missingFolder);
  return missingFolder;
}

/**
 * Returns true if `folder` is `above`, or is anywhere inside it.
 * @param place returns the parent of a folder; null for the root
 */
export function isInside(folder: FolderRow, above: FolderRow, place: (folder: FolderRow) => FolderRow | null): boolean {
  const visitedFolders = new Set<FolderRow>();
  for (
    let ancestor: FolderRow | null = folder;
    ancestor !== null && !visitedFolders.has(ancestor);
    ancestor = place(ancestor)
  ) {
    if (ancestor === above) return true;
    visitedFolders.add(ancestor);
  }
  return false;
}
