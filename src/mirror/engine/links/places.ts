import { type DirId, type DocId, isDocId } from "../../../contract/ids.ts";
import {
  createDocumentNames,
  type DocumentNames,
  NameIndex,
  readNameOfDestination,
} from "../../../markdown/links/wiki.ts";
import { type Place, resolveDestination } from "../../../markdown/links/place.ts";
import { once } from "../../../common/once.ts";
import { isAway } from "../../model/record.ts";
import { type LocalPath, type RemotePath, depthOf, isWithin, rebase } from "../../../contract/path.ts";
import type { LinkTarget } from "../../../contract/spelling.ts";
import type { BaseTree, RemoteTree } from "../../model/tree.ts";
import type { Plan } from "../../planner/plan-types.ts";
import type { LocalPlaces } from "../../planner/local-places.ts";
import { BLOCK_REASONS, type BlockReason } from "../../model/block.ts";

type TargetId = DocId | DirId;

export type LinkScope = {
  /** Path of the linked part of the workspace. Absolute links begin with this path. */
  readonly prefix: RemotePath;
  readonly wiki: boolean;
};

/** Paths of documents and folders: the current paths, and the paths in base. */
export type PlacesByTime = { readonly now: LinkPlaces; readonly before: LinkPlaces };

/** Index of the paths of documents and folders, which finds the targets of links. */
export class LinkPlaces {
  readonly #byId = new Map<string, LocalPath>();
  readonly #byPath = new Map<LocalPath, TargetId>();
  readonly #byRemotePath: () => ReadonlyMap<RemotePath, TargetId>;
  readonly #scope: LinkScope;
  readonly #unknownFiles = new Set<LocalPath>();
  /**
   * Paths that two documents share while they swap paths. `#byPath` has one of them; the value in
   * this map is the second document.
   */
  readonly #shared = new Map<LocalPath, TargetId>();
  /** Index of documents by name; null until the first wiki link is read. */
  #named: NameIndex | null = null;
  readonly #names: DocumentNames | undefined;
  readonly #tombstones: BaseTree["tombstones"];
  readonly #records: BaseTree["records"];
  #remote: RemoteTree | null = null;
  #outside: ReadonlySet<string> = new Set();

  constructor(base: BaseTree, scope: LinkScope) {
    this.#tombstones = base.tombstones;
    this.#records = base.records;
    for (const [id, path] of listRecordedPlaces(base)) this.set(id, path);
    this.#byRemotePath = once(() => indexRemotePaths(base));
    this.#scope = scope;
    this.#names = scope.wiki ? this.#makeNames() : undefined;
  }

  pathOf(id: string): LocalPath | null {
    return this.#byId.get(id) ?? null;
  }

  idAt(path: LocalPath): TargetId | null {
    return this.#byPath.get(path) ?? null;
  }

  docAt(path: LocalPath): DocId | null {
    const id = this.idAt(path);
    return isDocId(id) ? id : null;
  }

  /** Returns true if only this document or folder is at the path. */
  isAt(id: TargetId, path: LocalPath): boolean {
    return this.pathOf(id) === path && this.idAt(path) === id;
  }

  /**
   * Moves documents and folders in the index to the paths that a match found. Documents and folders
   * without a path in the match stay.
   * @param remote the complete listing of the service; null if the listing is incomplete
   */
  take({ found, uncertain, arriving, unknownFiles }: LocalPlaces, remote: RemoteTree | null): void {
    this.#remote = remote;
    // While a move is blocked, the index has the new path from the block. A document without a path
    // in the match may be at its path in base again.
    // ORDER: the paths in base are set first, so that the paths in the match take precedence.
    for (const record of this.#records.values())
      if (
        !isAway(record) &&
        !found.has(record.id) &&
        !uncertain.has(record.id) &&
        !this.isAt(record.id, record.localPath)
      )
        this.set(record.id, record.localPath);
    for (const [id, path] of found) if (!this.isAt(id, path)) this.set(id, path);
    for (const path of unknownFiles) this.setUnknownFile(path);
    for (const [id, path] of arriving) if (this.idAt(path) === null && !this.isUnknownFile(path)) this.set(id, path);
  }

  /**
   * Returns true if a document or folder certainly no longer exists. A missing local file is no
   * proof: perhaps an interrupted first sync did not create the file.
   */
  isGone(id: TargetId | null): boolean {
    if (id === null) return false;
    const remoteTree = this.#remote;
    if (isDocId(id) ? remoteTree?.gone.has(id) : remoteTree?.goneFolders.has(id)) return true;
    if (this.#byId.has(id)) return false;
    if (isDocId(id) && this.#tombstones.has(id)) return true;
    if (remoteTree === null || !remoteTree.complete) return false;
    return isDocId(id)
      ? !remoteTree.files.has(id) &&
          !remoteTree.outside.has(id) &&
          !remoteTree.unseen.has(id) &&
          !remoteTree.unsure?.has(id)
      : remoteTree.foldersComplete && !remoteTree.folders.has(id);
  }

  /**
   * Returns true if a document is outside the linked folder, so that no link by path can lead to
   * it.
   */
  isAway(id: string): boolean {
    return !this.#byId.has(id) && (this.#records.has(id as DocId) || this.#outside.has(id));
  }

  /** Records documents outside the linked folder that have no record. */
  setOutside(ids: ReadonlySet<string>): void {
    this.#outside = ids;
  }

  /**
   * Returns true if the document at a path is gone, so that a new link to the path does not lead to
   * this document.
   */
  isGoneAt(path: LocalPath): boolean {
    return this.isGone(this.idAt(path));
  }

  /** Returns true if two documents have the path, because they are swapping paths. */
  isShared(path: LocalPath): boolean {
    return this.#shared.has(path);
  }

  set(id: TargetId, path: LocalPath): void {
    const otherId = this.#byPath.get(path);
    if (otherId !== undefined && otherId !== id && this.#byId.get(otherId) === path) this.#shared.set(path, otherId);
    const earlierPath = this.#byId.get(id);
    if (earlierPath !== undefined && this.#byPath.get(earlierPath) === id) this.#leave(earlierPath);
    this.#byId.set(id, path);
    this.#byPath.set(path, id);
    this.#named?.add(path);
  }

  expect({ steps }: Plan): void {
    for (const { action } of steps) {
      switch (action.kind) {
        case "create-local":
        case "meet":
        case "relink":
          this.set(action.id, action.localPath);
          break;
        case "move-local":
          if (!action.temporary) this.set(action.id, action.to);
          break;
        case "rename-remote":
        case "reparent-remote":
          this.set(action.id, action.lastLocalPath);
          break;
        case "make-folder-local":
        case "link-folder":
          this.set(action.dirId, action.localPath);
          break;
        default:
      }
    }
  }

  moveFolder(from: LocalPath, to: LocalPath): void {
    for (const [id, path] of [...this.#byId])
      if (isWithin(path, from)) this.set(id as TargetId, rebase(path, from, to));
  }

  #makeNames(): DocumentNames {
    return createDocumentNames({
      index: () => (this.#named ??= makeNameIndex([...this.#byPath.keys(), ...this.#unknownFiles])),
      idAt: (path) => this.idAt(path),
      pathOf: (id) => this.pathOf(id),
      isWaiting: (path) => this.isUnknownFile(path),
    });
  }

  /** Returns true if the target of a wiki link or of a path exists. */
  existsNow({ destination, at }: Pick<LinkTarget, "destination" | "at">): boolean {
    if (at !== null && this.idAt(at) !== null && !this.isGoneAt(at)) return true;
    const name = at === null && this.#names !== undefined ? readNameOfDestination(destination) : null;
    return name !== null && this.#names!.idOf(name) !== null;
  }

  /**
   * Returns true if a wiki link has another target now, or none because two documents share the
   * name.
   */
  leadsElsewhere({ destination, to }: LinkTarget): boolean {
    const name = this.#names === undefined ? null : readNameOfDestination(destination);
    return name !== null && this.#names!.idOf(name) !== to;
  }

  /**
   * Removes a document from a path. If two documents share the path in a swap, the path then
   * belongs to the second document.
   */
  #leave(path: LocalPath): void {
    const otherId = this.#shared.get(path);
    if (otherId !== undefined && this.#byId.get(otherId) === path) this.#byPath.set(path, otherId);
    else this.#byPath.delete(path);
  }

  /** Records that an unknown file has the former path of a document. */
  setUnknownFile(path: LocalPath): void {
    this.#byPath.delete(path);
    this.#unknownFiles.add(path);
    this.#named?.add(path);
  }

  /** Returns true if the file at a path belongs to no known document, so no link leads to it. */
  isUnknownFile(path: LocalPath): boolean {
    return this.#unknownFiles.has(path) && !this.#byPath.has(path);
  }

  /** Returns an object that finds link targets for the document at `path`. */
  from(path: LocalPath): Place {
    return this.unless(path, () => false);
  }

  /**
   * Returns an object that finds link targets for the document at `path`, except for links to paths
   * for which `isUnknown` returns true.
   */
  unless(path: LocalPath, isUnknown: (path: LocalPath) => boolean): Place {
    return {
      path,
      idAt: (target) => (isUnknown(target) ? null : this.idAt(target)),
      pathOf: (id) => this.pathOf(id),
      idAtAbsolute: (target) => this.#idAtAbsolute(target),
      names: this.#names,
    };
  }

  /**
   * Returns the target of an absolute link; null for a link without a target, and for other kinds
   * of links.
   */
  idAtAbsolute(target: string): string | null {
    return target.startsWith("/")
      ? resolveDestination({ kind: "path", target, inert: false, suffixAt: 0 }, this.from(""))
      : null;
  }

  #idAtAbsolute(target: string): TargetId | null {
    const { prefix } = this.#scope;
    if (!isWithin(target, prefix)) return null;
    const path = rebase(target, prefix, "");
    return this.#byRemotePath().get(path) ?? this.idAt(path);
  }
}

function makeNameIndex(paths: Iterable<LocalPath>): NameIndex {
  const index = new NameIndex();
  for (const path of paths) index.add(path);
  return index;
}

function indexRemotePaths({ records, dirs }: BaseTree): ReadonlyMap<RemotePath, TargetId> {
  const byPath = new Map<RemotePath, TargetId>();
  for (const { id, remotePath } of dirs.values()) byPath.set(remotePath, id);
  for (const { id, remotePath } of records.values()) byPath.set(remotePath, id);
  return byPath;
}

/**
 * Yields the local paths of documents and folders. The path is that in base or, after a refused
 * local move, that in the block. Leaves out items whose path another document may have:
 * - documents whose file was renamed to a name that is not synced,
 * - folders that were removed locally but stay on the service.
 */
function* listRecordedPlaces(base: BaseTree): Generator<readonly [DocId | DirId, LocalPath]> {
  const folderMoves = findMovedFolders(base);
  for (const { id, localPath } of base.dirs.values())
    if (!isRemovedLocally(base.blocks.get(id)?.reason)) yield [id, findCurrentPath(base, folderMoves, id, localPath)];
  for (const record of base.records.values())
    if (!isAway(record) && base.blocks.get(record.id)?.reason !== "renamed-out-of-mirror")
      yield [record.id, findCurrentPath(base, folderMoves, record.id, record.localPath)];
}

type PathMove = { readonly from: LocalPath; readonly to: LocalPath };

/** Returns true if a folder's block only says that the service cannot remove the folder. */
function isRemovedLocally(reason: BlockReason | undefined): boolean {
  const forbiddenIntentions = reason === undefined ? [] : (BLOCK_REASONS[reason].forbidsOnFolder ?? []);
  return forbiddenIntentions.length > 0 && forbiddenIntentions.every((intention) => intention === "remove");
}

/** Returns the folders whose local path differs from base's, the deepest first. */
function findMovedFolders({ dirs, blocks }: BaseTree): readonly PathMove[] {
  const folderMoves: PathMove[] = [];
  for (const { key, path, reason } of blocks.values()) {
    const dir = dirs.get(key as DirId);
    if (dir !== undefined && dir.localPath !== path && !isRemovedLocally(reason))
      folderMoves.push({ from: dir.localPath, to: path });
  }
  return folderMoves.sort((a, b) => depthOf(b.from) - depthOf(a.from));
}

function findCurrentPath(
  { blocks }: BaseTree,
  moved: readonly PathMove[],
  id: DocId | DirId,
  localPath: LocalPath,
): LocalPath {
  const block = blocks.size === 0 ? undefined : blocks.get(id);
  if (block !== undefined && block.path !== localPath) return block.path;
  const folderMove = moved.find(({ from }) => isWithin(localPath, from));
  return folderMove === undefined ? localPath : rebase(localPath, folderMove.from, folderMove.to);
}
