import type { Link } from "../../model/link.ts";
import type { LocalFile } from "../../model/tree.ts";
import { fileInodeKey } from "./inode.ts";
import type { Matching } from "./matching.ts";

/**
 * Links that are not found yet, each with the file that has its inode and birth time now; none
 * where no inode is evidence.
 */
export function sameInodes(matching: Matching): [Link, LocalFile][] {
  if (!matching.trees.local.inodesTrusted) return [];
  const byInode = new Map<string, LocalFile>();
  for (const file of matching.files.values()) {
    const key = fileInodeKey(file.stamp);
    if (key !== null) byInode.set(key, file);
  }
  const pairs: [Link, LocalFile][] = [];
  for (const link of matching.links.values()) {
    const key = fileInodeKey(link.stamp);
    const file = key === null ? undefined : byInode.get(key);
    if (file !== undefined) pairs.push([link, file]);
  }
  return pairs;
}
