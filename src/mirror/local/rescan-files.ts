import { sameStamp } from "../model/record.ts";
import { digestOf } from "../../contract/digest.ts";
import { type LocalPath, nameOf } from "../../contract/path.ts";
import type { OnText } from "../ports/disk.ts";
import { isRuleFile } from "../model/rule-files.ts";
import type { LocalFile, LocalOther, LocalTree } from "../model/tree.ts";
import { anyErrno, attemptCall } from "./errno.ts";
import { type RootGuard, statOrNull } from "./root-guard.ts";
import { stampOf } from "./stamp.ts";
import { decodeText } from "../../common/text.ts";

/**
 * Scans some files of an earlier tree again, which is enough for an edit in place. A change that
 * could mean a move, a deletion or a new document needs a complete scan, because only a complete
 * scan distinguishes these.
 * @param paths paths where something changed: files, folders or nothing
 * @param isInodeElsewhere returns true if a document outside `tree` has this inode, when the tree
 * has only some of the known documents
 * @returns the same object if nothing changed; null if a complete scan is needed
 */
export function rescanFiles(
  guard: RootGuard,
  tree: LocalTree,
  paths: Iterable<LocalPath>,
  onText: OnText,
  isInodeElsewhere: HasInode = () => false,
): LocalTree | null {
  if (tree.unseen.size > 0) return null;
  const changed = new Map<LocalPath, LocalFile>();
  for (const path of paths) {
    const known = tree.files.get(path);
    if (known === undefined) {
      if (!concernsNoDocument(guard, tree, path, isInodeElsewhere)) return null;
      continue;
    }
    const file = guard.withFoldersOpen(() => readAgain(guard, known, onText));
    if (file === null || isHalfOfMove(file, known, tree, isInodeElsewhere)) return null;
    if (file !== known) changed.set(path, file);
  }
  if (changed.size === 0) return tree;
  const files = new Map(tree.files);
  for (const [path, file] of changed) files.set(path, file);
  return { ...tree, files };
}

/** Returns true if the file at this path has the inode of another document now. */
function isHalfOfMove(file: LocalFile, known: LocalFile, tree: LocalTree, isInodeElsewhere: HasInode): boolean {
  return file.stamp.ino !== known.stamp.ino && isInodeKnown(file.stamp, tree, isInodeElsewhere);
}

const FOLDERS_LEFT_ALONE: ReadonlySet<LocalOther["kind"] | null> = new Set([
  "dot-folder",
  "ignored-folder",
  "git-ignored-folder",
]);

/** Returns true for a path that belongs to no document but may change what a scan finds. */
function mattersForScan({ folders, others }: LocalTree, path: LocalPath): boolean {
  return path === "" || folders.has(path) || isRuleFile(nameOf(path)) || others.get(path)?.kind === "conflict-copy";
}

/**
 * Returns true if a path without a known document is free, or has only an entry that is not synced.
 */
function concernsNoDocument(guard: RootGuard, tree: LocalTree, path: LocalPath, isInodeElsewhere: HasInode): boolean {
  if (mattersForScan(tree, path)) return false;
  const root = guard.root();
  if (root === null) return false;
  const found = attemptCall(() => statOrNull(guard.fs, `${root.realPath}/${path}`));
  if ("errno" in found) return false;
  const stat = found.value;
  if (stat === null) return true;
  if (stat.kind === "folder") return FOLDERS_LEFT_ALONE.has(tree.others.get(path)?.kind ?? null);
  // A Markdown file or a folder is new. Any other file only matters if it has the inode of a
  // document, which was then moved to this path.
  return stat.kind === "file" && !path.endsWith(".md") && !isInodeKnown(stat, tree, isInodeElsewhere);
}

type InodeOf = { readonly ino: number; readonly dev: number };
type HasInode = (stamp: InodeOf) => boolean;

/** Returns true if a document of the tree, or one elsewhere, has this inode. */
function isInodeKnown(stat: InodeOf, tree: LocalTree, isInodeElsewhere: HasInode): boolean {
  for (const { stamp } of tree.files.values()) if (stamp.ino === stat.ino && stamp.dev === stat.dev) return true;
  return isInodeElsewhere(stat);
}

/**
 * Reads a file again.
 * @returns the same object if its stamp is unchanged; null if the file is missing or cannot be read
 */
function readAgain(guard: RootGuard, known: LocalFile, onText: OnText): LocalFile | null {
  return anyErrno(() => {
    const place = guard.place(known.path, "file");
    if (!place.ok) return null;
    const stat = guard.fs.lstat(place.abs);
    if (stat.kind !== "file") return null;
    if (known.stampTrusted && sameStamp(known.stamp, stat)) return known;
    return hashAgain(guard, place.abs, known, onText);
  });
}

/**
 * Reads and hashes a file.
 * @returns the same object if neither its content nor its stamp changed
 */
function hashAgain(guard: RootGuard, abs: string, known: LocalFile, onText: OnText): LocalFile {
  const { path } = known;
  const { bytes, stat } = guard.fs.readFile(abs);
  const digest = digestOf(bytes);
  if (digest === known.digest && sameStamp(known.stamp, stat)) return known;
  const { text, fault } = decodeText(bytes);
  if (text !== null && digest !== known.digest) onText(digest, text, path);
  return { path, stamp: stampOf(stat), stampTrusted: false, digest, textFault: fault, empty: bytes.length === 0 };
}
