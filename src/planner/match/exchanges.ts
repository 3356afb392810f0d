import type { DocId } from "../../contract/ids.ts";
import { isAway, type Link } from "../../model/link.ts";
import { type LocalPath, pathKey } from "../../model/path.ts";
import type { LocalFile } from "../../model/tree.ts";
import { expectedPath } from "./folder-paths.ts";
import { claim, isLike, likeness, type Matching, readProfile, sameInodes } from "./matching.ts";

/**
 * Files that took each other's paths and were edited as well (`mv a t; mv b a; mv t b`, or a chain
 * of moves). Where all agree, inode and birth time with similar text count more than the path. A
 * document has left for the path of another if that one has left too, by the same evidence; and for
 * an unused path if another document took its own. A lone inode at another's path proves nothing:
 * an editor replaced a file, and the next new file was given its inode.
 */
export function matchExchanges(matching: Matching): void {
  const left = new Map<DocId, LocalFile>();
  for (const [link, file] of sameInodes(matching))
    if (!pathsOf(matching, link).includes(keyOf(matching, file.path)) && isLike(matching, link, file))
      left.set(link.id, file);
  if (left.size === 0) return;
  const owners = ownersByPath(matching);
  // One that turns out to have stayed may have been the proof that another one left.
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    dropUnproven(matching, owners, left);
  }
  for (const [id, file] of left) claim(matching, matching.links.get(id)!, file, "inode-and-similar-text");
}

function dropUnproven(matching: Matching, owners: ReadonlyMap<string, Link>, left: Map<DocId, LocalFile>): void {
  const taken = new Set([...left.values()].map(({ path }) => owners.get(keyOf(matching, path))?.id));
  for (const [id, file] of left) {
    const other = owners.get(keyOf(matching, file.path));
    const link = matching.links.get(id)!;
    const holds =
      other === undefined ? taken.has(id) : hasLeft(matching, left, other) && isRather(matching, link, other, file);
    if (!holds) left.delete(id);
  }
}

/** Whether a document was found elsewhere, or is about to be. */
function hasLeft(matching: Matching, left: ReadonlyMap<DocId, LocalFile>, link: Link): boolean {
  const found = matching.matches.get(link.id)?.file ?? left.get(link.id);
  return found !== undefined && !pathsOf(matching, link).includes(keyOf(matching, found.path));
}

/**
 * Whether a file is this link's rather than the other's. Documents made from one template are
 * alike, so the text at a path must not count for the one that was there; without a birth time, the
 * inode alone does not outweigh the path.
 */
function isRather(matching: Matching, link: Link, other: Link, file: LocalFile): boolean {
  const is = readProfile(matching, file.digest);
  if (is === null) return false;
  const [own, others] = [likeness(matching, link, is), likeness(matching, other, is)];
  return file.stamp.birthMs === 0 ? own > others : own >= others;
}

function ownersByPath(matching: Matching): ReadonlyMap<string, Link> {
  const owners = new Map<string, Link>();
  for (const link of matching.trees.base.links.values())
    if (!isAway(link)) for (const path of pathsOf(matching, link)) owners.set(path, link);
  return owners;
}

/**
 * Where a document is expected if nobody moved it alone: where its folder is now, and where it was.
 */
function pathsOf(matching: Matching, { localPath }: Link): readonly string[] {
  const carried = expectedPath(localPath, matching.folders);
  return carried === null || carried === localPath
    ? [keyOf(matching, localPath)]
    : [keyOf(matching, carried), keyOf(matching, localPath)];
}

function keyOf({ trees }: Matching, path: LocalPath): string {
  return pathKey(path, trees.local.disk);
}
