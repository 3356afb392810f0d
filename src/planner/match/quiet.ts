import type { Link } from "../../model/link.ts";
import { isPathPair } from "../../model/name-pair.ts";
import { hasStandInName, isTemporaryName } from "../../model/local-name.ts";
import type { Trees } from "../../model/tree.ts";
import { sameInode } from "./inode.ts";

/**
 * Whether the three trees agree on a linked document, so that nothing is to be done about it.
 * @param foldersStir whether any folder was found elsewhere than base has it
 */
export function quietTest(trees: Trees, foldersStir: boolean): (link: Link) => boolean {
  const { base, local, remote } = trees;
  return (link) => {
    const there = remote.files.get(link.id);
    const here = local.files.get(link.localPath);
    return (
      there !== undefined &&
      here !== undefined &&
      there.changeId === link.changeId &&
      there.path === link.remotePath &&
      there.protected === link.protected &&
      here.digest === link.localDigest &&
      link.standing === "linked" &&
      // The same bytes with another inode may be another document's file, put there by a swap.
      (link.stamp === null || !local.inodesTrusted || sameInode(link.stamp, here.stamp)) &&
      link.submissions.length === 0 &&
      !foldersStir &&
      !isTemporaryName(link.localPath) &&
      !hasStandInName(link, "file") &&
      isPathPair(link.localPath, link.remotePath, link.id) &&
      !(base.conflicts.size > 0 && base.conflicts.has(link.id)) &&
      !(base.holds.size > 0 && base.holds.has(link.id))
    );
  };
}
