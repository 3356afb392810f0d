import type { Stamp } from "../../model/link.ts";

/** Identity by inode: where it is evidence at all, and the key under which it is looked up. */

type Inode = { readonly dev: number; readonly ino: number; readonly birthMs: number };

/**
 * Inode and birth time. An inode is reused at once after `rm`, so the birth time belongs to it;
 * where one side has no birth time (0) and the other has, the keys differ and nothing follows.
 */
export function inodeKey(inode: Inode): string {
  return `${inode.dev}:${inode.ino}:${inode.birthMs}`;
}

/**
 * @returns the key of a file that has this inode to itself; null for a hard-linked one, whose inode
 * names no single path.
 */
export function fileInodeKey(stamp: Stamp | null): string | null {
  return stamp === null || stamp.nlink > 1 ? null : inodeKey(stamp);
}

/**
 * A folder's inode has no text beside it to confirm it, so without a birth time it is no evidence.
 */
export function folderInodeKey(folder: Inode): string | null {
  return folder.birthMs === 0 ? null : inodeKey(folder);
}
