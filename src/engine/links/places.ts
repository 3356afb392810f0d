import type { DirId, DocId } from "../../contract/ids.ts";
import { mapName, type NameKind } from "../../contract/names.ts";
import { NameIndex, namesBy } from "../../links/names.ts";
import type { Place } from "../../links/place.ts";
import { type Names, nameOfSaid } from "../../links/wiki.ts";
import { isAway } from "../../model/link.ts";
import { once } from "../../model/once.ts";
import { BorrowedMap } from "../../model/borrowed-map.ts";
import type { LocalPath, RemotePath } from "../../model/path.ts";
import type { Lead } from "../../model/spelling.ts";
import type { BaseTree, LocalFile, LocalTree, RemoteTree } from "../../model/tree.ts";
import { fileInodeKey, folderInodeKey } from "../../planner/match/inode.ts";

type Id = DocId | DirId;

/** How a mirror's links are read. */
export type LinkScope = {
  /** The mirrored subtree of the workspace, which absolute links begin with. */
  readonly prefix: RemotePath;
  /** Whether wiki links count. */
  readonly wiki: boolean;
};

/** Which document or folder is where, for the links that lead there. */
export class LinkPlaces {
  readonly #byId = new Map<string, LocalPath>();
  readonly #byPath = new Map<LocalPath, Id>();
  readonly #byRemotePath: () => ReadonlyMap<RemotePath, Id>;
  readonly #scope: LinkScope;
  readonly #unlinked = new Set<LocalPath>();
  /** Paths that two have had, with the one that gave way. */
  readonly #shared = new Map<LocalPath, Id>();
  /** Null until a wiki link is read. */
  #named: NameIndex | null = null;
  readonly #names: Names | undefined;

  constructor(base: BaseTree, scope: LinkScope) {
    for (const dir of base.dirs.values()) this.set(dir.id, dir.localPath);
    for (const link of base.links.values()) if (!isAway(link)) this.set(link.id, link.localPath);
    this.#byRemotePath = once(() => remotePaths(base));
    this.#scope = scope;
    this.#names = scope.wiki ? this.#makeNames() : undefined;
  }

  pathOf(id: string): LocalPath | null {
    return this.#byId.get(id) ?? null;
  }

  idAt(path: LocalPath): Id | null {
    return this.#byPath.get(path) ?? null;
  }

  /** Whether two have one path, as in the middle of an exchange. */
  isShared(path: LocalPath): boolean {
    return this.#shared.has(path);
  }

  set(id: Id, path: LocalPath): void {
    const other = this.#byPath.get(path);
    if (other !== undefined && other !== id && this.#byId.get(other) === path) this.#shared.set(path, other);
    const before = this.#byId.get(id);
    if (before !== undefined && this.#byPath.get(before) === id) this.#leave(before);
    this.#byId.set(id, path);
    this.#byPath.set(path, id);
    this.#named?.add(path);
  }

  #makeNames(): Names {
    return namesBy({
      index: () => (this.#named ??= indexOf([...this.#byPath.keys(), ...this.#unlinked])),
      idAt: (path) => this.idAt(path),
      pathOf: (id) => this.pathOf(id),
      isWaiting: (path) => this.isUnlinked(path),
    });
  }

  /** Whether what a wiki link or path says leads to a document by now, where it led to none. */
  isThere({ said, at }: Pick<Lead, "said" | "at">): boolean {
    if (at !== null && this.idAt(at) !== null) return true;
    const name = at === null && this.#names !== undefined ? nameOfSaid(said) : null;
    return name !== null && this.#names!.idOf(name) !== null;
  }

  /** Whether a wiki link leads elsewhere by now, or nowhere: another has its name, too. */
  isNoMore({ said, to }: Lead): boolean {
    const name = this.#names === undefined ? null : nameOfSaid(said);
    return name !== null && this.#names!.idOf(name) !== to;
  }

  /** What gave way at a path, in the middle of an exchange, and is still there has it again. */
  #leave(path: LocalPath): void {
    const other = this.#shared.get(path);
    if (other !== undefined && this.#byId.get(other) === path) this.#byPath.set(path, other);
    else this.#byPath.delete(path);
  }

  /** A file is there that is no known document. */
  setUnlinked(path: LocalPath): void {
    this.#unlinked.add(path);
    this.#named?.add(path);
  }

  /** Whether a file is there that is no known document yet: what leads there leads to no other. */
  isUnlinked(path: LocalPath): boolean {
    return this.#unlinked.has(path) && !this.#byPath.has(path);
  }

  /** As the document at a path sees it. */
  from(path: LocalPath): Place {
    return this.unless(path, () => false);
  }

  /** The same, but that nothing is known of some paths. */
  unless(path: LocalPath, isUnknown: (at: LocalPath) => boolean): Place {
    return {
      path,
      idAt: (at) => (isUnknown(at) ? null : this.idAt(at)),
      pathOf: (id) => this.pathOf(id),
      idAtAbsolute: (at) => this.#idAtAbsolute(at),
      names: this.#names,
    };
  }

  #idAtAbsolute(at: string): Id | null {
    const path = withoutPrefix(at, this.#scope.prefix);
    return path === null ? null : (this.#byRemotePath().get(path) ?? this.idAt(path));
  }
}

function indexOf(paths: Iterable<LocalPath>): NameIndex {
  const index = new NameIndex();
  for (const path of paths) index.add(path);
  return index;
}

function withoutPrefix(path: string, prefix: RemotePath): string | null {
  if (prefix === "") return path;
  if (path === prefix) return "";
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length + 1) : null;
}

function remotePaths({ links, dirs }: BaseTree): ReadonlyMap<RemotePath, Id> {
  const byPath = new Map<RemotePath, Id>();
  for (const { id, remotePath } of dirs.values()) byPath.set(remotePath, id);
  for (const { id, remotePath } of links.values()) byPath.set(remotePath, id);
  return byPath;
}

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
  if (remote !== null) addUnlinked(places, base, remote, local);
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
  for (const { id, path } of remote.folders.values()) if (!base.dirs.has(id)) add(id, path);
  for (const { id, path } of remote.files.values()) if (!base.links.has(id)) add(id, path);
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
