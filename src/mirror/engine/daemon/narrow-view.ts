import { NOTHING_SEEN } from "../observe/both-sides.ts";
import type { DirId, DocId } from "../../../contract/ids.ts";
import type { FolderRecord, DocumentRecord } from "../../model/link.ts";
import { ancestorsOf, isConflictCopyName, type LocalPath, nameOf } from "../../../contract/path.ts";
import type {
  LocalFile,
  LocalFolder,
  LocalOther,
  LocalTree,
  RemoteFile,
  RemoteFolder,
  RemoteTree,
  Trees,
} from "../../model/tree.ts";
import { localFileOf } from "../../model/left-out.ts";
import type { State } from "../../ports/state.ts";

/** Last scans of both sides. */
type LastSeen = {
  /** Ignore rules and properties of the disk; the entries are not needed. */
  readonly local: LocalTree;
  readonly remote: RemoteTree;
};

/**
 * Returns trees that contain only these documents and the folders above them, taken from base and
 * the service's last scan. Local files are taken from the records until they are scanned.
 * @param shown documents that the service has just shown
 * @returns null if one of them cannot be planned without the other documents
 */
export function narrowTrees(
  state: State,
  seen: LastSeen,
  paths: readonly LocalPath[],
  shown: readonly RemoteFile[] = [],
): Trees | null {
  const view = new NarrowView(state, seen);
  return paths.every((path) => view.addPath(path)) && shown.every((file) => view.addShown(file)) ? view.trees() : null;
}

class NarrowView {
  readonly #state: State;
  readonly #seen: LastSeen;
  /** Ids and local paths of blocked changes. */
  readonly #blocked: ReadonlySet<string>;
  readonly #links = new Map<DocId, DocumentRecord>();
  readonly #dirs = new Map<DirId, FolderRecord>();
  readonly #files = new Map<LocalPath, LocalFile>();
  readonly #folders = new Map<LocalPath, LocalFolder>();
  readonly #others = new Map<LocalPath, LocalOther>();
  readonly #remoteFiles = new Map<DocId, RemoteFile>();
  readonly #remoteFolders = new Map<DirId, RemoteFolder>();

  constructor(state: State, seen: LastSeen) {
    this.#state = state;
    this.#seen = seen;
    this.#blocked = new Set(state.blocks().flatMap(({ key, path }) => [key, path]));
  }

  /** @returns false if the path cannot be planned without the other documents */
  addPath(path: LocalPath): boolean {
    if (this.#blocked.has(path)) return false;
    const [link, ...more] = this.#state.linksAt(path);
    if (link === undefined) return this.#addUnlinked(path);
    return more.length === 0 && this.#addDocument(link) && this.#addFoldersAbove(path);
  }

  /** @returns false if the document is new and cannot be planned without the other documents */
  addShown(file: RemoteFile): boolean {
    this.#remoteFiles.set(file.id, file);
    if (this.#links.has(file.id)) return true;
    if (this.#blocked.has(file.id) || this.#state.link(file.id) !== null) return false;
    // A document that comes back gets its former local name, which the tombstone records.
    if (this.#state.tombstone(file.id) !== null) return false;
    const { disk, ignores } = this.#seen.local;
    // On a disk that treats two spellings as one name, another document may have the path.
    if (ignores(file.path, "file") || disk.foldsCase || disk.foldsUnicode) return false;
    return this.#addFoldersAbove(file.path);
  }

  trees(): Trees {
    const { local } = this.#seen;
    const [files, folders, others] = [this.#files, this.#folders, this.#others];
    const nothing = { tombstones: new Map(), conflicts: new Map(), blocks: new Map() };
    return {
      base: { links: this.#links, dirs: this.#dirs, ...nothing },
      local: { ...local, partial: true, files, folders, others, unseen: new Map() },
      remote: {
        ...NOTHING_SEEN,
        files: this.#remoteFiles,
        folders: this.#remoteFolders,
        complete: true,
        foldersComplete: true,
      },
    };
  }

  /**
   * Adds a path without a record: a new file, or nothing, as the scan shows. A block may have been
   * recorded for an earlier file at the path.
   */
  #addUnlinked(path: LocalPath): boolean {
    if (this.#blocked.size > 0) return false;
    if (path === "" || isConflictCopyName(nameOf(path)) || this.#state.dirAt(path) !== null) return false;
    if (this.#seen.local.ignores(path, "folder")) this.#others.set(path, { path, kind: "ignored-folder", stamp: null });
    return true;
  }

  #addDocument(link: DocumentRecord): boolean {
    const { id, state } = link;
    const local = localFileOf(link);
    const remote = this.#seen.remote.files.get(id);
    if (local === null || remote === undefined || state !== "linked") return false;
    if (this.#blocked.has(id) || this.#state.conflict(id) !== null) return false;
    this.#links.set(id, link);
    this.#files.set(local.path, local);
    this.#remoteFiles.set(id, remote);
    return true;
  }

  #addFoldersAbove(path: LocalPath): boolean {
    return ancestorsOf(path).every((folder) => this.#folders.has(folder) || this.#addFolder(folder));
  }

  #addFolder(path: LocalPath): boolean {
    const dir = this.#state.dirAt(path);
    const remote = dir === null ? undefined : this.#seen.remote.folders.get(dir.id);
    if (dir === null || remote === undefined || this.#blocked.has(dir.id)) return false;
    this.#dirs.set(dir.id, dir);
    this.#folders.set(path, { path, dev: dir.dev, ino: dir.ino, birthMs: dir.birthMs });
    this.#remoteFolders.set(dir.id, remote);
    return true;
  }
}
