/** Compares the sides of a document with base. If both sides equal base, no step is needed. */

import { isPathPair } from "./name-pair.ts";
import { type FolderRecord, type DocumentRecord, isSameInodeAndBirth } from "./record.ts";
import { hasSubstituteName, isTemporaryName } from "./local-name.ts";
import type { LocalFile, LocalTree, RemoteFile } from "./tree.ts";

export function areBothSidesAsBase(
  record: DocumentRecord,
  localFile: LocalFile,
  remoteFile: RemoteFile,
  tree: ScannedDisk,
): boolean {
  return (
    isRemoteAsBase(record, remoteFile) &&
    isLocalAsBase(record, localFile, tree.inodesTrusted) &&
    hasNoPendingChange(record, tree)
  );
}

type ScannedDisk = Pick<LocalTree, "disk" | "inodesTrusted">;

/** Returns true if a document's version, place and protection on the service are as in base. */
export function isRemoteAsBase(record: DocumentRecord, remoteFile: RemoteFile): boolean {
  return (
    remoteFile.changeId === record.changeId &&
    remoteFile.path === record.remotePath &&
    remoteFile.protected === record.protected
  );
}

function isLocalAsBase(record: DocumentRecord, localFile: LocalFile, inodesTrusted: boolean): boolean {
  if (localFile.digest !== record.localDigest) return false;
  // A file with another inode may belong to another document: the user may have swapped two
  // documents with equal content.
  return record.stamp === null || !inodesTrusted || isSameInodeAndBirth(record.stamp, localFile.stamp);
}

/**
 * Returns true if the document is synced, is not in review, and has no name that mdmirror would
 * replace.
 */
export function hasNoPendingChange(record: DocumentRecord, tree: Pick<LocalTree, "disk">): boolean {
  return record.state === "linked" && record.submissions.length === 0 && hasLastingNames(record, "file", tree);
}

/**
 * Returns true if mdmirror does not replace the names of a document or folder: the two names
 * correspond, and a user chose both.
 */
export function hasLastingNames(
  record: DocumentRecord | FolderRecord,
  kind: "file" | "folder",
  { disk }: Pick<LocalTree, "disk">,
): boolean {
  return (
    !isTemporaryName(record.localPath) &&
    !isTemporaryName(record.remotePath) &&
    !hasSubstituteName(record, kind, disk.maxNameBytes) &&
    isPathPair(record.localPath, record.remotePath, record.id, kind)
  );
}
