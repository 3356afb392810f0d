import { sameInodeAndBirth } from "../../model/link.ts";
import { ancestorsOf, type LocalPath } from "../../model/path.ts";
import { STILL_WRITTEN, type Unread } from "../../model/seen.ts";
import type { BaseTree, LocalFile, LocalTree } from "../../model/tree.ts";

/**
 * Marks parts of a local tree as not seen, neither present nor absent, because they must not be
 * judged yet. Of the whole tree ("": a bulk change is under way), files that are there are judged,
 * but no absence is.
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
 * Linked documents that had text and are empty now: an editor may have crashed between truncating
 * and writing. Not where an empty document's own file was moved to: nobody is writing that.
 */
export function findEmptied(tree: LocalTree, base: BaseTree): ReadonlyMap<LocalPath, Unread> {
  const empty = new Set<LocalPath>();
  for (const file of tree.files.values()) if (file.empty) empty.add(file.path);
  const emptied = new Map<LocalPath, Unread>();
  if (empty.size === 0) return emptied;
  for (const link of base.links.values()) {
    const file = empty.has(link.localPath) ? tree.files.get(link.localPath) : undefined;
    if (file === undefined || file.digest === link.localDigest || isMoved(file, tree, base)) continue;
    emptied.set(file.path, STILL_WRITTEN);
  }
  return emptied;
}

/** Whether a file is the very one that some document had, with its text. */
function isMoved(file: LocalFile, { inodesTrusted }: LocalTree, { links }: BaseTree): boolean {
  if (!inodesTrusted) return false;
  for (const { stamp, localDigest } of links.values())
    if (localDigest === file.digest && stamp !== null && sameInodeAndBirth(stamp, file.stamp)) return true;
  return false;
}
