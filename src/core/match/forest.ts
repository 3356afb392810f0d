import type { DirId } from "../../contract/ids.ts";
import { mapName } from "../../contract/names.ts";
import type { DirLink } from "../link.ts";
import { isUnsafeName, localNameFor } from "../local-name.ts";
import { depthOf, joinPath, type LocalPath, nameOf, parentOf, pathKey, type RemotePath } from "../path.ts";
import type { Policy } from "../policy.ts";
import type { RemoteFolder, Trees } from "../tree.ts";
import type { FolderBody } from "./body.ts";
import { type FolderPaths, relocate } from "./folder-paths.ts";

/** All folders of the three trees, each one body however many trees hold it. */
export type Forest = {
  readonly root: FolderBody;
  readonly folders: Set<FolderBody>;
  readonly byLocal: Map<LocalPath, FolderBody>;
  readonly byRemote: Map<RemotePath, FolderBody>;
  readonly byBaseLocal: Map<LocalPath, FolderBody>;
  readonly byBaseRemote: Map<RemotePath, FolderBody>;
  readonly nextKey: () => number;
};

export function growForest(trees: Trees, policy: Policy, paths: FolderPaths): Forest {
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
  for (const dir of paths.sorted) plantLinked(forest, dir, trees, paths);
  plantUnlinked(forest, trees, policy, paths);
  for (const folder of forest.folders) placeFolder(forest, folder);
  return forest;
}

function newFolder(key: number, facts: Partial<FolderBody>): FolderBody {
  return {
    kind: "folder",
    key,
    link: null,
    dirId: null,
    localPath: null,
    remotePath: null,
    localSeen: "absent",
    remoteSeen: "absent",
    replaced: null,
    local: { now: null, goal: null },
    remote: { now: null, goal: null },
    ...facts,
  };
}

function plantLinked(forest: Forest, dir: DirLink, trees: Trees, paths: FolderPaths): void {
  const found = paths.found.get(dir.id) ?? null;
  const listed = trees.remote.folders.get(dir.id);
  const gone = trees.remote.complete && trees.remote.foldersComplete && trees.remote.goneFolders.has(dir.id);
  const folder = newFolder(forest.nextKey(), { link: dir, dirId: dir.id });
  if (found !== null) {
    folder.localPath = found;
    folder.localSeen = "present";
  } else if (isUnseen(dir.localPath, trees) || trees.local.ignores(dir.localPath, "folder")) {
    folder.localPath = relocate(dir.localPath, paths);
    folder.localSeen = "unknown";
  }
  if (listed !== undefined) {
    folder.remotePath = listed.path;
    folder.remoteSeen = "listed";
  } else if (gone) folder.remoteSeen = "gone";
  else {
    // Not listed in this pass: it is where it was, below whatever its parent has become.
    const parent = forest.byBaseRemote.get(parentOf(dir.remotePath));
    folder.remotePath = joinPath(parent?.remotePath ?? parentOf(dir.remotePath), nameOf(dir.remotePath));
    folder.remoteSeen = "unknown";
  }
  register(forest, folder);
  forest.byBaseLocal.set(dir.localPath, folder);
  if (!forest.byBaseRemote.has(dir.remotePath)) forest.byBaseRemote.set(dir.remotePath, folder);
}

function register(forest: Forest, folder: FolderBody): void {
  forest.folders.add(folder);
  if (folder.localPath !== null && !forest.byLocal.has(folder.localPath)) forest.byLocal.set(folder.localPath, folder);
  if (folder.remotePath === null) return;
  const other = forest.byRemote.get(folder.remotePath);
  // A listed folder beats one that is only assumed to be where it was.
  if (other === undefined || (other.remoteSeen === "unknown" && folder.remoteSeen === "listed"))
    forest.byRemote.set(folder.remotePath, folder);
}

/** Whether a linked path is at or below what the walk could not see. */
export function isUnseen(path: LocalPath, trees: Trees): boolean {
  if (trees.local.unseen.size === 0) return false;
  return trees.local.unseen.has("") || whyUnseen(path, trees) !== null;
}

export function whyUnseen(path: LocalPath, trees: Trees): string | null {
  const { unseen } = trees.local;
  if (unseen.size === 0) return null;
  for (let at = path; at !== ""; at = parentOf(at)) {
    const why = unseen.get(at);
    if (why !== undefined) return why;
  }
  return unseen.get("") ?? null;
}

/** Folders that no link names, those above first: what both sides have at corresponding places is one body. */
function plantUnlinked(forest: Forest, trees: Trees, policy: Policy, paths: FolderPaths): void {
  const news: { depth: number; path: string; local: boolean; listed: RemoteFolder | null }[] = [];
  const implied = new Set<RemotePath>();
  const imply = (path: RemotePath): void => {
    for (let at = parentOf(path); at !== "" && !implied.has(at); at = parentOf(at)) {
      implied.add(at);
      if (!forest.byRemote.has(at)) news.push({ depth: depthOf(at), path: at, local: false, listed: null });
    }
  };
  for (const folder of trees.remote.folders.values()) {
    if (!trees.base.dirs.has(folder.id))
      news.push({ depth: depthOf(folder.path), path: folder.path, local: false, listed: folder });
    imply(folder.path);
  }
  // Listings come folder by folder, so that most documents share the folder of the one before.
  let before = "";
  for (const { path } of trees.remote.files.values()) {
    const slash = path.lastIndexOf("/");
    if (slash <= 0 || (slash === before.length && path.startsWith(before))) continue;
    before = path.slice(0, slash);
    if (!forest.byRemote.has(before) && !implied.has(before)) imply(path);
  }
  for (const path of trees.local.folders.keys())
    if (!paths.claimed.has(path)) news.push({ depth: depthOf(path), path, local: true, listed: null });
  // Above before below; listed before implied, so that a folder's id is known; the service's before ours, so that ours join.
  const rank = (entry: (typeof news)[number]): number => (entry.local ? 2 : entry.listed === null ? 1 : 0);
  news.sort((a, b) => a.depth - b.depth || rank(a) - rank(b) || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  const fold = localFolderIndex(trees);
  for (const entry of news) {
    if (entry.local) plantLocal(forest, entry.path, policy);
    else plantRemote(forest, entry.path, entry.listed?.id ?? null, fold, paths);
  }
}

type FolderIndex = (path: LocalPath) => LocalPath | null;

function localFolderIndex(trees: Trees): FolderIndex {
  const { disk, folders } = trees.local;
  if (!disk.foldsCase && !disk.foldsUnicode) return (path) => (folders.has(path) ? path : null);
  const byKey = new Map([...folders.keys()].map((path) => [pathKey(path, disk), path]));
  return (path) => (folders.has(path) ? path : (byKey.get(pathKey(path, disk)) ?? null));
}

function plantRemote(forest: Forest, path: RemotePath, id: DirId | null, fold: FolderIndex, paths: FolderPaths): void {
  const standing = forest.byRemote.get(path);
  if (standing !== undefined && standing.remoteSeen !== "unknown") return;
  const parent = forest.byRemote.get(parentOf(path));
  const name = localNameFor(nameOf(path), "folder", id ?? path);
  const expected =
    parent?.localPath === null || parent === undefined || isUnsafeName(nameOf(path), "folder")
      ? null
      : fold(joinPath(parent.localPath, name));
  if (expected !== null) {
    const linked = forest.byLocal.get(expected);
    if (linked?.remoteSeen === "gone" && linked.link !== null) {
      // Deleted and made anew by someone: the same folder to everybody but its id.
      Object.assign(linked, {
        replaced: linked.link.id,
        dirId: id,
        remotePath: path,
        remoteSeen: id === null ? "implied" : "listed",
      });
      register(forest, linked);
      return;
    }
  }
  const joins = expected !== null && !paths.claimed.has(expected) && !forest.byLocal.has(expected);
  const folder = newFolder(forest.nextKey(), {
    dirId: id,
    remotePath: path,
    remoteSeen: id === null ? "implied" : "listed",
  });
  if (joins) Object.assign(folder, { localPath: expected, localSeen: "present" });
  register(forest, folder);
}

function plantLocal(forest: Forest, path: LocalPath, policy: Policy): void {
  if (forest.byLocal.has(path)) return;
  const parent = forest.byLocal.get(parentOf(path));
  const mapped = policy.names === "map" ? mapName(nameOf(path), "folder", policy.refusedCharacters) : null;
  const twin =
    mapped === null || parent === undefined || parent.remotePath === null
      ? undefined
      : forest.byRemote.get(joinPath(parent.remotePath, mapped));
  if (twin !== undefined && twin.localPath === null && twin.link === null) {
    Object.assign(twin, { localPath: path, localSeen: "present" });
    register(forest, twin);
  } else register(forest, newFolder(forest.nextKey(), { localPath: path, localSeen: "present" }));
}

function placeFolder(forest: Forest, folder: FolderBody): void {
  if (folder.localPath !== null)
    folder.local.now = {
      parent: folderAt(forest, "local", parentOf(folder.localPath)),
      name: nameOf(folder.localPath),
    };
  if (folder.remotePath !== null)
    folder.remote.now = {
      parent: folderAt(forest, "remote", parentOf(folder.remotePath)),
      name: nameOf(folder.remotePath),
    };
}

/** The folder at a current path; one that no tree shows (nonsense input, a parent the key cannot read) is made as implied. */
export function folderAt(forest: Forest, side: "local" | "remote", path: string): FolderBody {
  const index = side === "local" ? forest.byLocal : forest.byRemote;
  const known = index.get(path);
  if (known !== undefined) return known;
  const folder = newFolder(
    forest.nextKey(),
    side === "local" ? { localPath: path, localSeen: "present" } : { remotePath: path, remoteSeen: "implied" },
  );
  index.set(path, folder);
  forest.folders.add(folder);
  folder[side].now = { parent: folderAt(forest, side, parentOf(path)), name: nameOf(path) };
  return folder;
}

/** The folder that stood at a base path: the linked one; else an unlinked one that is still there; else one that is nowhere. */
export function baseFolderAt(forest: Forest, localPath: LocalPath, remotePath: RemotePath): FolderBody {
  const linked = forest.byBaseLocal.get(localPath);
  if (linked !== undefined) return linked;
  for (const found of [forest.byLocal.get(localPath), forest.byRemote.get(remotePath)])
    if (found !== undefined && found.link === null) return found;
  const ghost = newFolder(forest.nextKey(), {});
  forest.byBaseLocal.set(localPath, ghost);
  forest.folders.add(ghost);
  return ghost;
}

export function baseRemoteFolderAt(forest: Forest, remotePath: RemotePath, localPath: LocalPath): FolderBody {
  const linked = forest.byBaseRemote.get(remotePath);
  if (linked !== undefined) return linked;
  const found = forest.byRemote.get(remotePath);
  if (found !== undefined && found.link === null) return found;
  return baseFolderAt(forest, localPath, remotePath);
}

/** Whether `folder` is `above` or lies somewhere below it on a side, as things stand or as they are wanted. */
export function isInside(folder: FolderBody, above: FolderBody, place: (at: FolderBody) => FolderBody | null): boolean {
  const seen = new Set<FolderBody>();
  for (let at: FolderBody | null = folder; at !== null && !seen.has(at); at = place(at)) {
    if (at === above) return true;
    seen.add(at);
  }
  return false;
}
