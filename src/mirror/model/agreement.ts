import { isPathPair } from "./name-pair.ts";
import { type FolderRecord, type DocumentRecord, sameInodeAndBirth } from "./link.ts";
import { hasSubstituteName, isTemporaryName } from "./local-name.ts";
import type { LocalFile, LocalTree, RemoteFile } from "./tree.ts";

/** Checks whether a side equals base. If both sides do, no step is needed. */

/**
 * Returns true if both sides show a linked document exactly as base has it, and base has nothing
 * pending for it.
 * @param walk facts about the disk
 */
export function bothSidesAreAsBase(
  link: DocumentRecord,
  localFile: LocalFile,
  remoteFile: RemoteFile,
  walk: WalkedDisk,
): boolean {
  return remoteIsAsBase(link, remoteFile) && agreesLocally(link, localFile, walk.inodesTrusted) && isAtRest(link, walk);
}

type WalkedDisk = Pick<LocalTree, "disk" | "inodesTrusted">;

/**
 * Returns true if the service shows a document just as base has it: version, place and protection.
 */
export function remoteIsAsBase(link: DocumentRecord, remoteFile: RemoteFile): boolean {
  return (
    remoteFile.changeId === link.changeId &&
    remoteFile.path === link.remotePath &&
    remoteFile.protected === link.protected
  );
}

function agreesLocally(link: DocumentRecord, localFile: LocalFile, inodesTrusted: boolean): boolean {
  if (localFile.digest !== link.localDigest) return false;
  // Equal bytes with another inode may be another document's file, put at this path by a swap.
  return link.stamp === null || !inodesTrusted || sameInodeAndBirth(link.stamp, localFile.stamp);
}

/**
 * Returns true if base alone gives no reason to act on a document: its record is synced, no content
 * of it is in review, and neither of its names will change.
 */
export function isAtRest(link: DocumentRecord, walk: Pick<LocalTree, "disk">): boolean {
  return link.state === "linked" && link.submissions.length === 0 && hasLastingNames(link, "file", walk);
}

/**
 * Returns true if the two names of a linked document or folder correspond, so that neither will
 * change.
 */
export function hasLastingNames(
  link: DocumentRecord | FolderRecord,
  kind: "file" | "folder",
  { disk }: Pick<LocalTree, "disk">,
): boolean {
  return (
    !isTemporaryName(link.localPath) &&
    !isTemporaryName(link.remotePath) &&
    !hasSubstituteName(link, kind, disk.maxNameBytes) &&
    isPathPair(link.localPath, link.remotePath, link.id, kind)
  );
}
