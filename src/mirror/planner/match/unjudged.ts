import type { DocId } from "../../../contract/ids.ts";
import { areBothSidesAsBase, hasLastingNames } from "../../model/base.ts";
import type { DocumentRecord } from "../../model/record.ts";
import { joinPath, type LocalPath, parentOf, type RemotePath } from "../../../contract/path.ts";
import type { LocalFile, RemoteFile, Trees } from "../../model/tree.ts";
import type { Policy } from "../../model/policy.ts";
import { findFolders, type FolderPaths } from "./folder-paths.ts";
import { isTemporaryName, isUnsafeName, toLocalName } from "../../model/names.ts";
import { type FolderForest, toPlace } from "./forest.ts";
import { type FolderRow, type Place, SlotMap, type SlotOccupancy } from "./row.ts";

/** Documents about which a plan decides, even if they are at rest. */
export type JudgedDocuments = ReadonlySet<DocId> | "all";

export const NO_JUDGED_DOCUMENTS: JudgedDocuments = new Set();

export function isJudged(judged: JudgedDocuments, id: DocId): boolean {
  return judged === "all" || judged.has(id);
}

type ChangedDocuments = {
  readonly records: Map<DocId, DocumentRecord>;
  readonly files: Map<LocalPath, LocalFile>;
};

/**
 * Returns the documents and files about which the plan has to decide. Leaves out documents at rest,
 * because no step concerns them, and there may be very many. A document is at rest if both sides
 * have it as base does, and its folder did not move. Base also has no pending change for the
 * document.
 */
export function findChangedDocuments(trees: Trees, paths: FolderPaths, judged: JudgedDocuments): ChangedDocuments {
  const unmovedFolders = findUnmovedFolders(trees, paths);
  const records = new Map<DocId, DocumentRecord>();
  const unchangedByPath = new Map<LocalPath, DocumentRecord>();
  for (const record of trees.base.records.values()) {
    const { id, localPath, remotePath } = record;
    const isInUnchangedFolder = unmovedFolders.get(parentOf(localPath)) === parentOf(remotePath);
    if (isInUnchangedFolder && !isJudged(judged, id) && !unchangedByPath.has(localPath) && isUnchanged(trees, record))
      unchangedByPath.set(localPath, record);
    else records.set(id, record);
  }
  // If two documents have one local path in base, the plan decides about both.
  for (const { localPath } of [...records.values()]) {
    const unchangedRecord = unchangedByPath.get(localPath);
    if (unchangedRecord !== undefined) records.set(unchangedRecord.id, unchangedRecord);
    unchangedByPath.delete(localPath);
  }
  return { records, files: excludeUnchangedFiles(trees.local.files, unchangedByPath) };
}

function excludeUnchangedFiles(
  files: ReadonlyMap<LocalPath, LocalFile>,
  unchanged: ReadonlyMap<LocalPath, DocumentRecord>,
): Map<LocalPath, LocalFile> {
  if (files.size === unchanged.size) return new Map();
  return new Map([...files].filter(([path]) => !unchanged.has(path)));
}

export function listIdsInMovedFolders(trees: Trees, policy: Policy): DocId[] {
  if (trees.leftOut === undefined) return [];
  const folders = findUnmovedFolders(trees, findFolders(trees, policy));
  const [root, recordedFolders] = [1, trees.base.dirs.size];
  if (folders.size === root + recordedFolders) return [];
  const movedIds: DocId[] = [];
  for (const { id, localPath, remotePath } of trees.leftOut.documents())
    if (folders.get(parentOf(localPath)) !== parentOf(remotePath)) movedIds.push(id);
  return movedIds;
}

function isUnchanged({ base, local, remote }: Trees, record: DocumentRecord): boolean {
  const localFile = local.files.get(record.localPath);
  const remoteFile = remote.files.get(record.id);
  if (localFile === undefined || remoteFile === undefined || !areBothSidesAsBase(record, localFile, remoteFile, local))
    return false;
  return !base.conflicts.has(record.id) && !base.blocks.has(record.id);
}

/**
 * Returns the path on the service by the local path, for each folder that did not move on either
 * side. A folder inside a moved folder has moved too.
 */
function findUnmovedFolders(
  { base, local, remote }: Trees,
  { sorted, found }: FolderPaths,
): ReadonlyMap<LocalPath, RemotePath> {
  const unmovedByPath = new Map<LocalPath, RemotePath>([["", ""]]);
  for (const dir of sorted) {
    const { id, localPath, remotePath } = dir;
    const isInPlace = found.get(id) === localPath && remote.folders.get(id)?.path === remotePath;
    const isInUnchangedFolder = unmovedByPath.get(parentOf(localPath)) === parentOf(remotePath);
    if (isInPlace && isInUnchangedFolder && !base.blocks.has(id) && hasLastingNames(dir, "folder", local))
      unmovedByPath.set(localPath, remotePath);
  }
  return unmovedByPath;
}

/**
 * New documents of the service that only have to be created locally. The plan has no rows for these
 * documents: a first sync may have so many of them that rows would need too much memory.
 */
export class Arrivals {
  readonly all: RemoteFile[] = [];
  readonly #trees: Trees;
  readonly #forest: FolderForest;
  readonly #occupancy: SlotOccupancy;
  readonly #byPlace: SlotMap<DocId>;

  constructor(trees: Trees, forest: FolderForest, occupancy: SlotOccupancy) {
    this.#trees = trees;
    this.#forest = forest;
    this.#occupancy = occupancy;
    this.#byPlace = new SlotMap(trees.local.disk);
  }

  /**
   * Adds the new documents that only have to be created locally.
   * @param judged documents about which the plan must decide, even if they only have to be created
   * @returns all other documents, about which the plan has to decide
   */
  take(files: readonly RemoteFile[], { direction }: Policy, judged: JudgedDocuments): readonly RemoteFile[] {
    if (direction === "push" || this.#trees.local.unseen.size > 0) return files;
    return files.filter((file) => isJudged(judged, file.id) || !this.#addIfPlain(file));
  }

  idAt(place: Place): DocId | undefined {
    return this.#byPlace.get(place);
  }

  placeOf({ path }: RemoteFile): Place {
    return toPlace(this.#forest, "remote", path);
  }

  #addIfPlain(file: RemoteFile): boolean {
    const { id } = file;
    const { maxNameBytes } = this.#trees.local.disk;
    const place = this.placeOf(file);
    if (
      !canReceiveArrivals(place.parent) ||
      !hasOwnName(place.name, id, maxNameBytes) ||
      !this.#isUnknown(id) ||
      !this.#isFree(place)
    )
      return false;
    this.#byPlace.set(place, id);
    this.all.push(file);
    return true;
  }

  #isUnknown(id: DocId): boolean {
    const { tombstones, conflicts, blocks } = this.#trees.base;
    return !tombstones.has(id) && !conflicts.has(id) && !blocks.has(id);
  }

  #isFree(place: Place): boolean {
    const path = joinPath(place.parent.localPath ?? place.parent.remotePath!, place.name);
    if (this.#trees.local.ignores(path, "file") || this.#byPlace.get(place) !== undefined) return false;
    return this.#occupancy.occupantOf("local", place).kind === "free";
  }
}

function canReceiveArrivals({ localSeen, remoteSeen, record }: FolderRow): boolean {
  return localSeen === "present" || (localSeen === "absent" && remoteSeen === "listed" && record === null);
}

function hasOwnName(name: string, id: DocId, maxNameBytes: number): boolean {
  return !isUnsafeName(name, "file") && !isTemporaryName(name) && toLocalName(name, "file", id, maxNameBytes) === name;
}
