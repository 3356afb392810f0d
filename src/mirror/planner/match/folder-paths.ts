import type { DirId } from "../../../contract/ids.ts";
import type { FolderRecord } from "../../model/record.ts";
import { depthOf, foldsNames, type LocalPath, parentOf, pathKey, rebase } from "../../../contract/path.ts";
import type { LocalFolder, LocalTree, Trees } from "../../model/tree.ts";
import type { Policy } from "../../model/policy.ts";
import { toFolderInodeKey } from "./evidence.ts";

type FolderMovePolicy = Pick<Policy, "canMoveFolders" | "canMoveToRoot">;

/**
 * Current local paths of the recorded folders, from which the expected paths of documents are
 * derived.
 */
export type FolderPaths = {
  readonly found: Map<DirId, LocalPath>;
  readonly claimed: Map<LocalPath, DirId>;
  readonly byBasePath: ReadonlyMap<LocalPath, FolderRecord>;
  /** Recorded folders, each after its parent. */
  readonly sorted: readonly FolderRecord[];
  readonly canMoveFolders: boolean;
  readonly canMoveToRoot: boolean;
  /**
   * Recorded folders that were removed locally but that the service cannot delete, by local path in
   * base. A new local folder at such a path counts as the recorded folder.
   */
  readonly keptByService: ReadonlyMap<LocalPath, FolderRecord>;
  /** Folders of `keptByService` whose local path another local folder has now. */
  readonly pathTaken: Set<DirId>;
  hasMoved: boolean;
};

/**
 * Finds the recorded folders on disk: first by inode and birth time, which finds renamed and
 * swapped folders, then by path. If the deployment cannot move a folder, the moved folder counts as
 * new, and the recorded folder as deleted. The documents are then moved one by one, and keep their
 * ids.
 */
export function findFolders(trees: Trees, { canMoveFolders, canMoveToRoot }: FolderMovePolicy): FolderPaths {
  const sortedFolders = [...trees.base.dirs.values()].sort(
    (a, b) => depthOf(a.localPath) - depthOf(b.localPath) || (a.localPath < b.localPath ? -1 : 1),
  );
  const paths: FolderPaths = {
    found: new Map(),
    claimed: new Map(),
    byBasePath: new Map(sortedFolders.map((dir) => [dir.localPath, dir])),
    sorted: sortedFolders,
    canMoveFolders,
    canMoveToRoot,
    keptByService: listFoldersKeptByService(sortedFolders, trees),
    pathTaken: new Set(),
    hasMoved: false,
  };
  if (trees.local.inodesTrusted) findByInode(paths, trees.local);
  const findLocalFolder = makeLocalFolderFinder(trees.local);
  for (const dir of sortedFolders) if (!paths.found.has(dir.id)) findByPath(paths, dir, findLocalFolder);
  return paths;
}

function findByPath(paths: FolderPaths, dir: FolderRecord, lookUp: FindLocalFolder): void {
  for (const path of [applyFolderMoves(dir.localPath, paths), dir.localPath].map(lookUp)) {
    if (path === null || paths.claimed.has(path)) continue;
    claimFolder(paths, dir, path);
    if (paths.keptByService.get(path) === dir) paths.pathTaken.add(dir.id);
    return;
  }
}

/**
 * Finds folders by inode at their recorded paths. If the service can move folders, also finds
 * folders that were moved locally to other paths.
 */
function findByInode(paths: FolderPaths, local: LocalTree): void {
  const missingByInode = new Map<string, FolderRecord>();
  for (const dir of paths.sorted) {
    const key = toFolderInodeKey(dir);
    if (key === null) continue;
    const folder = local.folders.get(dir.localPath);
    if (folder !== undefined && toFolderInodeKey(folder) === key) claimFolder(paths, dir, folder.path);
    else missingByInode.set(key, dir);
  }
  if (paths.canMoveFolders && missingByInode.size > 0) findMovedByInode(paths, missingByInode, local);
}

function findMovedByInode(paths: FolderPaths, notAtOldPath: ReadonlyMap<string, FolderRecord>, local: LocalTree): void {
  for (const folder of local.folders.values()) {
    const key = toFolderInodeKey(folder);
    const dir = key === null || paths.claimed.has(folder.path) ? undefined : notAtOldPath.get(key);
    if (dir !== undefined && !paths.found.has(dir.id) && canFolderBeAt(paths, dir, folder.path))
      claimFolder(paths, dir, folder.path);
  }
}

/**
 * Lists folders that were removed locally and that the service cannot delete, so that they keep
 * their names on the service. A folder that is moved to such a local path cannot get the name, so
 * its documents are moved one by one.
 */
function listFoldersKeptByService(
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

function canFolderBeAt({ canMoveToRoot, keptByService }: FolderPaths, dir: FolderRecord, path: LocalPath): boolean {
  const keptFolder = keptByService.get(path);
  if (keptFolder !== undefined && keptFolder !== dir) return false;
  return canMoveToRoot || parentOf(path) !== "" || parentOf(dir.remotePath) === "";
}

export function claimFolder(paths: FolderPaths, dir: FolderRecord, path: LocalPath): void {
  paths.found.set(dir.id, path);
  paths.claimed.set(path, dir.id);
  if (path !== dir.localPath) paths.hasMoved = true;
}

export function applyFolderMoves(basePath: LocalPath, paths: FolderPaths): LocalPath {
  if (!paths.hasMoved) return basePath;
  for (let folderPath = parentOf(basePath); folderPath !== ""; folderPath = parentOf(folderPath)) {
    const dir = paths.byBasePath.get(folderPath);
    const currentPath = dir === undefined ? undefined : paths.found.get(dir.id);
    if (currentPath !== undefined) return rebase(basePath, folderPath, currentPath);
  }
  return basePath;
}

/**
 * Finds renamed folders by their documents, on a disk without reliable inodes. More than half of
 * the folder's recorded documents must be below one new folder, at unchanged relative paths.
 * Documents that were matched only by their path are no evidence.
 */
export function findFoldersByContents(
  paths: FolderPaths,
  documents: Iterable<PathChange>,
  folders: ReadonlyMap<LocalPath, LocalFolder>,
): void {
  if (!paths.canMoveFolders || paths.sorted.every((dir) => paths.found.has(dir.id))) return;
  const votesByPath = new Map<LocalPath, FolderVotes>();
  for (const dir of paths.sorted)
    if (!paths.found.has(dir.id)) votesByPath.set(dir.localPath, { total: 0, votes: new Map() });
  for (const document of documents) countVotes(votesByPath, document);
  for (const dir of paths.sorted) {
    const folderVotes = paths.found.has(dir.id) ? undefined : votesByPath.get(dir.localPath);
    if (folderVotes !== undefined) findByVotes(paths, dir, folderVotes, folders);
  }
}

function findByVotes(
  paths: FolderPaths,
  dir: FolderRecord,
  poll: FolderVotes,
  folders: ReadonlyMap<LocalPath, LocalFolder>,
): void {
  // The path after the move of the parent comes before the path that the documents show.
  for (const path of [applyFolderMoves(dir.localPath, paths), findVotedPath(poll)]) {
    if (path === null || !folders.has(path) || paths.claimed.has(path) || !canFolderBeAt(paths, dir, path)) continue;
    claimFolder(paths, dir, path);
    return;
  }
}

/** Paths of a recorded document; `current` is null if the document's file was not found. */
type PathChange = { readonly base: LocalPath; readonly current: LocalPath | null };

/**
 * `total`: number of recorded documents below a missing folder. `votes`: number of documents that
 * show each possible new path of the folder.
 */
type FolderVotes = { total: number; readonly votes: Map<LocalPath, number> };

function countVotes(polls: ReadonlyMap<LocalPath, FolderVotes>, { base, current }: PathChange): void {
  for (let folderPath = parentOf(base); folderPath !== ""; folderPath = parentOf(folderPath)) {
    const folderVotes = polls.get(folderPath);
    if (folderVotes === undefined) continue;
    folderVotes.total++;
    const votedPath = current === null ? null : deriveFolderPath(folderPath, base, current);
    if (votedPath !== null) folderVotes.votes.set(votedPath, (folderVotes.votes.get(votedPath) ?? 0) + 1);
  }
}

/**
 * Returns the current path of a folder, derived from the current path of a document below it. Null
 * if the path of the document relative to the folder has changed.
 */
function deriveFolderPath(above: LocalPath, base: LocalPath, now: LocalPath): LocalPath | null {
  const suffix = base.slice(above.length);
  if (now.endsWith(suffix) && now.length > suffix.length) return now.slice(0, -suffix.length);
  // If the document is directly in the folder, the folder's path is known even if the document was
  // renamed.
  return parentOf(base) === above && parentOf(now) !== "" ? parentOf(now) : null;
}

function findVotedPath({ total, votes }: FolderVotes): LocalPath | null {
  return votes.entries().find(([, count]) => count * 2 > total)?.[0] ?? null;
}

/** Finds the path of a local folder in any spelling that the disk treats as equal. */
export type FindLocalFolder = (path: LocalPath) => LocalPath | null;

export function makeLocalFolderFinder({ disk, folders }: LocalTree): FindLocalFolder {
  if (!foldsNames(disk)) return (path) => (folders.has(path) ? path : null);
  const pathsByKey = new Map(Array.from(folders.keys(), (path) => [pathKey(path, disk), path]));
  return (path) => (folders.has(path) ? path : (pathsByKey.get(pathKey(path, disk)) ?? null));
}

/**
 * Returns the path of a recorded file after the moves of its folders. Null if the file's parent
 * folder was not found, because a file at the old path then proves nothing.
 */
export function deriveExpectedPath(basePath: LocalPath, paths: FolderPaths): LocalPath | null {
  if (!paths.hasMoved) return basePath;
  for (let folderPath = parentOf(basePath); folderPath !== ""; folderPath = parentOf(folderPath)) {
    const dir = paths.byBasePath.get(folderPath);
    if (dir === undefined) continue;
    const currentPath = paths.found.get(dir.id);
    if (currentPath !== undefined) return rebase(basePath, folderPath, currentPath);
    if (applyFolderMoves(folderPath, paths) === folderPath) return null;
  }
  return basePath;
}
