import { isPathPair } from "./name-pair.ts";
import { type DirLink, type Link, sameInodeAndBirth } from "./link.ts";
import { hasStandInName, isTemporaryName } from "./local-name.ts";
import type { LocalFile, LocalTree, RemoteFile } from "./tree.ts";

/** Whether a side is as base says. Where both are, nothing is to be done. */

/**
 * Whether both sides show a linked document just as base has it, and nothing is pending in base.
 * @param walk says what the disk under it is like
 */
export function agrees(link: Link, here: LocalFile, there: RemoteFile, walk: WalkedDisk): boolean {
  return agreesThere(link, there) && agreesHere(link, here, walk.inodesTrusted) && isAtRest(link, walk);
}

type WalkedDisk = Pick<LocalTree, "disk" | "inodesTrusted">;

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
 * Whether base alone gives no reason to act on a document: it is mirrored, nothing of it is in
 * review, and neither of its names is to change.
 */
function isAtRest(link: Link, walk: Pick<LocalTree, "disk">): boolean {
  return link.standing === "linked" && link.submissions.length === 0 && hasLastingNames(link, "file", walk);
}

/**
 * Whether the two names of a linked document or folder belong together, so that neither is to
 * change.
 */
export function hasLastingNames(
  link: Link | DirLink,
  kind: "file" | "folder",
  { disk }: Pick<LocalTree, "disk">,
): boolean {
  return (
    !isTemporaryName(link.localPath) &&
    !hasStandInName(link, kind, disk.maxNameBytes) &&
    isPathPair(link.localPath, link.remotePath, link.id, kind)
  );
}
