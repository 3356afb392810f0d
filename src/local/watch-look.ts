import { digestOf } from "../model/digest.ts";
import { type LocalPath, nameOf } from "../model/path.ts";
import type { OnText } from "../ports/disk.ts";
import type { LocalFile, LocalOther, LocalTree } from "../model/tree.ts";
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
  if (tree.unseen.size > 0) return null;
  const changed = new Map<LocalPath, LocalFile>();
  for (const path of paths) {
    const known = tree.files.get(path);
    if (known === undefined) {
      if (!concernsNoDocument(guard, tree, path, elsewhere)) return null;
      continue;
    }
    const file = guard.during(() => readAgain(guard, known, onText));
    if (file === null || isHalfOfMove(file, known, tree, elsewhere)) return null;
    if (file !== known) changed.set(path, file);
  }
  if (changed.size === 0) return tree;
  const files = new Map(tree.files);
  for (const [path, file] of changed) files.set(path, file);
  return { ...tree, files };
}

/** Whether the inode of another document is at this path now. */
function isHalfOfMove(file: LocalFile, known: LocalFile, tree: LocalTree, elsewhere: HasInode): boolean {
  return file.stamp.ino !== known.stamp.ino && isInodeKnown(file.stamp, tree, elsewhere);
}

const FOLDERS_LEFT_ALONE: ReadonlySet<LocalOther["kind"] | null> = new Set(["dot-folder", "ignored-folder"]);

/** A path that matters to the mirror although it is no document's. */
function isOfMirror({ folders, others }: LocalTree, path: LocalPath): boolean {
  return path === "" || folders.has(path) || nameOf(path) === IGNORE_FILE || others.get(path)?.kind === "sidecar";
}

/**
 * Of a path that is no known document: whether nothing is there, or still what the mirror leaves
 * alone.
 */
function concernsNoDocument(guard: RootGuard, tree: LocalTree, path: LocalPath, elsewhere: HasInode): boolean {
  if (isOfMirror(tree, path)) return false;
  const root = guard.root();
  if (root === null) return false;
  try {
    const stat = unless(["ENOENT", "ENOTDIR"], () => guard.fs.lstat(`${root.real}/${path}`));
    if (stat === null) return true;
    if (stat.kind === "folder") return FOLDERS_LEFT_ALONE.has(tree.others.get(path)?.kind ?? null);
    // A document of a name that is mirrored, or a folder, is new; any other file only matters where
    // a document's inode went to it.
    return stat.kind === "file" && !path.endsWith(".md") && !isInodeKnown(stat, tree, elsewhere);
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return false;
  }
}

type InodeOf = { readonly ino: number; readonly dev: number };
type HasInode = (stamp: InodeOf) => boolean;

/** Whether a document of the tree, or one elsewhere, has this inode. */
function isInodeKnown(stat: InodeOf, tree: LocalTree, elsewhere: HasInode): boolean {
  for (const { stamp } of tree.files.values()) if (stamp.ino === stat.ino && stamp.dev === stat.dev) return true;
  return elsewhere(stat);
}

/**
 * @returns the same object when its stamp vouches for it; null when no file is there, or it cannot
 * be read
 */
function readAgain(guard: RootGuard, known: LocalFile, onText: OnText): LocalFile | null {
  const place = guard.place(known.path, "file");
  if (!place.ok) return null;
  try {
    const stat = unless(["ENOENT", "ENOTDIR"], () => guard.fs.lstat(place.abs));
    if (stat === null || stat.kind !== "file") return null;
    if (known.stampTrusted && sameStamp(known.stamp, stat)) return known;
    return hashAgain(guard, place.abs, known, onText);
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return null;
  }
}

/** @returns the same object when neither text nor stamp is another one */
function hashAgain(guard: RootGuard, abs: string, known: LocalFile, onText: OnText): LocalFile {
  const { path } = known;
  const { bytes, stat } = guard.fs.readFile(abs);
  const digest = digestOf(bytes);
  if (digest === known.digest && sameStamp(known.stamp, stat)) return known;
  const { text, fault } = decodeText(bytes);
  if (text !== null && digest !== known.digest) onText(digest, text, path);
  return { path, stamp: stampOf(stat), stampTrusted: false, digest, textFault: fault, empty: bytes.length === 0 };
}
