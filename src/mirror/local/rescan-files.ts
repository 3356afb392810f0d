import { isSameStamp } from "../model/record.ts";
import { digestOf } from "../../contract/digest.ts";
import { type LocalPath, nameOf } from "../../contract/path.ts";
import type { StoreContent } from "../ports/disk.ts";
import { isRuleFile } from "../model/rule-files.ts";
import type { LocalFile, UnsyncedEntry, LocalTree } from "../model/tree.ts";
import { nullOnAnyErrno, attemptCall } from "./errno.ts";
import { type RootGuard, statOrNull } from "./root-guard.ts";
import { toStamp } from "./stamp.ts";
import { decodeText } from "../../common/text.ts";

/**
 * Scans some paths again, and returns a tree with the changes. This is enough if files were edited
 * in place. Only a complete scan can distinguish a move, a deletion and a new document.
 * @param isInodeElsewhere returns true if an inode belongs to a known document that `tree` leaves
 * out
 * @returns `tree` itself if nothing changed; null if a complete scan is needed
 */
export function rescanFiles(
  guard: RootGuard,
  tree: LocalTree,
  paths: Iterable<LocalPath>,
  onText: StoreContent,
  isInodeElsewhere: IsInodeElsewhere = () => false,
): LocalTree | null {
  if (tree.unseen.size > 0) return null;
  const changedFiles = new Map<LocalPath, LocalFile>();
  for (const path of paths) {
    const knownFile = tree.files.get(path);
    if (knownFile === undefined) {
      if (!concernsNoDocument(guard, tree, path, isInodeElsewhere)) return null;
      continue;
    }
    const file = guard.withFoldersOpen(() => readAgain(guard, knownFile, onText));
    if (file === null || isMoveTarget(file, knownFile, tree, isInodeElsewhere)) return null;
    if (file !== knownFile) changedFiles.set(path, file);
  }
  if (changedFiles.size === 0) return tree;
  const files = new Map(tree.files);
  for (const [path, file] of changedFiles) files.set(path, file);
  return { ...tree, files };
}

function isMoveTarget(file: LocalFile, known: LocalFile, tree: LocalTree, isInodeElsewhere: IsInodeElsewhere): boolean {
  return file.stamp.ino !== known.stamp.ino && isInodeKnown(file.stamp, tree, isInodeElsewhere);
}

const UNSYNCED_FOLDER_KINDS: ReadonlySet<UnsyncedEntry["kind"] | null> = new Set([
  "dot-folder",
  "ignored-folder",
  "git-ignored-folder",
]);

/**
 * Returns true for a path that is no document, but whose change may affect other paths, such as an
 * ignore file.
 */
function mattersForScan({ folders, others }: LocalTree, path: LocalPath): boolean {
  return path === "" || folders.has(path) || isRuleFile(nameOf(path)) || others.get(path)?.kind === "conflict-copy";
}

function concernsNoDocument(
  guard: RootGuard,
  tree: LocalTree,
  path: LocalPath,
  isInodeElsewhere: IsInodeElsewhere,
): boolean {
  if (mattersForScan(tree, path)) return false;
  const root = guard.root();
  if (root === null) return false;
  const statResult = attemptCall(() => statOrNull(guard.fs, `${root.realPath}/${path}`));
  if ("errno" in statResult) return false;
  const stat = statResult.value;
  if (stat === null) return true;
  if (stat.kind === "folder") return UNSYNCED_FOLDER_KINDS.has(tree.others.get(path)?.kind ?? null);
  // A Markdown file at this path is a new document. A file of another type is ignored, unless it
  // has the inode of a document: then that document was moved to this path.
  return stat.kind === "file" && !path.endsWith(".md") && !isInodeKnown(stat, tree, isInodeElsewhere);
}

type InodeNumbers = { readonly ino: number; readonly dev: number };
type IsInodeElsewhere = (stamp: InodeNumbers) => boolean;

function isInodeKnown(stat: InodeNumbers, tree: LocalTree, isInodeElsewhere: IsInodeElsewhere): boolean {
  for (const { stamp } of tree.files.values()) if (stamp.ino === stat.ino && stamp.dev === stat.dev) return true;
  return isInodeElsewhere(stat);
}

/**
 * Reads a file again if its stamp changed.
 * @returns `known` itself if neither stamp nor content changed; null if the file is missing or
 * cannot be read
 */
function readAgain(guard: RootGuard, known: LocalFile, onText: StoreContent): LocalFile | null {
  return nullOnAnyErrno(() => {
    const place = guard.place(known.path, "file");
    if (!place.ok) return null;
    const stat = guard.fs.lstat(place.abs);
    if (stat.kind !== "file") return null;
    if (known.stampTrusted && isSameStamp(known.stamp, stat)) return known;
    return hashAgain(guard, place.abs, known, onText);
  });
}

/**
 * Reads a file and computes its digest again.
 * @returns `known` itself if neither its content nor its stamp changed
 */
function hashAgain(guard: RootGuard, abs: string, known: LocalFile, onText: StoreContent): LocalFile {
  const { path } = known;
  const { bytes, stat } = guard.fs.readFile(abs);
  const digest = digestOf(bytes);
  if (digest === known.digest && isSameStamp(known.stamp, stat)) return known;
  const { text, fault } = decodeText(bytes);
  if (text !== null && digest !== known.digest) onText(digest, text, path);
  return { path, stamp: toStamp(stat), stampTrusted: false, digest, textFault: fault, empty: bytes.length === 0 };
}
