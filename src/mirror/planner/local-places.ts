import type { DirId, DocId } from "../../contract/ids.ts";
import { toLocalName } from "../model/names.ts";
import { type DiskNames, joinPath, type LocalPath, nameOf, parentOf, type RemotePath } from "../../contract/path.ts";
import type { Policy } from "../model/policy.ts";
import type { TextLookup, Trees } from "../model/tree.ts";
import { findOrAddFolder, type FolderForest } from "./match/forest.ts";
import { matchTrees } from "./match/match.ts";
import type { DocumentRow, FolderRow } from "./match/row.ts";

type DocumentOrFolderId = DocId | DirId;

export type LocalPlaces = {
  readonly found: Map<DocumentOrFolderId, LocalPath>;
  /**
   * Documents whose local file was not found. A document that is neither in `found` nor in
   * `uncertain` did not change, so base has the local path of its file.
   */
  readonly uncertain: Set<DocumentOrFolderId>;
  /** Local paths at which the plan would create new documents and folders of the service. */
  readonly arriving: Map<DocumentOrFolderId, LocalPath>;
  /** Files that belong to no recorded document, or perhaps to a document that was not found. */
  readonly unknownFiles: Set<LocalPath>;
};

/** Returns the local paths of documents and folders that changed on a side since base. Pure. */
export function findLocalPlaces(trees: Trees, policy: Policy, texts: TextLookup): LocalPlaces {
  const { forest, documents, arrivals, undecided } = matchTrees(trees, policy, texts);
  const localPlaces: LocalPlaces = {
    found: new Map(),
    arriving: new Map(),
    uncertain: new Set(),
    unknownFiles: new Set(undecided),
  };
  for (const folder of forest.folders) addFolder(localPlaces, folder);
  const { disk } = trees.local;
  for (const document of documents) addDocument(localPlaces, document, forest, disk);
  for (const file of arrivals.all) {
    localPlaces.uncertain.add(file.id);
    localPlaces.arriving.set(file.id, derivePathOfArrival(forest, disk.maxNameBytes, file.id, file.path));
  }
  return localPlaces;
}

function addFolder(
  { found, arriving }: LocalPlaces,
  { dirId, localPath, remotePath, localSeen, remoteSeen }: FolderRow,
): void {
  if (dirId === null) return;
  if (localSeen === "present" && localPath !== null) found.set(dirId, localPath);
  else if (localSeen === "absent" && remoteSeen === "listed") arriving.set(dirId, remotePath!);
}

function addDocument(
  { found, uncertain, arriving, unknownFiles }: LocalPlaces,
  { id, local, remote }: DocumentRow,
  forest: FolderForest,
  { maxNameBytes }: DiskNames,
): void {
  if (local.seen.kind === "present") {
    const { path } = local.seen.value;
    if (id === null) unknownFiles.add(path);
    else found.set(id, path);
  } else if (id !== null) {
    uncertain.add(id);
    if (local.seen.kind === "absent" && remote.seen.kind === "present")
      arriving.set(id, derivePathOfArrival(forest, maxNameBytes, id, remote.seen.file.path));
  }
}

function derivePathOfArrival(forest: FolderForest, maxBytes: number, id: DocId, remotePath: RemotePath): LocalPath {
  const folder = findOrAddFolder(forest, "remote", parentOf(remotePath));
  return joinPath(folder.localPath ?? parentOf(remotePath), toLocalName(nameOf(remotePath), "file", id, maxBytes));
}
