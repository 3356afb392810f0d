import type { DocId } from "../../contract/ids.ts";
import { isAway, type Link } from "../../model/link.ts";
import { type LocalPath, pathKey } from "../../model/path.ts";
import type { LocalFile } from "../../model/tree.ts";
import { expectedPath } from "./folder-paths.ts";
import { claim, isGrown, isLike, likeness, type Matching, readProfile, sameInodes } from "./matching.ts";
import { pairUp } from "./resemblance.ts";

/**
 * LIMIT: documents one behind the other, each moved over by the one before, that are looked for by
 * their texts.
 */
const MAX_ROUNDS = 8;

/**
 * Files that took each other's paths and were edited as well (`mv a t; mv b a; mv t b`, or a chain
 * of moves). Where all agree, inode and birth time with similar text count more than the path. A
 * document has left for the path of another if that one has left too, by the same evidence; and for
 * an unused path if another document took its own. A lone inode at another's path proves nothing:
 * an editor replaced a file, and the next new file was given its inode. But where a file is
 * nothing like the document of its path, and another file is, an editor gave that one a new inode.
 */
export function matchExchanges(matching: Matching): void {
  const left = new Map<DocId, LocalFile>();
  const known = sameInodes(matching);
  for (const [link, file] of known)
    if (!isAtOwnPath(matching, link, file) && isLike(matching, link, file)) left.set(link.id, file);
  const moved = [...left.values(), ...movedAsTheyWere(matching)];
  if (moved.length === 0) return;
  const owners = ownersByPath(matching);
  const byInode = new Set(left.keys());
  const free = new Set(matching.files.values());
  for (const [, file] of known) free.delete(file);
  findDisplaced(matching, owners, moved, free, left);
  findArrived(matching, free, left);
  // One that turns out to have stayed may have been the proof that another one left.
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    dropUnproven(matching, owners, left);
  }
  for (const [id, file] of left) {
    const evidence = byInode.has(id) ? "inode-and-similar-text" : "similar-text";
    claim(matching, matching.links.get(id)!, file, evidence);
  }
}

function movedAsTheyWere(matching: Matching): LocalFile[] {
  const { links } = matching.trees.base;
  return [...matching.matches].flatMap(([id, { file }]) => (isAtOwnPath(matching, links.get(id)!, file) ? [] : [file]));
}

/**
 * Adds the documents whose paths others have taken, and whose own inodes are gone: each with the
 * file that is most like it, of those whose inode tells nothing. Such a file may stand at the path
 * of the next one.
 * @param moved files that left for other paths
 * @param free files whose inode tells nothing
 */
function findDisplaced(
  matching: Matching,
  owners: ReadonlyMap<string, Link>,
  moved: readonly LocalFile[],
  free: Set<LocalFile>,
  left: Map<DocId, LocalFile>,
): void {
  let taken = [...moved];
  for (let round = 0; round < MAX_ROUNDS && taken.length > 0; round++) {
    const displaced = displacedBy(matching, owners, taken, left);
    taken = [];
    for (const { link, file } of displaced.size === 0 ? [] : pairUp(matching, displaced, free)) {
      if (left.has(link.id) || isAtOwnPath(matching, link, file) || !free.delete(file)) continue;
      left.set(link.id, file);
      taken.push(file);
    }
  }
}

/**
 * The documents of the files' paths that are not found yet, and of whose texts the files hold
 * nothing much.
 */
function displacedBy(
  matching: Matching,
  owners: ReadonlyMap<string, Link>,
  files: readonly LocalFile[],
  left: ReadonlyMap<DocId, LocalFile>,
): ReadonlySet<Link> {
  const displaced = new Set<Link>();
  for (const file of files) {
    const owner = owners.get(keyOf(matching, file.path));
    if (owner === undefined || !matching.links.has(owner.id) || left.has(owner.id)) continue;
    if (isStrange(matching, owner, file)) displaced.add(owner);
  }
  return displaced;
}

/**
 * Adds the documents that are not at their paths, where nothing is, and whose own inodes are gone:
 * each with the file that is most like it, of those that stand where another document left.
 */
function findArrived(matching: Matching, free: ReadonlySet<LocalFile>, left: Map<DocId, LocalFile>): void {
  const byPath = new Map([...free].map((file) => [keyOf(matching, file.path), file]));
  const arrived = [...left.keys()].flatMap((id) => {
    const link = matching.links.get(id)!;
    const there = pathsOf(matching, link).flatMap((path) => byPath.get(path) ?? []);
    return there.filter((file) => isStrange(matching, link, file));
  });
  if (arrived.length === 0) return;
  const occupied = new Set([...matching.files.keys()].map((path) => keyOf(matching, path)));
  const missing = [...matching.links.values()].filter(
    (link) => !left.has(link.id) && !pathsOf(matching, link).some((path) => occupied.has(path)),
  );
  const used = new Set<LocalFile>();
  for (const { link, file } of pairUp(matching, missing, new Set(arrived))) {
    if (left.has(link.id) || used.has(file)) continue;
    left.set(link.id, file);
    used.add(file);
  }
}

/** Whether a file holds nothing much of a document's text. */
function isStrange(matching: Matching, link: Link, file: LocalFile): boolean {
  return !isLike(matching, link, file) && !isGrown(matching, link, file);
}

function isAtOwnPath(matching: Matching, link: Link, file: LocalFile): boolean {
  return pathsOf(matching, link).includes(keyOf(matching, file.path));
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
