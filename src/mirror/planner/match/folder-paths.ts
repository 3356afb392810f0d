import type { DirId } from "../../../contract/ids.ts";
import type { FolderRecord } from "../../model/record.ts";
import { depthOf, foldsNames, type LocalPath, parentOf, pathKey, rebase } from "../../../contract/path.ts";
import type { LocalFolder, LocalTree, Trees } from "../../model/tree.ts";
import type { Policy } from "../../model/policy.ts";
import { folderInodeKey } from "./inode.ts";

type Moves = Pick<Policy, "canMoveFolders" | "canMoveToRoot">;

/** Current local paths of the recorded folders, and of the documents expected below them. */
export type FolderPaths = {
  /** Recorded folders that were found, with their current paths. */
  readonly found: Map<DirId, LocalPath>;
  /** The recorded folder that is now at each path. */
  readonly claimed: Map<LocalPath, DirId>;
  /** Recorded folders by base's path. */
  readonly byBasePath: ReadonlyMap<LocalPath, FolderRecord>;
  /** Recorded folders, parents before their children. */
  readonly sorted: readonly FolderRecord[];
  readonly canMoveFolders: boolean;
  /** True if the deployment can move a folder to the root. */
  readonly canMoveToRoot: boolean;
  /**
   * Recorded folders that were removed locally and that the service cannot delete, by base's path.
   * A local folder that is created at such a path is the same folder again.
   */
  readonly keptByService: ReadonlyMap<LocalPath, FolderRecord>;
  /** Folders that the service keeps and whose path now belongs to another folder. */
  readonly pathTaken: Set<DirId>;
  /** True if any folder was found elsewhere than at base's path. */
  hasMoved: boolean;
};

/**
 * Finds folders by inode and birth time first (a rename, even a swap), then by path. The path below
 * the parent's new place counts before the path in base. If the deployment cannot move folders, a
 * folder at another local path counts as new. If it only cannot move folders to the root, this
 * applies to folders that were moved to the root. The documents of such a folder are moved one by
 * one, with their ids, and the old folder counts as deleted.
 */
export function findFolders(trees: Trees, { canMoveFolders, canMoveToRoot }: Moves): FolderPaths {
  const sorted = [...trees.base.dirs.values()].sort(
    (a, b) => depthOf(a.localPath) - depthOf(b.localPath) || (a.localPath < b.localPath ? -1 : 1),
  );
  const paths: FolderPaths = {
    found: new Map(),
    claimed: new Map(),
    byBasePath: new Map(sorted.map((dir) => [dir.localPath, dir])),
    sorted,
    canMoveFolders,
    canMoveToRoot,
    keptByService: foldersKeptByService(sorted, trees),
    pathTaken: new Set(),
    hasMoved: false,
  };
  if (trees.local.inodesTrusted) findByInode(paths, trees.local);
  const lookUp = localFolderLookup(trees.local);
  for (const dir of sorted) if (!paths.found.has(dir.id)) findByPath(paths, dir, lookUp);
  return paths;
}

function findByPath(paths: FolderPaths, dir: FolderRecord, lookUp: FolderLookup): void {
  for (const path of [relocate(dir.localPath, paths), dir.localPath].map(lookUp)) {
    if (path === null || paths.claimed.has(path)) continue;
    claimFolder(paths, dir, path);
    if (paths.keptByService.get(path) === dir) paths.pathTaken.add(dir.id);
    return;
  }
}

/**
 * Finds folders by inode. A folder at its old path is the same folder on any deployment. A folder
 * that was removed locally, and that the service keeps, may have had the same path.
 */
function findByInode(paths: FolderPaths, local: LocalTree): void {
  const notAtOldPath = new Map<string, FolderRecord>();
  for (const dir of paths.sorted) {
    const key = folderInodeKey(dir);
    if (key === null) continue;
    const folder = local.folders.get(dir.localPath);
    if (folder !== undefined && folderInodeKey(folder) === key) claimFolder(paths, dir, folder.path);
    else notAtOldPath.set(key, dir);
  }
  if (paths.canMoveFolders && notAtOldPath.size > 0) findMovedByInode(paths, notAtOldPath, local);
}

function findMovedByInode(paths: FolderPaths, notAtOldPath: ReadonlyMap<string, FolderRecord>, local: LocalTree): void {
  for (const folder of local.folders.values()) {
    const key = folderInodeKey(folder);
    const dir = key === null || paths.claimed.has(folder.path) ? undefined : notAtOldPath.get(key);
    if (dir !== undefined && !paths.found.has(dir.id) && canBeAt(paths, dir, folder.path))
      claimFolder(paths, dir, folder.path);
  }
}

/**
 * Returns the removed folders that the service keeps. No other folder can get their names on the
 * service, so a folder that was moved to such a path is moved document by document.
 */
function foldersKeptByService(
  sorted: readonly FolderRecord[],
  { base, remote }: Trees,
): ReadonlyMap<LocalPath, FolderRecord> {
  const keptByService = new Map<LocalPath, FolderRecord>();
  if (base.blocks.size === 0) return keptByService;
  for (const dir of sorted)
    if (base.blocks.get(dir.id)?.reason === "folder-stays" && remote.folders.get(dir.id)?.path === dir.remotePath)
      keptByService.set(dir.localPath, dir);
  return keptByService;
}

function canBeAt({ canMoveToRoot, keptByService }: FolderPaths, dir: FolderRecord, path: LocalPath): boolean {
  const keptFolder = keptByService.get(path);
  if (keptFolder !== undefined && keptFolder !== dir) return false;
  return canMoveToRoot || parentOf(path) !== "" || parentOf(dir.remotePath) === "";
}

export function claimFolder(paths: FolderPaths, dir: FolderRecord, path: LocalPath): void {
  paths.found.set(dir.id, path);
  paths.claimed.set(path, dir.id);
  if (path !== dir.localPath) paths.hasMoved = true;
}

/** Returns the expected path of an entry, if only the folders above it moved. */
export function relocate(basePath: LocalPath, paths: FolderPaths): LocalPath {
  if (!paths.hasMoved) return basePath;
  for (let above = parentOf(basePath); above !== ""; above = parentOf(above)) {
    const dir = paths.byBasePath.get(above);
    const currentPath = dir === undefined ? undefined : paths.found.get(dir.id);
    if (currentPath !== undefined) return rebase(basePath, above, currentPath);
  }
  return basePath;
}

/**
 * Finds folders by their contents, on a disk that has changed or has no inodes. If a folder has
 * disappeared, and more than half of its recorded documents were found at the same places below one
 * new folder, that new folder is the same folder. The documents must have been found by evidence of
 * their own.
 */
export function findFoldersByContents(
  paths: FolderPaths,
  documents: Iterable<PathChange>,
  folders: ReadonlyMap<LocalPath, LocalFolder>,
): void {
  if (!paths.canMoveFolders || paths.sorted.every((dir) => paths.found.has(dir.id))) return;
  const polls = new Map<LocalPath, FolderVotes>();
  for (const dir of paths.sorted)
    if (!paths.found.has(dir.id)) polls.set(dir.localPath, { total: 0, votes: new Map() });
  for (const document of documents) countVotes(polls, document);
  for (const dir of paths.sorted) {
    const poll = polls.get(dir.localPath);
    if (poll !== undefined) findByVotes(paths, dir, poll, folders);
  }
}

function findByVotes(
  paths: FolderPaths,
  dir: FolderRecord,
  poll: FolderVotes,
  folders: ReadonlyMap<LocalPath, LocalFolder>,
): void {
  // The path to which the parent's move took the folder takes precedence over the paths of its
  // documents.
  for (const path of [relocate(dir.localPath, paths), winnerOf(poll)]) {
    if (path === null || !folders.has(path) || paths.claimed.has(path) || !canBeAt(paths, dir, path)) continue;
    claimFolder(paths, dir, path);
    return;
  }
}

/** Old and current path of a recorded document; null if it was not found. */
type PathChange = { readonly base: LocalPath; readonly current: LocalPath | null };

/**
 * Counts for a folder that was not found: the documents below it, and how many of them point to
 * each path.
 */
type FolderVotes = { total: number; readonly votes: Map<LocalPath, number> };

/** Counts the vote of a document for each folder that contained it. */
function countVotes(polls: ReadonlyMap<LocalPath, FolderVotes>, { base, current }: PathChange): void {
  for (let above = parentOf(base); above !== ""; above = parentOf(above)) {
    const poll = polls.get(above);
    if (poll === undefined) continue;
    poll.total++;
    const voted = current === null ? null : folderByDocument(above, base, current);
    if (voted !== null) poll.votes.set(voted, (poll.votes.get(voted) ?? 0) + 1);
  }
}

/**
 * Returns the current path of a folder above a document, derived from the document's path. The
 * document must be at the same place below the folder.
 */
function folderByDocument(above: LocalPath, base: LocalPath, now: LocalPath): LocalPath | null {
  const suffix = base.slice(above.length);
  if (now.endsWith(suffix) && now.length > suffix.length) return now.slice(0, -suffix.length);
  // A document directly in the folder identifies the folder even if the document was renamed as
  // well.
  return parentOf(base) === above && parentOf(now) !== "" ? parentOf(now) : null;
}

function winnerOf({ total, votes }: FolderVotes): LocalPath | null {
  return votes.entries().find(([, count]) => count * 2 > total)?.[0] ?? null;
}

/** Returns the path of the local folder at a path, in any spelling that the disk folds to it. */
export type FolderLookup = (path: LocalPath) => LocalPath | null;

export function localFolderLookup({ disk, folders }: LocalTree): FolderLookup {
  if (!foldsNames(disk)) return (path) => (folders.has(path) ? path : null);
  const byKey = new Map(Array.from(folders.keys(), (path) => [pathKey(path, disk), path]));
  return (path) => (folders.has(path) ? path : (byKey.get(pathKey(path, disk)) ?? null));
}

/**
 * Returns the expected path of a recorded file, with its folder's current path. Null if the folder
 * was not found: a file at the old path is then no evidence.
 */
export function expectedPath(basePath: LocalPath, paths: FolderPaths): LocalPath | null {
  if (!paths.hasMoved) return basePath;
  for (let above = parentOf(basePath); above !== ""; above = parentOf(above)) {
    const dir = paths.byBasePath.get(above);
    if (dir === undefined) continue;
    const currentPath = paths.found.get(dir.id);
    if (currentPath !== undefined) return rebase(basePath, above, currentPath);
    if (relocate(above, paths) === above) return null;
  }
  return basePath;
}
