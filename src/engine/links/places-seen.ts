import type { DocId } from "../../contract/ids.ts";
import { mapName, type NameKind } from "../../contract/names.ts";
import { BorrowedMap } from "../../model/borrowed-map.ts";
import { once } from "../../model/once.ts";
import type { LocalPath, RemotePath } from "../../model/path.ts";
import type { BaseTree, LocalFile, LocalTree, RemoteTree } from "../../model/tree.ts";
import { fileInodeKey, folderInodeKey } from "../../planner/match/inode.ts";
import { type Id, LinkPlaces, type LinkScope } from "./places.ts";

/**
 * The places as a walk found them: what was moved here is where its inode is. It decides nothing
 * about documents, only where their links lead; the planner matches.
 * @param remote adds what the service has and base does not know yet; null: not known
 */
export function placesSeen(base: BaseTree, local: LocalTree, remote: RemoteTree | null, scope: LinkScope): LinkPlaces {
  const places = new LinkPlaces(base, scope);
  if (local.inodesTrusted) {
    moveFolders(places, base, local);
    moveFiles(places, base, local);
  }
  if (remote !== null) {
    places.listed(remote);
    addUnlinked(places, base, remote, local);
  }
  for (const { path } of readFiles(local.files)) if (places.idAt(path) === null) places.setUnlinked(path);
  return places;
}

function moveFolders(places: LinkPlaces, base: BaseTree, { folders }: LocalTree): void {
  const lost = [...base.dirs.values()].filter((dir) => {
    const here = folders.get(dir.localPath);
    return here === undefined || folderInodeKey(here) !== folderInodeKey(dir);
  });
  if (lost.length === 0) return;
  const byInode = new Map([...folders.values()].map((folder) => [folderInodeKey(folder), folder.path]));
  for (const dir of lost) {
    const key = folderInodeKey(dir);
    const path = key === null ? undefined : byInode.get(key);
    if (path !== undefined) places.set(dir.id, path);
  }
}

function moveFiles(places: LinkPlaces, base: BaseTree, { files }: LocalTree): void {
  const byInode = once(() => {
    const found = new Map<string, DocId>();
    for (const { id, stamp } of base.links.values()) {
      const key = fileInodeKey(stamp);
      if (key !== null) found.set(key, id);
    }
    return found;
  });
  for (const { path, stamp } of readFiles(files)) {
    const key = fileInodeKey(stamp);
    const id = key === null ? undefined : byInode().get(key);
    if (id !== undefined && places.idAt(path) !== id) places.set(id, path);
  }
}

/** All but those that are as base has them, and where. */
function readFiles(files: LocalTree["files"]): Iterable<LocalFile> {
  return (files instanceof BorrowedMap ? files.own : files).values() as Iterable<LocalFile>;
}

function addUnlinked(places: LinkPlaces, base: BaseTree, remote: RemoteTree, local: LocalTree): void {
  const named = once(() => pathsHere(local));
  const add = (id: Id, path: RemotePath): void => {
    const here = named().get(path) ?? path;
    if (places.idAt(here) === null) places.set(id, here);
  };
  const isHere = (path: LocalPath, id: DocId): boolean =>
    local.files.has(path) && !local.files.has(places.pathOf(id) ?? path);
  for (const { id, path } of remote.folders.values()) if (!base.dirs.has(id)) add(id, path);
  for (const { id, path } of remote.files.values()) {
    const link = base.links.get(id);
    // Moved there, and here as well, though base does not know: a power cut took what it knew.
    const isMoved = link !== undefined && link.remotePath !== path && isHere(named().get(path) ?? path, id);
    if (link === undefined || isMoved) add(id, path);
  }
}

/**
 * Where files and folders stand whose names the service refuses, by the paths that they have there:
 * adopted anew, they are those documents.
 */
function pathsHere({ files, folders }: LocalTree): Map<RemotePath, LocalPath> {
  const found = new Map<RemotePath, LocalPath>();
  const note = (path: LocalPath, kind: NameKind): void => {
    const there = pathThere(path, kind);
    if (there !== path) found.set(there, path);
  };
  for (const path of folders.keys()) note(path, "folder");
  for (const path of files.keys()) note(path, "file");
  return found;
}

function pathThere(path: LocalPath, kind: NameKind): RemotePath {
  const names = path.split("/");
  const last = names.length - 1;
  return names.map((name, depth) => mapName(name, depth === last ? kind : "folder") ?? name).join("/");
}
