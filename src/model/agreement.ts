import { isPathPair } from "./name-pair.ts";
import { type DirLink, type Link, sameInodeAndBirth } from "./link.ts";
import { hasStandInName, isTemporaryName } from "./local-name.ts";
import type { LocalFile, RemoteFile } from "./tree.ts";

/** Whether what a side shows is what base says: where all agree, nothing is to be done. */

/**
 * Whether both sides show a linked document just as base has it, and base leaves nothing to do.
 * @param inodesTrusted whether inodes are evidence in this walk
 */
export function agrees(link: Link, here: LocalFile, there: RemoteFile, inodesTrusted: boolean): boolean {
  return agreesThere(link, there) && agreesHere(link, here, inodesTrusted) && isAtRest(link);
}

/** Whether the service shows a document just as base has it: its version, place and protection. */
export function agreesThere(link: Link, there: RemoteFile): boolean {
  return there.changeId === link.changeId && there.path === link.remotePath && there.protected === link.protected;
}

function agreesHere(link: Link, here: LocalFile, inodesTrusted: boolean): boolean {
  if (here.digest !== link.localDigest) return false;
  // The same bytes with another inode may be another document's file, put there by a swap.
  return link.stamp === null || !inodesTrusted || sameInodeAndBirth(link.stamp, here.stamp);
}

/**
 * Whether base alone gives no reason to do anything about a document: it is mirrored, nothing of it
 * is in review, and it has the names that it is to have.
 */
export function isAtRest(link: Link): boolean {
  return link.standing === "linked" && link.submissions.length === 0 && hasLastingNames(link, "file");
}

/** Whether nothing wants to rename a linked document or folder: its two names belong together. */
export function hasLastingNames(link: Link | DirLink, kind: "file" | "folder"): boolean {
  return (
    !isTemporaryName(link.localPath) &&
    !hasStandInName(link, kind) &&
    isPathPair(link.localPath, link.remotePath, link.id, kind)
  );
}
