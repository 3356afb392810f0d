import { depthOf, joinPath, type LocalPath } from "../../contract/path.ts";
import { CONFIG_FILE, MIRROR_FOLDER } from "../model/mirror-folder.ts";
import {
  LINKED_FOLDER_INSIDE,
  type LocalFile,
  makeUnreadable,
  type UnreadReason,
  type UnsyncedEntry,
} from "../model/tree.ts";
import type { FileNumbers, Fs, FsStat, KnownFile, StoreContent } from "../ports/disk.ts";
import { attemptCall, describeErrno, isOldStamp, isSameInode, readErrno, toStamp } from "./results.ts";
import {
  readFolderRules,
  readRuleFile,
  RulesError,
  type RulesSoFar,
  whyFileUnsynced,
  whyFolderUnsynced,
} from "./ignore.ts";
import type { ScanFolder } from "./root-guard.ts";
import { digestOf } from "../../contract/digest.ts";
import { type Stamp, isSameStamp } from "../model/record.ts";
import { decodeText } from "../../common/text.ts";

/**
 * LIMIT: depth of nested folders, because each level takes one call on the stack. For paths of the
 * service, `remote/shapes.ts` has the same limit.
 */
const MAX_DEPTH = 256;

type DirEntry = ReturnType<Fs["readdir"]>[number];

type Subfolder = Pick<WalkedFolder, "path" | "abs" | "stat">;

/**
 * Reads a folder and everything below it. Pauses after `partSize` entries.
 * @param before earlier result of this scan for this folder, or null. A subfolder with the same
 * inode and unchanged ignore rules is not read again
 */
export function* readFolder(
  scan: FolderScan,
  found: Subfolder,
  before: WalkedFolder | null,
): Generator<void, WalkedFolder> {
  const folder = createEmptyFolder(found);
  const { path } = folder;
  try {
    const names = listFolderEntries(scan, folder);
    if (isLinkedFolder(scan, folder, names)) return createUnreadFolder(folder, LINKED_FOLDER_INSIDE);
    const areRulesUnchanged = readRules(scan, folder, names);
    for (const entry of names) {
      if (path === "" && entry.name === MIRROR_FOLDER) continue;
      const subfolder = readEntry(scan, folder, entry, areRulesUnchanged ? before : null);
      if (subfolder !== null) folder.folders.push(yield* readFolder(scan, subfolder, null));
    }
    scan.entriesRead += names.length;
    if (scan.entriesRead >= scan.partSize) {
      scan.entriesRead = 0;
      yield;
    }
  } catch (error) {
    // Nothing is known about an unreadable folder and everything below it.
    return createUnreadFolder(folder, makeUnreadable(whyUnread(error)));
  }
  return folder;
}

function createEmptyFolder({ path, abs, stat }: Subfolder): WalkedFolder {
  return { path, abs, stat, files: [], leftOut: [], others: [], folders: [], unseen: new Map() };
}

function createUnreadFolder(found: Subfolder, why: UnreadReason): WalkedFolder {
  return { ...createEmptyFolder(found), unseen: new Map([[found.path, why]]) };
}

/**
 * Returns true if a folder below the root is itself a linked folder, whose documents must not go to
 * this workspace as well.
 * @throws errors with an errno
 */
function isLinkedFolder({ fs }: Pick<FolderScan, "fs">, { path, abs }: Subfolder, names: readonly DirEntry[]): boolean {
  if (path === "" || !names.some(({ name, kind }) => name === MIRROR_FOLDER && kind === "folder")) return false;
  return fs.readdir(`${abs}/${MIRROR_FOLDER}`).some(({ name }) => name === CONFIG_FILE);
}

/** Lists the names in order, so that a scan of the same tree always gives the same result (I32). */
function listFolderEntries(
  { fs, hold }: Pick<FolderScan, "fs" | "hold">,
  { abs, stat }: Subfolder,
): readonly DirEntry[] {
  return fs.readdir(hold.open(abs, stat)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Returns the reason why a folder could not be read, as a clause for a message. Throws `error`
 * itself if it is a bug.
 */
function whyUnread(error: unknown): string {
  if (error instanceof RulesError) return error.message;
  const errno = readErrno(error);
  if (errno === null) throw error;
  return describeErrno(errno);
}

/**
 * Reads the ignore files of a folder.
 * @returns true if the scan already had the same rules for the folder
 */
function readRules(scan: FolderScan, { path, abs, stat }: Subfolder, names: readonly DirEntry[]): boolean {
  return readFolderRules(scan, path, (file) => {
    if (!names.some(({ name }) => name === file)) return "";
    const folderPath = scan.hold.open(abs, stat);
    return readRuleFile(file, `the ${file} in it`, () => scan.fs.readFile(`${folderPath}/${file}`).bytes);
  });
}

/**
 * Adds a file or subfolder to the scanned folder. Returns a subfolder that must be read next;
 * otherwise null.
 */
function readEntry(
  scan: FolderScan,
  folder: WalkedFolder,
  { name, kind }: DirEntry,
  before: WalkedFolder | null,
): Subfolder | null {
  const path = joinPath(folder.path, name);
  const abs = `${folder.abs}/${name}`;
  if (kind === "symlink" || kind === "special") {
    folder.others.push({ path, kind, stamp: null });
    return null;
  }
  const statOrErrno = attemptCall(() => statEntry(scan, folder, name, abs));
  if ("errno" in statOrErrno) {
    // If a name is not UTF-8, node:fs replaces the invalid bytes with U+FFFD, and then cannot find
    // the file.
    if (name.includes("\ufffd")) folder.unseen.set(path, makeUnreadable("its name is not valid UTF-8"));
    else if (statOrErrno.errno !== "ENOENT") folder.unseen.set(path, makeUnreadable(describeErrno(statOrErrno.errno)));
    return null;
  }
  const stat = statOrErrno.value;
  if (stat.kind === "folder") return findSubfolder(scan, folder, { path, abs, stat }, before);
  if (stat.kind === "file") readFile(scan, folder, name, path, stat);
  else folder.others.push({ path, kind: stat.kind, stamp: null });
  return null;
}

/**
 * Returns the stat of an entry by the plain path, which is faster than through the open folder. If
 * that call fails, uses the open folder, because only the open folder proves that the entry is
 * missing.
 */
function statEntry(scan: Pick<FolderScan, "fs" | "hold">, folder: Subfolder, name: string, abs: string): FsStat {
  try {
    return scan.fs.lstat(abs);
  } catch (error) {
    const path = readErrno(error) === null ? folder.abs : scan.hold.open(folder.abs, folder.stat);
    if (path === folder.abs) throw error;
    return scan.fs.lstat(`${path}/${name}`);
  }
}

function findSubfolder(
  scan: FolderScan,
  folder: WalkedFolder,
  found: Subfolder,
  before: WalkedFolder | null,
): Subfolder | null {
  const { path, stat } = found;
  const whyUnsynced = whyFolderUnsynced(scan, path);
  if (whyUnsynced !== null) {
    folder.others.push({ path, stamp: toStamp(stat), ...whyUnsynced });
  } else if (stat.dev !== scan.dev) {
    // A folder on another disk is not scanned, because files cannot move atomically between two
    // disks. Besides, files of an unmounted disk must not count as deleted.
    folder.unseen.set(path, makeUnreadable("another disk is mounted at this path"));
  } else if (isTooDeep(path)) {
    folder.unseen.set(path, makeUnreadable(`it is more than ${MAX_DEPTH} folders deep`));
  } else {
    const earlierFolder = before?.folders.find((known) => known.path === path && isSameInode(known.stat, stat));
    if (earlierFolder === undefined) return found;
    folder.folders.push(earlierFolder);
  }
  return null;
}

function isTooDeep(path: LocalPath): boolean {
  return depthOf(path) > MAX_DEPTH;
}

export type FolderScan = RulesSoFar & {
  readonly fs: Fs;
  readonly hold: ScanFolder;
  readonly dev: number;
  readonly diskNow: number | null;
  /**
   * Paths that a `.gitignore` file excludes, but that are synced because a document at or below
   * them has a record.
   */
  readonly kept: Set<LocalPath>;
  readonly known: (path: LocalPath) => KnownFile | null;
  readonly onText: StoreContent;
  /** Unchanged files that the tree may leave out; null if the tree must contain all files. */
  readonly leftOut: FileNumbers | null;
  /**
   * Files that this scan has read. If a folder changes during the scan, its unchanged files are not
   * read again.
   */
  readonly filesRead: Map<LocalPath, LocalFile>;
  entriesRead: number;
  /**
   * Number of entries after which the scan pauses. The scan never pauses within a folder, so more
   * entries may be read before a pause.
   */
  readonly partSize: number;
};

export type WalkedFolder = {
  readonly path: LocalPath;
  readonly abs: string;
  /** Stat of the folder, read before its entries. */
  readonly stat: FsStat;
  readonly files: LocalFile[];
  /** Files that the tree leaves out, by the indexes that `FileNumbers` returned. */
  readonly leftOut: number[];
  readonly others: UnsyncedEntry[];
  readonly folders: WalkedFolder[];
  /** Reasons why paths could not be read. No such path counts as deleted. */
  readonly unseen: Map<LocalPath, UnreadReason>;
};

function readFile(scan: FolderScan, folder: WalkedFolder, name: string, path: LocalPath, stat: FsStat): void {
  const whyUnsynced = whyFileUnsynced(scan, path);
  if (whyUnsynced !== null) {
    folder.others.push({ path, stamp: toStamp(stat), ...whyUnsynced });
    return;
  }
  const number = scan.leftOut?.numberOf(path, stat) ?? null;
  if (number !== null) {
    folder.leftOut.push(number);
    return;
  }
  const earlierFile = scan.filesRead.get(path);
  if (earlierFile !== undefined && isSameStamp(earlierFile.stamp, stat)) {
    folder.files.push(earlierFile);
    return;
  }
  const knownFile = scan.known(path);
  if (isTrusted(knownFile) && isSameStamp(knownFile.stamp, stat)) folder.files.push(trustKnownFile(knownFile, stat));
  else hashIntoFolder(scan, folder, name, path, knownFile);
}

type TrustedFile = KnownFile & { readonly stamp: Stamp };

function isTrusted(known: KnownFile | null): known is TrustedFile {
  return known !== null && known.stamp !== null;
}

/**
 * Returns a file without reading it, because its stamp is the recorded stamp.
 * ASSUMES: mdmirror could read the content of every file with a recorded stamp.
 */
function trustKnownFile({ path, digest, stamp: known }: TrustedFile, stat: FsStat): LocalFile {
  const stamp = known.nlink === stat.nlink && known.birthMs === stat.birthMs ? known : toStamp(stat);
  return { path, stamp, stampTrusted: true, digest, textFault: null, empty: stamp.size === 0 };
}

function hashIntoFolder(
  scan: FolderScan,
  folder: WalkedFolder,
  name: string,
  path: LocalPath,
  known: KnownFile | null,
): void {
  const fileOrErrno = attemptCall(() =>
    hashFile(scan, path, `${scan.hold.open(folder.abs, folder.stat)}/${name}`, known),
  );
  if ("value" in fileOrErrno) {
    folder.files.push(fileOrErrno.value);
    scan.filesRead.set(path, fileOrErrno.value);
  } else if (fileOrErrno.errno !== "ENOENT") folder.unseen.set(path, makeUnreadable(describeErrno(fileOrErrno.errno)));
}

/**
 * If another file replaced the listed file meanwhile, the result has the stamp of the file that was
 * read.
 */
function hashFile(scan: FolderScan, path: LocalPath, abs: string, known: KnownFile | null): LocalFile {
  const { bytes, stat } = scan.fs.readFile(abs, "brief");
  const stamp = toStamp(stat);
  const fileFacts = { stamp, stampTrusted: isOldStamp(stamp, scan.diskNow), empty: bytes.length === 0 };
  const digest = digestOf(bytes);
  // The strings of the record are used, so that memory has no second copy.
  if (digest === known?.digest) return { ...fileFacts, path: known.path, digest: known.digest, textFault: null };
  const { text, fault } = decodeText(bytes);
  if (text !== null) scan.onText(digest, text, path);
  return { ...fileFacts, path, digest, textFault: fault };
}
