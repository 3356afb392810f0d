import type { DirId, DocId } from "../../../contract/ids.ts";
import { remoteIsAsBase } from "../../model/agreement.ts";
import { BLOCK_REASONS } from "../../model/block.ts";
import type { DirLink, Link } from "../../model/link.ts";
import { ancestorsOf, isConflictCopyName, type LocalPath, nameOf } from "../../../contract/path.ts";
import {
  type BaseTree,
  isComplete,
  type LocalFile,
  type LocalFolder,
  type LocalOther,
  type LocalTree,
  type RemoteFile,
  type RemoteFolder,
  type RemoteTree,
  type Trees,
} from "../../model/tree.ts";
import { localFileOf, remoteFileOf } from "../../model/left-out.ts";
import type { State } from "../../ports/state.ts";
import type { Planned } from "../run/pass-context.ts";

/**
 * Checks if both sides are in sync: the service last showed base's state, and only blocks are left.
 * If so, the part of the trees that a few paths need can be made from base.
 * @param local the last scan; its entries are not needed
 * @param remote the service's tree after the cycle
 * @returns ids and local paths that cannot be judged by their content alone; null if something is
 * left to do, was not seen, or is not in base
 */
export function heldInSync(
  { plan }: Planned,
  base: BaseTree,
  local: LocalTree,
  remote: RemoteTree,
): ReadonlySet<string> | null {
  if (plan.verdict.kind !== "run") return null;
  if (local.unseen.size > 0 || !local.inodesTrusted) return null;
  if (!isComplete(remote) || remote.outside.size > 0) return null;
  return listsBase(base, remote) ? heldForLong(base) : null;
}

/**
 * The last scan without its entries, and the ids and paths that cannot be judged by their content
 * alone.
 */
type InSync = { readonly local: LocalTree; readonly held: ReadonlySet<string> };

/**
 * Returns ids and local paths of conflicts and blocks, and ids of documents that were local before;
 * null if time alone may end one of the blocks.
 */
function heldForLong(base: BaseTree): ReadonlySet<string> | null {
  const held = new Set<string>([...base.conflicts.keys(), ...base.tombstones.keys()]);
  for (const { key, path, reason } of base.blocks.values()) {
    if (BLOCK_REASONS[reason].passes === true) return null;
    held.add(key).add(path);
  }
  return held;
}

/** Returns whether the service shows exactly the linked documents and folders of base. */
function listsBase({ links, dirs }: BaseTree, { files, folders }: RemoteTree): boolean {
  if (files.size !== links.size || folders.size !== dirs.size) return false;
  for (const link of links.values()) {
    const file = files.get(link.id);
    if (file === undefined || !remoteIsAsBase(link, file)) return false;
  }
  return dirs.values().every((dir) => folders.get(dir.id)?.path === dir.remotePath);
}

/** Returns whether two listings show the same documents. */
export function haveSameDocuments(a: ReadonlyMap<DocId, RemoteFile>, b: ReadonlyMap<DocId, RemoteFile>): boolean {
  if (a.size !== b.size) return false;
  for (const [id, file] of a) {
    const other = b.get(id);
    if (other === undefined) return false;
    if (other.changeId !== file.changeId || other.path !== file.path || other.protected !== file.protected)
      return false;
  }
  return true;
}

/**
 * Makes the three trees from base, with only the documents at these paths and the folders above
 * them.
 * @param shown documents that the service has just shown with another version than base, or that
 * base does not have
 * @returns null if one of them cannot be judged by its content alone
 */
export function partialTrees(
  state: State,
  inSync: InSync,
  paths: readonly LocalPath[],
  shown: readonly RemoteFile[] = [],
): Trees | null {
  const part = new PartOfBase(state, inSync);
  return paths.every((path) => part.add(path)) && shown.every((file) => part.show(file)) ? part.trees() : null;
}

class PartOfBase {
  readonly #state: State;
  readonly #inSync: InSync;
  readonly #links = new Map<DocId, Link>();
  readonly #dirs = new Map<DirId, DirLink>();
  readonly #files = new Map<LocalPath, LocalFile>();
  readonly #folders = new Map<LocalPath, LocalFolder>();
  readonly #others = new Map<LocalPath, LocalOther>();
  readonly #shown: RemoteFile[] = [];

  constructor(state: State, inSync: InSync) {
    this.#state = state;
    this.#inSync = inSync;
  }

  /** @returns false if the path cannot be judged by its content alone */
  add(path: LocalPath): boolean {
    if (this.#inSync.held.has(path)) return false;
    const [link, ...more] = this.#state.linksAt(path);
    if (link === undefined) return this.#addUnlinked(path);
    return more.length === 0 && this.#addDocument(link) && ancestorsOf(path).every((folder) => this.#addFolder(folder));
  }

  /**
   * @returns false if more than a document's version changed, or a new document is in an unknown
   * folder
   */
  show(file: RemoteFile): boolean {
    this.#shown.push(file);
    const link = this.#links.get(file.id);
    if (link !== undefined) return link.remotePath === file.path && !file.protected;
    const { held, local } = this.#inSync;
    if (held.has(file.id) || this.#state.link(file.id) !== null || local.ignores(file.path, "file")) return false;
    // On a disk that takes two spellings for one name, another document may be at this document's
    // place.
    if (local.disk.foldsCase || local.disk.foldsUnicode) return false;
    return ancestorsOf(file.path).every((folder) => this.#addFolder(folder));
  }

  trees(): Trees {
    const [links, dirs, files, folders, others] = [this.#links, this.#dirs, this.#files, this.#folders, this.#others];
    return {
      base: { links, dirs, tombstones: new Map(), conflicts: new Map(), blocks: new Map() },
      local: { ...this.#inSync.local, partial: true, files, folders, others },
      remote: this.#remoteTree(),
    };
  }

  #remoteTree(): RemoteTree {
    const files = new Map<DocId, RemoteFile>();
    for (const link of this.#links.values()) files.set(link.id, remoteFileOf(link));
    for (const file of this.#shown) files.set(file.id, file);
    const folders = new Map<DirId, RemoteFolder>();
    for (const { id, remotePath } of this.#dirs.values()) folders.set(id, { id, path: remotePath });
    const nothing = { gone: new Set<DocId>(), goneFolders: new Set<DirId>(), outside: new Set<DocId>() };
    return { files, folders, complete: true, foldersComplete: true, unseen: new Map(), ...nothing };
  }

  /** A path without a record may be a new file, or nothing: the scan shows it. */
  #addUnlinked(path: LocalPath): boolean {
    if (path === "" || isConflictCopyName(nameOf(path)) || this.#state.dirAt(path) !== null) return false;
    if (this.#inSync.local.ignores(path, "folder"))
      this.#others.set(path, { path, kind: "ignored-folder", stamp: null });
    return true;
  }

  #addDocument(link: Link): boolean {
    const file = isPlain(link) && !this.#inSync.held.has(link.id) ? localFileOf(link) : null;
    if (file === null) return false;
    this.#links.set(link.id, link);
    this.#files.set(file.path, file);
    return true;
  }

  #addFolder(path: LocalPath): boolean {
    if (this.#folders.has(path)) return true;
    const dir = this.#state.dirAt(path);
    if (dir === null) return false;
    this.#dirs.set(dir.id, dir);
    this.#folders.set(path, { path, dev: dir.dev, ino: dir.ino, birthMs: dir.birthMs });
    return true;
  }
}

/** Returns whether a changed text is uploaded without waiting for a review or a grant. */
function isPlain(link: Link): boolean {
  return link.standing === "linked" && !link.protected && link.submissions.length === 0;
}
