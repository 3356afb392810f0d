import { type LocalPath, nameOf } from "../../contract/path.ts";
import {
  type LocalFile,
  type LocalFolder,
  type LocalTree,
  makeUnreadable,
  type UnreadReason,
  type UnsyncedEntry,
} from "../model/tree.ts";
import type { Disk, FileNumbers, FsStat, KnownFile, StoreContent } from "../ports/disk.ts";
import { attemptCall, describeErrno, isSameInode, nullOnAnyErrno, toStamp } from "./results.ts";
import { type RootFolder, type RootGuard, statOrNull } from "./root-guard.ts";
import { beginRules, copyWithoutCache, findExclusion, ignoresPath, type RulesOptions } from "./ignore.ts";
import { makeTempPath, removeTempFile, TEMP_PREFIX } from "./names.ts";
import { type FolderScan, readFolder, type WalkedFolder } from "./walk-folder.ts";
import { isSameStamp, type Stamp } from "../model/record.ts";
import { digestOf } from "../../contract/digest.ts";
import { isRuleFile } from "../model/mirror-folder.ts";
import { decodeText } from "../../common/text.ts";

export type WalkOptions = RulesOptions & {
  /**
   * True if the scan may make a file, whose time shows the disk's clock. Without this time, the
   * scan trusts no new stamp.
   */
  readonly probes: boolean;
  readonly partSize: number;
};

/**
 * LIMIT: number of checks for changes during a scan, so that the scan ends even while a program
 * keeps changing folders. If the last check still finds changes, no file counts as deleted in this
 * scan. One moved folder takes four checks.
 */
const MAX_CHECKS = 8;

/**
 * Scans the whole linked folder. Then checks all folders, and reads changed folders again, until a
 * check finds no change. A document that moves during the scan is thus found exactly once.
 * - If the folders keep changing, the result contains what the scan found, and nothing counts as
 *   absent.
 * - If a system call fails, its path is `unseen`, and the scan continues.
 * - The scan yields after every `partSize` entries. The checks find changes that happen during a
 *   pause.
 * LIMIT: if no file can be made, the disk's time is unknown. Two changes within one tick of the
 * disk's clock then look like one. For this reason, a deletion needs two scans.
 */
export function* walkTree(
  guard: RootGuard,
  options: WalkOptions,
  known: (path: LocalPath) => KnownFile | null,
  onText: StoreContent,
  leftOut?: FileNumbers,
): Generator<void, LocalTree> {
  const root = guard.root();
  const entries: TreeEntries = { files: new Map(), folders: new Map(), others: new Map(), unseen: new Map() };
  const leftOutNumbers: number[] = [];
  const rules = beginRules(options, guard.names());
  const keptPaths = new Set<LocalPath>();
  if (root === null) {
    entries.unseen.set("", makeUnreadable("the linked folder does not exist, or is another folder"));
  } else {
    const scan: FolderScan = {
      ...rules,
      fs: guard.fs,
      hold: guard.openScanFolder(),
      dev: root.stat.dev,
      diskNow: options.probes ? readDiskTime(guard) : null,
      kept: keptPaths,
      known,
      onText,
      leftOut: leftOut ?? null,
      filesRead: new Map(),
      entriesRead: 0,
      partSize: options.partSize,
    };
    const { top, isUnchanged } = yield* readTree(scan, root);
    if (top !== null) collectEntries(top, entries, leftOutNumbers);
    const why = top === null ? "the linked folder was removed" : "its folders keep changing";
    if (!isUnchanged) entries.unseen.set("", makeUnreadable(why));
  }
  leftOut?.noteLocal(leftOutNumbers);
  const uncachedRules = copyWithoutCache(rules.rules);
  return {
    ...entries,
    disk: guard.names(),
    inodesTrusted: true,
    ignores: (path, kind) => ignoresPath(uncachedRules, path, kind, keptPaths),
    excludedBy: (path, kind) => findExclusion(uncachedRules, path, kind)?.rule ?? null,
  };
}

/**
 * Returns the current time of the disk's clock (I29: not the machine's clock), in milliseconds
 * since the epoch. Makes a file and reads its time; returns null if no file can be made.
 */
function readDiskTime(guard: RootGuard): number | null {
  const readProbeTime = () => {
    const probe = makeTempPath(guard, TEMP_PREFIX);
    guard.fs.writeNew(probe, new Uint8Array(), null, false);
    const { mtimeMs } = guard.fs.lstat(probe);
    removeTempFile(guard, probe);
    return mtimeMs;
  };
  return guard.withFoldersOpen(() => nullOnAnyErrno(readProbeTime));
}

function* readTree(
  scan: FolderScan,
  root: RootFolder,
): Generator<void, { readonly top: WalkedFolder | null; readonly isUnchanged: boolean }> {
  try {
    let top: WalkedFolder | null = yield* readFolder(scan, { abs: root.realPath, path: "", stat: root.stat }, null);
    for (let check = 1; check <= MAX_CHECKS && top !== null; check++) {
      const rereadFolder: WalkedFolder | null = yield* readChanged(scan, top);
      if (rereadFolder === top) return { top, isUnchanged: true };
      top = rereadFolder;
    }
    return { top, isUnchanged: false };
  } finally {
    scan.hold.close();
  }
}

/**
 * Checks a folder and everything below it, and reads changed folders again. Returns `folder` itself
 * if nothing changed; null if the folder no longer exists.
 */
function* readChanged(scan: FolderScan, folder: WalkedFolder): Generator<void, WalkedFolder | null> {
  const stat = readStatAgain(scan, folder);
  if (stat === null) return null;
  if (typeof stat === "string") return withoutAbsences(folder, stat);
  if (stat.ino !== folder.stat.ino || stat.mtimeMs !== folder.stat.mtimeMs)
    return yield* readFolder(scan, { abs: folder.abs, path: folder.path, stat }, folder);
  // A folder that changed after the scan began may have changed again within the same tick of the
  // disk's clock. The second change does not alter the folder's mtime, so the names are compared.
  if (scan.diskNow !== null && stat.mtimeMs >= scan.diskNow) {
    const rereadFolder = yield* readFolder(scan, { abs: folder.abs, path: folder.path, stat }, folder);
    if (!hasSameInodes(folder, rereadFolder)) return rereadFolder;
  }
  return yield* readChangedBelow(scan, folder);
}

/**
 * Returns the stat of a folder; null if the folder is missing. If the folder cannot be read,
 * returns the reason, as a clause for a message.
 */
function readStatAgain(scan: FolderScan, folder: WalkedFolder): FsStat | string | null {
  const statResult = attemptCall(() => scan.fs.lstat(folder.abs));
  if ("errno" in statResult)
    return ["ENOENT", "ENOTDIR"].includes(statResult.errno) ? null : describeErrno(statResult.errno);
  const stat = statResult.value;
  if (stat.kind !== "folder") return null;
  // The root must be the same folder: after its disk was unmounted, the path leads to the empty
  // mount point.
  if (folder.path === "" && !isSameInode(stat, folder.stat)) return null;
  return stat.dev === scan.dev ? stat : "another disk is mounted at this path";
}

function* readChangedBelow(scan: FolderScan, folder: WalkedFolder): Generator<void, WalkedFolder> {
  let hasChanged = false;
  const folders: WalkedFolder[] = [];
  for (const child of folder.folders) {
    const rereadFolder = yield* readChanged(scan, child);
    if (rereadFolder !== child) hasChanged = true;
    if (rereadFolder !== null) folders.push(rereadFolder);
  }
  return hasChanged ? { ...folder, folders } : folder;
}

function hasSameInodes(before: WalkedFolder, later: WalkedFolder): boolean {
  const { files, others, folders, unseen } = later;
  return (
    files.length === before.files.length &&
    later.leftOut.length === before.leftOut.length &&
    others.length === before.others.length &&
    folders.length === before.folders.length &&
    unseen.size === before.unseen.size &&
    files.every(({ path, stamp }, n) => path === before.files[n]!.path && isSameInode(stamp, before.files[n]!.stamp)) &&
    later.leftOut.every((number, n) => number === before.leftOut[n]) &&
    others.every(({ path, kind }, n) => path === before.others[n]!.path && kind === before.others[n]!.kind) &&
    folders.every((child, n) => child === before.folders[n]) &&
    [...unseen].every(([path, { why }]) => before.unseen.get(path)?.why === why)
  );
}

/** Marks a folder so that none of its missing entries counts as deleted. */
function withoutAbsences(folder: WalkedFolder, why: string): WalkedFolder {
  return { ...folder, unseen: new Map(folder.unseen).set(folder.path, makeUnreadable(why)) };
}

type TreeEntries = {
  readonly files: Map<LocalPath, LocalFile>;
  readonly folders: Map<LocalPath, LocalFolder>;
  readonly others: Map<LocalPath, UnsyncedEntry>;
  readonly unseen: Map<LocalPath, UnreadReason>;
};

function collectEntries(folder: WalkedFolder, entries: TreeEntries, numbers: number[]): void {
  for (const number of folder.leftOut) numbers.push(number);
  for (const file of folder.files) entries.files.set(file.path, file);
  for (const entry of folder.others) entries.others.set(entry.path, entry);
  for (const [path, why] of folder.unseen) entries.unseen.set(path, why);
  for (const child of folder.folders) {
    const { dev, ino, birthMs } = child.stat;
    entries.folders.set(child.path, { path: child.path, dev, ino, birthMs });
    collectEntries(child, entries, numbers);
  }
}

/**
 * Scans some paths again, and returns a tree with the changes. Such a scan is enough for files that
 * were edited in place. Only a complete scan can distinguish a move, a deletion and a new document.
 * @param isInodeElsewhere returns true if an inode belongs to a known document that `tree` leaves
 * out
 * @returns `tree` itself if nothing changed; null if a complete scan is needed
 */
export function rescanFiles(
  guard: RootGuard,
  tree: LocalTree,
  paths: Iterable<LocalPath>,
  onText: StoreContent,
  isInodeElsewhere: InodeTest = () => false,
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

function isMoveTarget(file: LocalFile, known: LocalFile, tree: LocalTree, isInodeElsewhere: InodeTest): boolean {
  return file.stamp.ino !== known.stamp.ino && isInodeKnown(file.stamp, tree, isInodeElsewhere);
}

const UNSYNCED_FOLDER_KINDS: ReadonlySet<UnsyncedEntry["kind"] | null> = new Set([
  "dot-folder",
  "ignored-folder",
  "git-ignored-folder",
]);

/**
 * Returns true for a path that is no document, but may affect other paths when it changes, such as
 * an ignore file.
 */
function mattersForScan({ folders, others }: LocalTree, path: LocalPath): boolean {
  return path === "" || folders.has(path) || isRuleFile(nameOf(path)) || others.get(path)?.kind === "conflict-copy";
}

function concernsNoDocument(guard: RootGuard, tree: LocalTree, path: LocalPath, isInodeElsewhere: InodeTest): boolean {
  if (mattersForScan(tree, path)) return false;
  const root = guard.root();
  if (root === null) return false;
  const statResult = attemptCall(() => statOrNull(guard.fs, `${root.realPath}/${path}`));
  if ("errno" in statResult) return false;
  const stat = statResult.value;
  if (stat === null) return true;
  if (stat.kind === "folder") return UNSYNCED_FOLDER_KINDS.has(tree.others.get(path)?.kind ?? null);
  // A Markdown file at this path is a new document. A file of another type is ignored, except for a
  // file with the inode of a document, which was moved to this path.
  return stat.kind === "file" && !path.endsWith(".md") && !isInodeKnown(stat, tree, isInodeElsewhere);
}

type InodeTest = NonNullable<Parameters<Disk["scanFiles"]>[3]>;

function isInodeKnown(stat: Pick<Stamp, "dev" | "ino">, tree: LocalTree, isInodeElsewhere: InodeTest): boolean {
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
 * @returns `known` itself if neither content nor stamp changed
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
