/** Decides when an inode is evidence that two observations show one file or folder. */

import type { Inode, Stamp } from "../../model/record.ts";
import type { UnsyncedEntry, LocalTree } from "../../model/tree.ts";

/**
 * Returns a key of device, inode and birth time. The inode alone is not enough, because systems may
 * immediately give a freed inode to a new file. Keys with and without a birth time are never equal.
 */
export function toInodeKey(inode: Inode): string {
  return `${inode.dev}:${inode.ino}:${inode.birthMs}`;
}

/**
 * Returns the inode key of a file. Null for a file with several hard links, because several paths
 * have its inode.
 */
export function toFileInodeKey(stamp: Stamp | null): string | null {
  return stamp === null || stamp.nlink > 1 ? null : toInodeKey(stamp);
}

/**
 * Returns the inode key of a folder. Null if the disk has no birth times: the system may reuse a
 * freed inode, and a folder has no content by which it could be recognised.
 */
export function toFolderInodeKey(folder: Inode): string | null {
  return folder.birthMs === 0 ? null : toInodeKey(folder);
}

/** Files that are not synced (such as ignored files and dot files), by inode key. */
export type UnsyncedByInode = ReadonlyMap<string, UnsyncedEntry>;

export function indexUnsyncedByInode({ others }: LocalTree): UnsyncedByInode {
  const unsyncedByInode = new Map<string, UnsyncedEntry>();
  for (const other of others.values()) {
    const key = toFileInodeKey(other.stamp);
    if (key !== null) unsyncedByInode.set(key, other);
  }
  return unsyncedByInode;
}

export function findRenamedFile(
  { inodesTrusted }: LocalTree,
  others: UnsyncedByInode,
  stamp: Stamp | null,
): UnsyncedEntry | null {
  const key = inodesTrusted ? toFileInodeKey(stamp) : null;
  return key === null ? null : (others.get(key) ?? null);
}
