import { digestOf } from "../model/digest.ts";
import { type LocalPath, nameOf } from "../model/path.ts";
import type { OnText } from "../ports/disk.ts";
import type { LocalFile, LocalTree } from "../model/tree.ts";
import { errnoOf, unless } from "./errno.ts";
import type { RootGuard } from "./root-guard.ts";
import { IGNORE_FILE } from "./ignore.ts";
import { sameStamp, stampOf } from "./stamp.ts";
import { decodeText } from "./text.ts";

/**
 * An earlier walk's tree with some files looked at again: what an edit of a document that stays
 * where it is needs. Everything that could mean a move, a deletion or something new asks for a
 * whole walk, which alone tells these apart.
 * @param paths where something changed: files, folders or nothing
 * @param elsewhere whether a document that is not in `tree` has this inode, where the tree is a
 * part of what is known
 * @returns the same object when nothing is different; null when a whole walk is needed
 */
export function lookAtFiles(
  guard: RootGuard,
  tree: LocalTree,
  paths: Iterable<LocalPath>,
  onText: OnText,
  elsewhere: HasInode = () => false,
): LocalTree | null {
  const inodeIsKnown: HasInode = (stamp) => hasInode(tree, stamp) || elsewhere(stamp);
  if (tree.unseen.size > 0) return null;
  const changed = new Map<LocalPath, LocalFile>();
  for (const path of paths) {
    const known = tree.files.get(path);
    if (known === undefined) {
      if (!isNoMatter(guard, tree, path, inodeIsKnown)) return null;
      continue;
    }
    const file = guard.during(() => readAgain(guard, known, onText));
    if (file === null) return null;
    // The inode of another document at this path is half of a move.
    if (file.stamp.ino !== known.stamp.ino && inodeIsKnown(file.stamp)) return null;
    if (file !== known) changed.set(path, file);
  }
  if (changed.size === 0) return tree;
  const files = new Map(tree.files);
  for (const [path, file] of changed) files.set(path, file);
  return { ...tree, files };
}

/**
 * Whether a path that is no known document concerns none either: nothing is there, or still what
 * the mirror leaves alone.
 */
function isNoMatter(guard: RootGuard, tree: LocalTree, path: LocalPath, inodeIsKnown: HasInode): boolean {
  if (path === "" || tree.folders.has(path) || nameOf(path) === IGNORE_FILE) return false;
  const other = tree.others.get(path);
  if (other?.kind === "sidecar") return false;
  const root = guard.root();
  if (root === null) return false;
  try {
    const stat = unless(["ENOENT", "ENOTDIR"], () => guard.fs.lstat(`${root.real}/${path}`));
    if (stat === null) return true;
    if (stat.kind === "folder") return other?.kind === "dot-folder" || other?.kind === "ignored-folder";
    // A document of a name that is mirrored, or a folder, is new; any other file only matters where
    // a document's inode went to it.
    return stat.kind === "file" && !path.endsWith(".md") && !inodeIsKnown(stat);
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return false;
  }
}

type HasInode = (stamp: { readonly ino: number; readonly dev: number }) => boolean;

function hasInode(tree: LocalTree, stat: { readonly ino: number; readonly dev: number }): boolean {
  for (const { stamp } of tree.files.values()) if (stamp.ino === stat.ino && stamp.dev === stat.dev) return true;
  return false;
}

/**
 * @returns the same object when its stamp vouches for it; null when no file is there, or it cannot
 * be read
 */
function readAgain(guard: RootGuard, known: LocalFile, onText: OnText): LocalFile | null {
  const { path } = known;
  const place = guard.place(path, "file");
  if (!place.ok) return null;
  try {
    const stat = unless(["ENOENT", "ENOTDIR"], () => guard.fs.lstat(place.abs));
    if (stat === null || stat.kind !== "file") return null;
    if (known.stampTrusted && sameStamp(known.stamp, stat)) return known;
    const found = guard.fs.readFile(place.abs);
    const digest = digestOf(found.bytes);
    const stamp = stampOf(found.stat);
    if (digest === known.digest && sameStamp(known.stamp, found.stat)) return known;
    const { text, fault } = decodeText(found.bytes);
    if (text !== null && digest !== known.digest) onText(digest, text, path);
    return { path, stamp, stampTrusted: false, digest, textFault: fault, empty: found.bytes.length === 0 };
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return null;
  }
}
