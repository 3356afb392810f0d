import type { DirId, DocId } from "../../../contract/ids.ts";
import type { FolderResource } from "../../../contract/resources.ts";
import { isBelow, parentOf } from "../../../contract/path.ts";
import type { Listing } from "../../ports/remote.ts";
import type { BaseTree, RemoteFile, RemoteFolder } from "../../model/tree.ts";
import { fromService, type World } from "../run/world.ts";

/** Finds the folders that a look at the service shows. */

export function listFolders({ remote, prefix }: World): Promise<Listing<FolderResource>> {
  return remote.listFolders(prefix === "" ? null : prefix);
}

/** Returns the folders of an earlier look, if each listed document is in one of them. */
export function believable(
  folders: ReadonlyMap<DirId, RemoteFolder> | undefined,
  seen: ReadonlyMap<DocId, RemoteFile>,
): ReadonlyMap<DirId, RemoteFolder> | null {
  return folders !== undefined && knowsParents(seen, folders) ? folders : null;
}

export function foldersOf(
  world: World,
  believed: ReadonlyMap<DirId, RemoteFolder> | null,
  listed: Listing<FolderResource>,
): Map<DirId, RemoteFolder> {
  const dirs = new Map<DirId, RemoteFolder>(believed ?? []);
  for (const item of listed.items) {
    const path = fromService(world, item.path);
    if (path !== null && path !== "") dirs.set(item.id, { id: item.id, path });
  }
  return dirs;
}

export function showsFolder({ dirs }: BaseTree, listed: ReadonlyMap<DirId, RemoteFolder>): boolean {
  for (const id of dirs.keys()) if (listed.has(id)) return true;
  return false;
}

function knowsParents(files: ReadonlyMap<DocId, RemoteFile>, folders: ReadonlyMap<DirId, RemoteFolder>): boolean {
  const paths = new Set([...folders.values()].map((folder) => folder.path));
  for (const { path } of files.values()) {
    const parent = parentOf(path);
    if (parent !== "" && !paths.has(parent)) return false;
  }
  return true;
}

/**
 * A folder that is not listed is gone, unless documents below its path are shown: then the key may
 * only be unable to read the folder.
 */
export function findGoneFolders(
  base: BaseTree,
  listed: ReadonlyMap<DirId, RemoteFolder>,
  files: ReadonlyMap<DocId, RemoteFile>,
): Set<DirId> {
  const missing = [...base.dirs.values()].filter((dir) => !listed.has(dir.id));
  if (missing.length === 0) return new Set();
  // The folder was deleted and created again: what is below its path is in the new one.
  const paths = new Set([...listed.values()].map((folder) => folder.path));
  const gone = missing.filter((dir) => paths.has(dir.remotePath) || !holdsDocument(dir.remotePath, files));
  return new Set(gone.map((dir) => dir.id));
}

function holdsDocument(folder: string, files: ReadonlyMap<DocId, RemoteFile>): boolean {
  for (const file of files.values()) if (isBelow(file.path, folder)) return true;
  return false;
}
