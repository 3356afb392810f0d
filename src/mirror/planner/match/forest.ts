import type { FolderRecord } from "../../model/record.ts";
import { joinPath, type LocalPath, nameOf, parentOf, type RemotePath } from "../../../contract/path.ts";
import type { Trees } from "../../model/tree.ts";
import { type FolderRow, pathOn, type Place, type Side, SIDES } from "./row.ts";
import { type FolderPaths, relocate } from "./folder-paths.ts";
import { isUnseen } from "./unseen.ts";

/** All folders of the three trees. A folder that is in several trees has one row. */
export type Forest = {
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
 * @param mayBeHidden true if a folder that was not found may be at a path that the scan could not
 * read
 */
export function makeForest(trees: Trees, paths: FolderPaths, mayBeHidden: boolean): Forest {
  let key = 0;
  const root = newFolder(key++, { localPath: "", remotePath: "", localSeen: "present", remoteSeen: "listed" });
  const forest: Forest = {
    root,
    folders: new Set(),
    byLocal: new Map([["", root]]),
    byRemote: new Map([["", root]]),
    byBaseLocal: new Map([["", root]]),
    byBaseRemote: new Map([["", root]]),
    nextKey: () => key++,
  };
  const listed = new Set(Array.from(trees.remote.folders.values(), ({ path }) => path));
  for (const dir of paths.sorted) {
    const localSide = findLocal(dir, trees, paths, mayBeHidden);
    addRecordedFolder(forest, dir, paths, { ...localSide, ...findRemote(forest, dir, trees, listed) });
  }
  return forest;
}

export function newFolder(key: number, facts: Partial<FolderRow>): FolderRow {
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

function addRecordedFolder(forest: Forest, dir: FolderRecord, paths: FolderPaths, seen: Partial<FolderRow>): void {
  const folder = newFolder(forest.nextKey(), {
    record: dir,
    dirId: dir.id,
    isPathTaken: paths.pathTaken.has(dir.id),
    ...seen,
  });
  register(forest, folder);
  addAtBasePath(forest.byBaseLocal, dir.localPath, folder);
  addAtBasePath(forest.byBaseRemote, dir.remotePath, folder);
}

function findLocal(
  dir: FolderRecord,
  trees: Trees,
  paths: FolderPaths,
  mayHide: boolean,
): Partial<Pick<FolderRow, "localPath" | "localSeen">> {
  const found = paths.found.get(dir.id);
  if (found !== undefined) return { localPath: found, localSeen: "present" };
  const isHidden = isUnseen(dir.localPath, trees) || mayHide;
  if (!isHidden && !trees.local.ignores(dir.localPath, "folder")) return {};
  return { localPath: relocate(dir.localPath, paths), localSeen: "unknown" };
}

function findRemote(
  forest: Forest,
  dir: FolderRecord,
  { remote }: Trees,
  listedPaths: ReadonlySet<RemotePath>,
): Partial<Pick<FolderRow, "remotePath" | "remoteSeen">> {
  const listed = remote.folders.get(dir.id);
  if (listed !== undefined) return { remotePath: listed.path, remoteSeen: "listed" };
  if (remote.complete && remote.foldersComplete && remote.goneFolders.has(dir.id)) return { remoteSeen: "gone" };
  // The service did not list the folder in this cycle, so it counts as not moved within its parent.
  // If another folder is listed at that path, its place is unknown.
  const parent = knownRemoteFolder(forest, parentOf(dir.remotePath), parentOf(dir.localPath));
  const above = parent?.remotePath ?? parentOf(dir.remotePath);
  const remotePath = joinPath(above, nameOf(dir.remotePath));
  return { remotePath: listedPaths.has(remotePath) ? null : remotePath, remoteSeen: "unknown" };
}

/**
 * Indexes a folder by its recorded path on one side. Two folders may have one recorded path,
 * because one was removed locally and the service cannot delete it. The folder that is present
 * locally is then indexed.
 */
function addAtBasePath(byBasePath: Map<string, FolderRow>, path: string, folder: FolderRow): void {
  if (folder.localSeen === "present" || byBasePath.get(path)?.localSeen !== "present") byBasePath.set(path, folder);
}

export function register(forest: Forest, folder: FolderRow): void {
  forest.folders.add(folder);
  if (folder.localPath !== null && !forest.byLocal.has(folder.localPath)) forest.byLocal.set(folder.localPath, folder);
  if (folder.remotePath === null) return;
  const other = forest.byRemote.get(folder.remotePath);
  // A listed folder takes precedence over a folder that was not listed in this cycle.
  if (other === undefined || (other.remoteSeen === "unknown" && folder.remoteSeen === "listed"))
    forest.byRemote.set(folder.remotePath, folder);
}

/** Sets the current places of all folders. Called when the forest is complete. */
export function placeFolders(forest: Forest): void {
  for (const folder of forest.folders)
    for (const side of SIDES) {
      const path = pathOn(folder, side);
      if (path !== null) folder[side].now = placeAt(forest, side, path);
    }
}

/**
 * Returns the folder at a current path. Adds the folder if no tree shows it: documents may have
 * paths in a folder that the key cannot read.
 */
export function folderAt(forest: Forest, side: Side, path: string): FolderRow {
  const index = side === "local" ? forest.byLocal : forest.byRemote;
  const known = index.get(path);
  if (known !== undefined) return known;
  const folder = newFolder(
    forest.nextKey(),
    side === "local" ? { localPath: path, localSeen: "present" } : { remotePath: path, remoteSeen: "implied" },
  );
  index.set(path, folder);
  forest.folders.add(folder);
  folder[side].now = placeAt(forest, side, path);
  return folder;
}

/** Returns the place (parent folder and name) that belongs to a current path. */
export function placeAt(forest: Forest, side: Side, path: string): Place {
  return { parent: folderAt(forest, side, parentOf(path)), name: nameOf(path) };
}

/** Returns the folder that contained a document or folder on one side when base was recorded. */
export function baseFolderOf(
  forest: Forest,
  side: Side,
  record: Pick<FolderRecord, "localPath" | "remotePath">,
): FolderRow {
  const [localPath, remotePath] = [parentOf(record.localPath), parentOf(record.remotePath)];
  return side === "local"
    ? localBaseFolder(forest, localPath, remotePath)
    : remoteBaseFolder(forest, remotePath, localPath);
}

/**
 * Returns the folder that had a local path when base was recorded. Takes the first of these that
 * exists:
 * - the folder with this recorded path
 * - the folder that is at this path now: base may list documents in it before it records the folder
 * - a folder without a record at the corresponding path on the service
 * - a new folder row without a place
 * @param remotePath recorded path of the same folder on the service
 */
function localBaseFolder(forest: Forest, localPath: LocalPath, remotePath: RemotePath): FolderRow {
  const recorded = forest.byBaseLocal.get(localPath);
  if (recorded !== undefined) return recorded;
  const local = forest.byLocal.get(localPath);
  const found = local === forest.root ? undefined : local;
  return (
    found ?? ifUnrecorded(forest, forest.byRemote.get(remotePath)) ?? addMissingFolder(forest, localPath, remotePath)
  );
}

/**
 * Returns the folder that had a path on the service when base was recorded. If no folder has this
 * recorded path, a folder that is now at the path counts, recorded or not: base may have recorded
 * the documents of a moved folder before the folder itself.
 */
function remoteBaseFolder(forest: Forest, remotePath: RemotePath, localPath: LocalPath): FolderRow {
  const known = knownRemoteFolder(forest, remotePath, localPath);
  if (known !== undefined && (known.record !== null || known === forest.root)) return known;
  const folder = forest.byRemote.get(remotePath) ?? known ?? ifUnrecorded(forest, forest.byLocal.get(localPath));
  return folder ?? addMissingFolder(forest, localPath, remotePath);
}

/**
 * Returns the folder with a recorded path on the service. Two records may have this path, because
 * base stops tracking a folder that was removed locally and stays on the service. Then the record
 * that also has the local path is preferred.
 */
function knownRemoteFolder(
  { byBaseLocal, byBaseRemote }: Forest,
  remotePath: RemotePath,
  localPath: LocalPath,
): FolderRow | undefined {
  const sameFolder = byBaseLocal.get(localPath);
  return sameFolder?.record?.remotePath === remotePath ? sameFolder : byBaseRemote.get(remotePath);
}

/** Returns the folder if base has no record of it and it is not the root; otherwise null. */
function ifUnrecorded(forest: Forest, folder: FolderRow | undefined): FolderRow | null {
  return folder === undefined || folder.record !== null || folder === forest.root ? null : folder;
}

function addMissingFolder(forest: Forest, localPath: LocalPath, remotePath: RemotePath): FolderRow {
  const missingFolder = newFolder(forest.nextKey(), {});
  if (!forest.byBaseLocal.has(localPath)) forest.byBaseLocal.set(localPath, missingFolder);
  if (!forest.byBaseRemote.has(remotePath)) forest.byBaseRemote.set(remotePath, missingFolder);
  forest.folders.add(missingFolder);
  return missingFolder;
}

/**
 * Returns true if `folder` is `above`, or is somewhere inside it.
 * @param place returns the parent of a folder; null for the root
 */
export function isInside(folder: FolderRow, above: FolderRow, place: (folder: FolderRow) => FolderRow | null): boolean {
  const seen = new Set<FolderRow>();
  for (let ancestor: FolderRow | null = folder; ancestor !== null && !seen.has(ancestor); ancestor = place(ancestor)) {
    if (ancestor === above) return true;
    seen.add(ancestor);
  }
  return false;
}
