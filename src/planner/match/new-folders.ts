import type { DirId } from "../../contract/ids.ts";
import { mapName } from "../../contract/names.ts";
import { hashedName, isUnsafeName, localNameFor } from "../../model/local-name.ts";
import { depthOf, joinPath, type LocalPath, nameOf, parentOf, pathKey, type RemotePath } from "../../model/path.ts";
import type { Policy } from "../../model/policy.ts";
import type { RemoteFolder, Trees } from "../../model/tree.ts";
import type { FolderRow } from "./row.ts";
import type { FolderPaths } from "./folder-paths.ts";
import { type Forest, newFolder, register } from "./forest.ts";

/**
 * Folders that no link names, those above first: what both sides have at corresponding places is
 * one row.
 */
export function plantUnlinked(forest: Forest, trees: Trees, policy: Policy, paths: FolderPaths): void {
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
  // Above before below; listed before implied, so that a folder's id is known; the service's before
  // ours, so that ours join.
  const rank = (entry: (typeof news)[number]): number => (entry.local ? 2 : entry.listed === null ? 1 : 0);
  news.sort((a, b) => a.depth - b.depth || rank(a) - rank(b) || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  const fold = localFolderIndex(trees);
  for (const entry of news) {
    if (entry.local) plantLocal(forest, entry.path, policy);
    else plantRemote(forest, entry.path, entry.listed?.id ?? null, fold, paths, trees);
  }
}

type FolderIndex = (path: LocalPath) => LocalPath | null;

function localFolderIndex(trees: Trees): FolderIndex {
  const { disk, folders } = trees.local;
  if (!disk.foldsCase && !disk.foldsUnicode) return (path) => (folders.has(path) ? path : null);
  const byKey = new Map([...folders.keys()].map((path) => [pathKey(path, disk), path]));
  return (path) => (folders.has(path) ? path : (byKey.get(pathKey(path, disk)) ?? null));
}

/**
 * The folder of its name; else one that was made with its id's digits, for its place was taken;
 * else the one that the disk takes for the same.
 */
function twinOf(parent: LocalPath, name: string, id: string, { local }: Trees, fold: FolderIndex): LocalPath | null {
  const path = joinPath(parent, localNameFor(name, "folder", id));
  if (local.folders.has(path) || local.folders.size === 0) return fold(path);
  return fold(joinPath(parent, hashedName(name, "folder", id))) ?? fold(path);
}

function plantRemote(
  forest: Forest,
  path: RemotePath,
  id: DirId | null,
  fold: FolderIndex,
  paths: FolderPaths,
  trees: Trees,
): void {
  const standing = forest.byRemote.get(path);
  if (standing !== undefined && standing.remoteSeen !== "unknown") return;
  const parent = forest.byRemote.get(parentOf(path));
  const expected =
    parent?.localPath === null || parent === undefined || isUnsafeName(nameOf(path), "folder")
      ? null
      : twinOf(parent.localPath, nameOf(path), id ?? path, trees, fold);
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

/**
 * Gone here and listed there: a folder that is made here where the service has it by now is that
 * folder, and stands in nobody's way.
 */
function isKeptThere({ localSeen, remoteSeen }: FolderRow): boolean {
  return localSeen === "absent" && remoteSeen === "listed";
}

function plantLocal(forest: Forest, path: LocalPath, policy: Policy): void {
  if (forest.byLocal.has(path)) return;
  const parent = forest.byLocal.get(parentOf(path));
  const mapped = policy.names === "map" ? mapName(nameOf(path), "folder", policy.refusedCharacters) : null;
  const twin =
    mapped === null || parent === undefined || parent.remotePath === null
      ? undefined
      : forest.byRemote.get(joinPath(parent.remotePath, mapped));
  if (twin !== undefined && twin.localPath === null && (twin.link === null || isKeptThere(twin))) {
    Object.assign(twin, { localPath: path, localSeen: "present" });
    register(forest, twin);
  } else register(forest, newFolder(forest.nextKey(), { localPath: path, localSeen: "present" }));
}
