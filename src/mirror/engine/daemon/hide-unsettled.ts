import { digestOf } from "../../../contract/digest.ts";
import { once } from "../../../common/once.ts";
import { ancestorsOf, type LocalPath } from "../../../contract/path.ts";
import { STILL_WRITTEN, type Unread } from "../../model/seen.ts";
import type { BaseTree, LocalFile, LocalTree } from "../../model/tree.ts";
import { inodeKey } from "../../planner/match/inode.ts";

/**
 * Marks paths of a local tree as unread, so that no decision depends on them yet. The path "" marks
 * the whole tree during a bulk change: existing files are still planned, but no file counts as
 * absent.
 */
export function hidePaths(tree: LocalTree, waiting: ReadonlyMap<LocalPath, Unread>): LocalTree {
  if (waiting.size === 0) return tree;
  const files = new Map<LocalPath, LocalFile>();
  for (const [path, file] of tree.files) if (!isHidden(path, waiting)) files.set(path, file);
  return { ...tree, files, unseen: new Map([...waiting, ...tree.unseen]) };
}

export function isHidden(path: LocalPath, waiting: ReadonlyMap<LocalPath, unknown>): boolean {
  return waiting.has(path) || ancestorsOf(path).some((folder) => waiting.has(folder));
}

/**
 * Returns the linked documents that had text and are empty now: a program may have crashed between
 * truncating and writing. Leaves out a moved file whose document was empty before.
 */
export function findEmptied(tree: LocalTree, base: BaseTree): ReadonlyMap<LocalPath, Unread> {
  const empty = new Set<LocalPath>();
  for (const file of tree.files.values()) if (file.empty) empty.add(file.path);
  const emptied = new Map<LocalPath, Unread>();
  if (empty.size === 0) return emptied;
  const inodes = once(() => inodesOfEmpty(tree, base));
  for (const link of base.links.values()) {
    const file = empty.has(link.localPath) ? tree.files.get(link.localPath) : undefined;
    if (file === undefined || file.digest === link.localDigest || inodes().has(inodeKey(file.stamp))) continue;
    emptied.set(file.path, STILL_WRITTEN);
  }
  return emptied;
}

/** Returns the inodes of documents that are empty in base; none if this disk's inodes are not
 * reliable. */
function inodesOfEmpty({ inodesTrusted }: LocalTree, { links }: BaseTree): ReadonlySet<string> {
  const inodes = new Set<string>();
  if (!inodesTrusted) return inodes;
  const empty = digestOf("");
  for (const { stamp, localDigest } of links.values())
    if (localDigest === empty && stamp !== null) inodes.add(inodeKey(stamp));
  return inodes;
}
