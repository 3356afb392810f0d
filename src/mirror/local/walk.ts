import type { LocalPath } from "../../contract/path.ts";
import { type Unread, unreadable } from "../model/seen.ts";
import type { KnownFile, FileNumbers, OnText } from "../ports/disk.ts";
import type { FsStat } from "../ports/fs.ts";
import type { LocalFile, LocalFolder, LocalOther, LocalTree } from "../model/tree.ts";
import { anyErrno, attemptCall, errnoText } from "./errno.ts";
import type { RootGuard, Root } from "./root-guard.ts";
import { ignoresPath, type RecordedPathSource, recordedPaths } from "./ignore.ts";
import { exclusionOf, patternsOutside, withoutAnswers } from "./rules.ts";
import { freshName, TEMP_PREFIX, unlinkLeftover } from "./names.ts";
import { sameInode } from "./stamp.ts";
import { readFolder, type WalkedFolder, type Scan } from "./walk-folder.ts";

export type WalkOptions = {
  /** True if a file may be made to learn the disk's time; if not, no new stamp is trusted. */
  readonly probes: boolean;
  /** Patterns (gitignore syntax) in addition to those of the `.mdmirrorignore` files. */
  readonly ignore: readonly string[];
  /** The only folders that are synced; empty: all. */
  readonly folders: readonly LocalPath[];
  /** Paths that `.gitignore` files never leave out; null: these files are not followed. */
  readonly gitignore: RecordedPathSource | null;
  /** Entries between two pauses. */
  readonly partSize: number;
};

/**
 * LIMIT: checks after a scan. After a folder moved, four checks find no more changes. A tree that
 * changes during each check is not used in this cycle.
 */
const MAX_CHECKS = 8;

/**
 * Scans every entry of the tree. Then checks the folders, and reads those again that changed since
 * they were read, until a check finds no change. So a document that moved from an unread folder to
 * a folder that was already read counts neither as deleted nor twice. If the changes do not end,
 * the scanned entries exist, and nothing counts as absent (the root is `unseen`). LIMIT: on a disk
 * where no file can be made, two changes within one tick of its clock cannot be distinguished;
 * therefore a deletion needs two scans. A system call that fails never ends a scan: its entry is
 * `unseen`. The scan pauses now and then. A change during a pause is found like any change while
 * the scan reads. The calls and their order are the same with and without pauses.
 */
export function* walkTree(
  guard: RootGuard,
  options: WalkOptions,
  known: (path: LocalPath) => KnownFile | null,
  onText: OnText,
  leftOut?: FileNumbers,
): Generator<void, LocalTree> {
  const root = guard.root();
  const unseen = new Map<LocalPath, Unread>();
  const tree = {
    files: new Map<LocalPath, LocalFile>(),
    folders: new Map<LocalPath, LocalFolder>(),
    others: new Map<LocalPath, LocalOther>(),
  };
  const numbers: number[] = [];
  const rules: Scan["rules"] = new Map();
  const kept = new Set<LocalPath>();
  if (root === null) {
    unseen.set("", unreadable("the linked folder does not exist, or is another folder"));
  } else {
    const scan: Scan = {
      fs: guard.fs,
      hold: guard.openScanFolder(),
      dev: root.stat.dev,
      diskNow: options.probes ? diskTime(guard) : null,
      foldsCase: guard.names().foldsCase,
      extraPatterns: options.ignore,
      scope: patternsOutside(options.folders, guard.names().foldsUnicode),
      rules,
      recorded: options.gitignore === null ? null : recordedPaths(options.gitignore),
      kept,
      known,
      onText,
      leftOut: leftOut ?? null,
      filesRead: new Map(),
      entriesRead: 0,
      partSize: options.partSize,
    };
    const { top, isUnchanged } = yield* readTree(scan, root);
    if (top !== null) collect(top, tree, unseen, numbers);
    if (!isUnchanged)
      unseen.set("", unreadable(top === null ? "the linked folder was removed" : "its folders keep changing"));
  }
  leftOut?.noteLocal(numbers);
  const lasting = withoutAnswers(rules);
  return {
    ...tree,
    unseen,
    disk: guard.names(),
    inodesTrusted: true,
    ignores: (path, kind) => ignoresPath(lasting, path, kind, kept),
    excludedBy: (path, kind) => exclusionOf(lasting, path, kind)?.rule ?? null,
  };
}

/**
 * Returns the disk's own time, as the stamp of a file made now (I29: no wall clock); null if no
 * file can be made.
 */
function diskTime(guard: RootGuard): number | null {
  const learn = () => {
    const probe = freshName(guard, TEMP_PREFIX);
    guard.fs.writeNew(probe, new Uint8Array(), null, false);
    const { mtimeMs } = guard.fs.lstat(probe);
    unlinkLeftover(guard, probe);
    return mtimeMs;
  };
  return guard.withFoldersOpen(() => anyErrno(learn));
}

/**
 * Reads the whole tree. `isUnchanged`: true if the last check found no change since the reading.
 */
function* readTree(
  scan: Scan,
  root: Root,
): Generator<void, { readonly top: WalkedFolder | null; readonly isUnchanged: boolean }> {
  try {
    let top: WalkedFolder | null = yield* readFolder(scan, { abs: root.realPath, path: "", stat: root.stat }, null);
    for (let check = 1; check <= MAX_CHECKS && top !== null; check++) {
      const reread: WalkedFolder | null = yield* readChanged(scan, top);
      if (reread === top) return { top, isUnchanged: true };
      top = reread;
    }
    return { top, isUnchanged: false };
  } finally {
    scan.hold.close();
  }
}

/**
 * Reads a folder again if it changed. Returns the same object if nothing changed in the folder and
 * below; null if the folder is gone.
 */
function* readChanged(scan: Scan, folder: WalkedFolder): Generator<void, WalkedFolder | null> {
  const stat = statAgain(scan, folder);
  if (stat === null) return null;
  if (typeof stat === "string") return withoutAbsences(folder, stat);
  if (stat.ino !== folder.stat.ino || stat.mtimeMs !== folder.stat.mtimeMs)
    return yield* readFolder(scan, { abs: folder.abs, path: folder.path, stat }, folder);
  // A folder that changed in the tick in which this scan began, or later, may have changed again
  // within that tick. The stamp does not show this, but the names do.
  if (scan.diskNow !== null && stat.mtimeMs >= scan.diskNow) {
    const reread = yield* readFolder(scan, { abs: folder.abs, path: folder.path, stat }, folder);
    if (!hasSameInodes(folder, reread)) return reread;
  }
  return yield* readChangedBelow(scan, folder);
}

/** Returns the stat of a folder. Null if the folder is missing; a clause if it cannot be read. */
function statAgain(scan: Scan, folder: WalkedFolder): FsStat | string | null {
  const found = attemptCall(() => scan.fs.lstat(folder.abs));
  if ("errno" in found) return ["ENOENT", "ENOTDIR"].includes(found.errno) ? null : errnoText(found.errno);
  const stat = found.value;
  if (stat.kind !== "folder") return null;
  // An empty mount point is not an emptied tree: the root must be the folder that was identified.
  if (folder.path === "" && !sameInode(stat, folder.stat)) return null;
  return stat.dev === scan.dev ? stat : "another disk is mounted at this path";
}

/** Returns the same object if no entry below has changed. */
function* readChangedBelow(scan: Scan, folder: WalkedFolder): Generator<void, WalkedFolder> {
  let changed = false;
  const folders: WalkedFolder[] = [];
  for (const child of folder.folders) {
    const reread = yield* readChanged(scan, child);
    if (reread !== child) changed = true;
    if (reread !== null) folders.push(reread);
  }
  return changed ? { ...folder, folders } : folder;
}

/** Returns true if two readings of one folder found the same inodes under the same names. */
function hasSameInodes(before: WalkedFolder, later: WalkedFolder): boolean {
  const { files, others, folders, unseen } = later;
  return (
    files.length === before.files.length &&
    later.leftOut.length === before.leftOut.length &&
    others.length === before.others.length &&
    folders.length === before.folders.length &&
    unseen.size === before.unseen.size &&
    files.every(({ path, stamp }, n) => path === before.files[n]!.path && sameInode(stamp, before.files[n]!.stamp)) &&
    later.leftOut.every((number, n) => number === before.leftOut[n]) &&
    others.every(({ path, kind }, n) => path === before.others[n]!.path && kind === before.others[n]!.kind) &&
    folders.every((child, n) => child === before.folders[n]) &&
    [...unseen].every(([path, { why }]) => before.unseen.get(path)?.why === why)
  );
}

/** Returns the folder as the scan read it, with a mark that no entry in it counts as absent. */
function withoutAbsences(folder: WalkedFolder, why: string): WalkedFolder {
  return { ...folder, unseen: new Map(folder.unseen).set(folder.path, unreadable(why)) };
}

function collect(
  folder: WalkedFolder,
  tree: { files: Map<LocalPath, LocalFile>; folders: Map<LocalPath, LocalFolder>; others: Map<LocalPath, LocalOther> },
  unseen: Map<LocalPath, Unread>,
  numbers: number[],
): void {
  for (const number of folder.leftOut) numbers.push(number);
  for (const file of folder.files) tree.files.set(file.path, file);
  for (const other of folder.others) tree.others.set(other.path, other);
  for (const [path, why] of folder.unseen) unseen.set(path, why);
  for (const child of folder.folders) {
    const { dev, ino, birthMs } = child.stat;
    tree.folders.set(child.path, { path: child.path, dev, ino, birthMs });
    collect(child, tree, unseen, numbers);
  }
}
