/** Identity by inode: when an inode counts as evidence, and its key. */

import type { Inode, Stamp } from "../../model/record.ts";
import type { LocalOther, LocalTree } from "../../model/tree.ts";

/**
 * Returns the key of inode and birth time. Systems give an inode to a new file right after `rm`, so
 * the birth time is part of the key. If only one side has a birth time (0: none), the keys differ.
 */
export function inodeKey(inode: Inode): string {
  return `${inode.dev}:${inode.ino}:${inode.birthMs}`;
}

/**
 * Returns the key of a file that is the only one with its inode; null for a file with hard links,
 * whose inode has several paths.
 */
export function fileInodeKey(stamp: Stamp | null): string | null {
  return stamp === null || stamp.nlink > 1 ? null : inodeKey(stamp);
}

/**
 * Returns the key of a folder's inode; null without a birth time. An inode alone is then no
 * evidence, because a folder has no content that could confirm it.
 */
export function folderInodeKey(folder: Inode): string | null {
  return folder.birthMs === 0 ? null : inodeKey(folder);
}

/** Files that are not synced (ignored, dot files and others), by inode. */
export type OthersByInode = ReadonlyMap<string, LocalOther>;

export function othersByInode({ others }: LocalTree): OthersByInode {
  const index = new Map<string, LocalOther>();
  for (const other of others.values()) {
    const key = fileInodeKey(other.stamp);
    if (key !== null) index.set(key, other);
  }
  return index;
}

/**
 * Returns the file to which a document's file was renamed. Finds only files with names that are not
 * synced.
 */
export function findRenamed(
  { inodesTrusted }: LocalTree,
  others: OthersByInode,
  stamp: Stamp | null,
): LocalOther | null {
  const key = inodesTrusted ? fileInodeKey(stamp) : null;
  return key === null ? null : (others.get(key) ?? null);
}
