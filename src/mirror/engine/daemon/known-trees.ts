import type { DirId, DocId } from "../../../contract/ids.ts";
import { ancestorsOf, foldsNames, isConflictCopyName, type LocalPath, nameOf } from "../../../contract/path.ts";
import type { Action } from "../../model/action.ts";
import { toLocalFile, toRemoteFile } from "../../model/left-out.ts";
import type { DocumentPaths, DocumentRecord, FolderRecord } from "../../model/record.ts";
import {
  type BaseTree,
  isComplete,
  type LocalTree,
  type RemoteFile,
  type RemoteTree,
  type Trees,
} from "../../model/tree.ts";
import type { StoreContent } from "../../ports/disk.ts";
import type { State } from "../../ports/state.ts";
import { makeLocalContentStore } from "../apply/effect.ts";
import { NOTHING_SEEN } from "../observe/both-sides.ts";
import type { DocumentList } from "../observe/documents.ts";
import { type KnownRemoteFacts, observeLocal, observeRemote, type RemoteScan } from "../observe/observe.ts";
import type { CycleEnd, PlannedCycle } from "../run/cycle-context.ts";
import { hasSucceeded, isReviewOfConflict } from "../run/execute.ts";
import { isRestored } from "../run/guard-facts.ts";
import type { World } from "../run/world.ts";

/**
 * Keeps the results of the last scans. After a local edit, mdmirror then scans only one file, and
 * lists nothing. A full cycle always scans the local folder. The service's tree is kept as long as
 * each effect of a cycle can be applied to the tree. Otherwise the next cycle lists the service.
 */
export class KnownTrees {
  readonly #world: World;
  #remote: RemoteTree | null = null;
  #folders: RemoteTree["folders"] | null = null;
  /** Newest listing; null after a run has used this listing. */
  #newListing: DocumentList | null = null;
  /**
   * Ignore rules and properties of the disk (such as case sensitivity) from the last scan, without
   * its files; null before the first scan.
   */
  #lastLocal: LocalTree | null = null;
  #documentCount = 0;
  /** True if a run has used a full listing since the last call of `takeWasListed`. */
  #isListed = false;

  constructor(world: World) {
    this.#world = world;
  }

  observeLocal(base: BaseTree, inodesTrusted: boolean, keepText: StoreContent): LocalTree {
    const localTree = observeLocal(this.#world, base, inodesTrusted, keepText);
    this.#lastLocal = { ...localTree, files: new Map(), folders: new Map(), others: new Map() };
    return localTree;
  }

  /** Returns the service's tree. Lists the service if no earlier tree is valid. */
  async observeRemote(base: BaseTree, trustEmpty: boolean, facts: KnownRemoteFacts): Promise<RemoteScan> {
    // An earlier tree is used only if it contains all known documents, because a run must prove
    // each absence (I04).
    if (this.#remote !== null && this.#newListing === null && isComplete(this.#remote))
      return { kind: "seen", tree: this.#remote };
    const knownFacts = {
      ...facts,
      ...(this.#newListing === null ? {} : { files: this.#newListing }),
      ...(this.#folders === null ? {} : { folders: this.#folders }),
    };
    if (this.#newListing === null) this.#isListed = true;
    this.#newListing = null;
    const scan = await observeRemote(this.#world, base, trustEmpty, knownFacts);
    this.#keepRemote(scan.kind === "seen" ? scan.tree : null);
    return scan;
  }

  #keepRemote(tree: RemoteTree | null): void {
    this.#remote = tree;
    if (tree === null) this.#folders = null;
    else {
      if (tree.foldersComplete) this.#folders = tree.folders;
      this.#documentCount = tree.files.size;
    }
  }

  /** Returns `same` if the listing shows no change, so that no run is needed. */
  takeListing(listing: DocumentList): "same" | "changed" {
    // After a restore of the service, folders are listed too, because mdmirror knows only the
    // folders from before the restore.
    if (isRestored(this.#world.state, this.#world.remote.generation())) this.forgetRemote(true);
    else if (
      listing.complete &&
      this.#remote?.complete === true &&
      haveSameDocuments(this.#remote.files, listing.files)
    )
      return "same";
    this.#newListing = listing;
    this.#isListed = true;
    return "changed";
  }

  /**
   * Adds documents from the answer to a request to the service's tree, for the next run. Returns
   * false if this tree is missing or incomplete, or if a new listing waits for a run.
   */
  takeShown(shown: readonly RemoteFile[]): boolean {
    if (this.#newListing !== null || this.#remote === null || !isComplete(this.#remote)) return false;
    const files = new Map([...this.#remote.files, ...shown.map((file) => [file.id, file] as const)]);
    this.#newListing = { files, complete: true, fault: null, isEmpty: false };
    return true;
  }

  /**
   * Applies the effects of a cycle to the service's tree. Forgets the tree if an effect cannot be
   * applied.
   */
  afterCycle(end: CycleEnd): void {
    if (end.kind === "offline") this.forgetRemote(false);
    else if (end.ends.length > 0)
      this.#keepRemote(this.#remote && updateRemoteTree(this.#world.state, end, this.#remote));
  }

  /**
   * Scans these local paths, and returns trees that contain only their documents. Returns `same` if
   * nothing changed. Returns `whole` if a plan for these documents needs the other documents.
   * @param shown documents at these paths from the answer to a request
   */
  scanNarrowly(paths: readonly LocalPath[], shown: readonly RemoteFile[] = []): "same" | "whole" | Trees {
    const { state, disk } = this.#world;
    const [lastLocal, lastRemote] = [this.#lastLocal, this.#remote];
    const trees =
      lastLocal === null || lastRemote === null
        ? null
        : makeNarrowTrees(state, { local: lastLocal, remote: lastRemote }, paths, shown);
    if (trees === null) return "whole";
    const storeText = makeLocalContentStore(state, trees.base);
    const scannedTree = disk.scanFiles(trees.local, paths, storeText, ({ dev, ino }) => state.hasInode(dev, ino));
    if (scannedTree === trees.local) return shown.length === 0 ? "same" : trees;
    if (scannedTree === null || scannedTree.files.values().some((file) => file.empty || file.textFault !== null))
      return "whole";
    return { ...trees, local: scannedTree };
  }

  /**
   * Makes the next cycle list the documents of the service.
   * @param alsoFolders true to list the folders too; otherwise the cycle lists the folders only if
   * a document is in an unknown folder
   */
  forgetRemote(alsoFolders: boolean): void {
    this.#remote = null;
    this.#newListing = null;
    if (alsoFolders) this.#folders = null;
  }

  /**
   * Returns true if a document has changed on the service since its last known version. An earlier
   * version is no change, because a listing may be out of date.
   */
  isChanged(file: RemoteFile): boolean {
    const { state } = this.#world;
    const record = state.record(file.id);
    const earlierFile = this.#remote?.files.get(file.id) ?? (record === null ? undefined : toRemoteFile(record));
    if (isSameFile(earlierFile, file)) return false;
    return earlierFile === undefined || !state.isEarlier(file.id, file.changeId, earlierFile.changeId);
  }

  /**
   * Returns true if the last listing has the document at base's path, or if there is no listing.
   */
  isInPlace({ id, remotePath }: DocumentPaths): boolean {
    return this.#remote === null || this.#remote.files.get(id)?.path === remotePath;
  }

  /** Returns the ignore rules of the last scan in an empty tree; null before the first scan. */
  lastLocal(): LocalTree | null {
    return this.#lastLocal;
  }

  documentCount(): number {
    return this.#documentCount;
  }

  /** Returns true if a run has used a listing of the whole workspace since the last call. */
  takeWasListed(): boolean {
    const isListed = this.#isListed;
    this.#isListed = false;
    return isListed;
  }
}

function haveSameDocuments(a: ReadonlyMap<DocId, RemoteFile>, b: ReadonlyMap<DocId, RemoteFile>): boolean {
  return a.size === b.size && a.values().every((file) => isSameFile(b.get(file.id), file));
}

function isSameFile(a: RemoteFile | undefined, b: RemoteFile): boolean {
  return a?.changeId === b.changeId && a.path === b.path && a.protected === b.protected;
}

/**
 * Kinds of actions after which the service's state follows from the record: the service has the
 * recorded document, or no longer has the document.
 */
const FOLLOWED_KINDS: ReadonlySet<Action["kind"]> = new Set([
  "put",
  "create-remote",
  "write-local",
  "create-local",
  "delete-remote",
]);

/**
 * Returns the service's tree after the steps of a cycle, updated from base (I12). Returns null if
 * the new tree is uncertain: after an action that is not in `FOLLOWED_KINDS`, after a failed step,
 * or after another user's edit. The next cycle then lists the service.
 */
export function updateRemoteTree(
  state: Pick<State, "record" | "recordsAt">,
  { plan, trees, ends }: PlannedCycle,
  remote: RemoteTree,
): RemoteTree | null {
  const files = new Map(remote.files);
  // A cycle for a few documents may have newer versions than the listing.
  for (const [id, file] of trees.remote.files) files.set(id, file);
  for (const [index, { action }] of plan.steps.entries()) {
    const stepEnd = ends[index];
    if (stepEnd?.kind !== "ran" || !hasSucceeded(stepEnd.outcome) || isReviewOfConflict(stepEnd.outcome)) return null;
    if (action.kind === "note-facts") continue;
    const id = FOLLOWED_KINDS.has(action.kind) ? findDocumentId(state, action) : null;
    if (id === null) return null;
    const record = state.record(id);
    if (record === null) files.delete(id);
    else files.set(id, toRemoteFile(record));
  }
  return { ...remote, files };
}

function findDocumentId(state: Pick<State, "recordsAt">, action: Action): DocId | null {
  if ("id" in action) return action.id;
  return action.kind === "create-remote" ? (state.recordsAt(action.localPath)[0]?.id ?? null) : null;
}

type LastScans = {
  /** Only the ignore rules and the properties of the disk are used, not the files of the scan. */
  readonly local: LocalTree;
  readonly remote: RemoteTree;
};

/**
 * Returns trees that contain only the documents at these paths, and the folders above these
 * documents. The trees come from base and the service's last scan. Until local files are scanned,
 * they count as unchanged.
 * @param shown documents from the answer to a request
 * @returns null if a plan for one of these documents needs the other documents
 */
export function makeNarrowTrees(
  state: State,
  { local, remote }: LastScans,
  paths: readonly LocalPath[],
  shown: readonly RemoteFile[] = [],
): Trees | null {
  const blockedKeys = new Set(state.blocks().flatMap(({ key, path }) => [key, path]));
  const records = paths.flatMap((path) => state.recordsAt(path));
  const recordById = new Map(records.map((record) => [record.id, record]));
  const newDocuments = shown.filter(({ id }) => !recordById.has(id));
  const dirs = new Map<DirId, FolderRecord>();
  for (const path of [...records.map(({ localPath }) => localPath), ...newDocuments.map((file) => file.path)])
    for (const folder of ancestorsOf(path)) {
      const dir = state.dirAt(folder);
      if (dir === null || !remote.folders.has(dir.id) || blockedKeys.has(dir.id)) return null;
      dirs.set(dir.id, dir);
    }
  // A path without a record may have a block, from an earlier file at this path. Such a path is
  // planned alone only if no block exists.
  const unrecordedPaths = paths.filter((path) => !records.some(({ localPath }) => localPath === path));
  const canPlanAlone =
    paths.every((path) => !blockedKeys.has(path)) &&
    unrecordedPaths.every((path) => blockedKeys.size === 0 && mayBeNewDocument(state, path)) &&
    new Set(records.map(({ localPath }) => localPath)).size === records.length &&
    records.every(
      (record) => isPlainlyLinked(state, record) && remote.files.has(record.id) && !blockedKeys.has(record.id),
    ) &&
    newDocuments.every((file) => !blockedKeys.has(file.id) && isNewDocument(state, local, file));
  if (!canPlanAlone) return null;
  const ignoredFolders = unrecordedPaths.filter((path) => local.ignores(path, "folder"));
  const listedDocuments = records.map(({ id }) => remote.files.get(id)!);
  return {
    base: { records: recordById, dirs, tombstones: new Map(), conflicts: new Map(), blocks: new Map() },
    local: {
      ...local,
      partial: true,
      files: new Map(records.map((record) => [record.localPath, toLocalFile(record)!])),
      folders: new Map(
        [...dirs.values()].map(({ localPath: path, dev, ino, birthMs }) => [path, { path, dev, ino, birthMs }]),
      ),
      others: new Map(ignoredFolders.map((path) => [path, { path, kind: "ignored-folder", stamp: null }])),
      unseen: new Map(),
    },
    remote: {
      ...NOTHING_SEEN,
      files: new Map([...listedDocuments, ...shown].map((file) => [file.id, file])),
      folders: new Map([...dirs.keys()].map((id) => [id, remote.folders.get(id)!])),
      complete: true,
      foldersComplete: true,
    },
  };
}

/**
 * Returns true if a path without a record may be the path of a new document: no folder and no
 * conflict copy has the path.
 */
function mayBeNewDocument(state: State, path: LocalPath): boolean {
  return path !== "" && !isConflictCopyName(nameOf(path)) && state.dirAt(path) === null;
}

function isPlainlyLinked(state: State, record: DocumentRecord): boolean {
  return record.state === "linked" && record.stamp !== null && state.conflict(record.id) === null;
}

/**
 * Returns true if the document has no record, and a plan for the document needs no full listing.
 */
function isNewDocument(state: State, { disk, ignores }: LocalTree, { id, path }: RemoteFile): boolean {
  // A document with a tombstone was deleted and is now restored. Only a full run gives such a
  // document its former local name, which is in the tombstone.
  if (state.record(id) !== null || state.tombstone(id) !== null) return false;
  // On a disk that treats several spellings as one name, another document's file may already be at
  // the path.
  return !ignores(path, "file") && !foldsNames(disk);
}
