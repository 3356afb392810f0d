import type { DirId, DocId } from "../../contract/ids.ts";
import { localNameFor } from "../model/local-name.ts";
import { type DiskNames, joinPath, type LocalPath, nameOf, parentOf, type RemotePath } from "../../contract/path.ts";
import type { Policy } from "../model/policy.ts";
import type { TextLookup, Trees } from "../model/tree.ts";
import { folderAt, type Forest } from "./match/forest.ts";
import { matchTrees } from "./match/match.ts";
import type { DocumentRow, FolderRow } from "./match/row.ts";

type Id = DocId | DirId;

/** Local paths of documents and folders, by the same match as for plans. */
export type LocalPlaces = {
  /** Documents and folders that are in the linked folder. */
  readonly found: Map<Id, LocalPath>;
  /**
   * Documents that are not in the linked folder, or may not be. Documents in neither `found` nor
   * `open` are at base's path.
   */
  readonly open: Set<Id>;
  /** Documents that only the service has, with the paths that they would have locally. */
  readonly coming: Map<Id, LocalPath>;
  /** Files that belong to no known document, or whose document is not known yet. */
  readonly unlinked: Set<LocalPath>;
};

/**
 * Returns the local paths of folders and documents. Leaves out documents that are unchanged on both
 * sides: they are at base's path. Pure.
 */
export function findLocalPlaces(trees: Trees, policy: Policy, texts: TextLookup): LocalPlaces {
  const { forest, documents, arrivals, undecided } = matchTrees(trees, policy, texts);
  const where: LocalPlaces = { found: new Map(), coming: new Map(), open: new Set(), unlinked: new Set(undecided) };
  for (const folder of forest.folders) addFolder(where, folder);
  const { disk } = trees.local;
  for (const document of documents) addDocument(where, document, forest, disk);
  for (const file of arrivals.all) {
    where.open.add(file.id);
    where.coming.set(file.id, comingPath(forest, disk.maxNameBytes, file.id, file.path));
  }
  return where;
}

function addFolder(
  { found, coming }: LocalPlaces,
  { dirId, localPath, remotePath, localSeen, remoteSeen }: FolderRow,
): void {
  if (dirId === null) return;
  if (localSeen === "present" && localPath !== null) found.set(dirId, localPath);
  else if (localSeen === "absent" && remoteSeen === "listed") coming.set(dirId, remotePath!);
}

function addDocument(
  { found, open, coming, unlinked }: LocalPlaces,
  { id, local, remote }: DocumentRow,
  forest: Forest,
  { maxNameBytes }: DiskNames,
): void {
  if (local.seen.kind === "present") {
    const { path } = local.seen.value;
    if (id === null) unlinked.add(path);
    else found.set(id, path);
  } else if (id !== null) {
    open.add(id);
    if (local.seen.kind === "absent" && remote.seen.kind === "present")
      coming.set(id, comingPath(forest, maxNameBytes, id, remote.seen.file.path));
  }
}

function comingPath(forest: Forest, maxBytes: number, id: DocId, remotePath: RemotePath): LocalPath {
  const folder = folderAt(forest, "remote", parentOf(remotePath));
  return joinPath(folder.localPath ?? parentOf(remotePath), localNameFor(nameOf(remotePath), "file", id, maxBytes));
}
