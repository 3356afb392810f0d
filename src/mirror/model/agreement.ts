/** Checks whether a side equals base. If both sides do, no step is needed. */

import { isPathPair } from "./name-pair.ts";
import { type FolderRecord, type DocumentRecord, sameInodeAndBirth } from "./record.ts";
import { hasSubstituteName, isTemporaryName } from "./local-name.ts";
import type { LocalFile, LocalTree, RemoteFile } from "./tree.ts";

/**
 * Returns true if both sides show a recorded document exactly as base has it, and base has nothing
 * pending for it.
 */
export function bothSidesAreAsBase(
  record: DocumentRecord,
  localFile: LocalFile,
  remoteFile: RemoteFile,
  tree: WalkedDisk,
): boolean {
  return (
    remoteIsAsBase(record, remoteFile) && localIsAsBase(record, localFile, tree.inodesTrusted) && isAtRest(record, tree)
  );
}

type WalkedDisk = Pick<LocalTree, "disk" | "inodesTrusted">;

/**
 * Returns true if the service shows a document just as base has it: version, place and protection.
 */
export function remoteIsAsBase(record: DocumentRecord, remoteFile: RemoteFile): boolean {
  return (
    remoteFile.changeId === record.changeId &&
    remoteFile.path === record.remotePath &&
    remoteFile.protected === record.protected
  );
}

function localIsAsBase(record: DocumentRecord, localFile: LocalFile, inodesTrusted: boolean): boolean {
  if (localFile.digest !== record.localDigest) return false;
  // Equal bytes with another inode may be another document's file, put at this path by a swap.
  return record.stamp === null || !inodesTrusted || sameInodeAndBirth(record.stamp, localFile.stamp);
}

/**
 * Returns true if base alone gives no reason to act on a document: its record is synced, no content
 * of it is in review, and neither of its names will change.
 */
export function isAtRest(record: DocumentRecord, tree: Pick<LocalTree, "disk">): boolean {
  return record.state === "linked" && record.submissions.length === 0 && hasLastingNames(record, "file", tree);
}

/**
 * Returns true if the two names of a recorded document or folder correspond, so that neither will
 * change.
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
