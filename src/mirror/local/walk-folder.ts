import { depthOf, joinPath, type LocalPath, parentOf } from "../../contract/path.ts";
import { GITIGNORE_FILE, IGNORE_FILE } from "../model/rule-files.ts";
import { IS_MIRROR, type Unread, unreadable } from "../model/seen.ts";
import type { Fs, FsStat } from "../ports/fs.ts";
import { attemptCall, errnoOf, errnoText } from "./errno.ts";
import { CONFIG_FILE, MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { type FolderRules, rulesAt, rulesOf, RulesError } from "./rules.ts";
import { isOldStamp, sameInode, stampOf } from "./stamp.ts";
import type { KnownFile, FileNumbers, OnText } from "../ports/disk.ts";
import type { LocalFile, LocalOther } from "../model/tree.ts";
import type { ScanFolder } from "./folder-handle.ts";
import { digestOf } from "../../contract/digest.ts";
import { type Stamp, sameStamp } from "../model/record.ts";
import { whyFileUnsynced, whyFolderUnsynced, type RecordedPaths } from "./ignore.ts";
import { decodeText } from "../../common/text.ts";

/**
 * LIMIT: depth of nested folders, as many as the service allows in a path. Each level is a call on
 * the stack, and each folder is checked along its whole path.
 */
const MAX_DEPTH = 256;

type DirEntry = ReturnType<Fs["readdir"]>[number];

type Subfolder = Pick<WalkedFolder, "path" | "abs" | "stat">;

/**
 * @param before an earlier reading of this folder in the same walk, whose folders need not be read
 * again
 */
export function* readFolder(scan: Scan, found: Subfolder, before: WalkedFolder | null): Generator<void, WalkedFolder> {
  const folder = emptyFolder(found);
  const { path } = folder;
  try {
    const names = listNames(scan, folder);
    if (isMirror(scan, folder, names)) return unread(folder, IS_MIRROR);
    const isAsBefore = readRules(scan, folder, names);
    for (const entry of names) {
      if (path === "" && entry.name === MIRROR_FOLDER) continue;
      const below = readEntry(scan, folder, entry, isAsBefore ? before : null);
      if (below !== null) folder.folders.push(yield* readFolder(scan, below, null));
    }
    scan.entriesRead += names.length;
    if (scan.entriesRead >= scan.partSize) {
      scan.entriesRead = 0;
      yield;
    }
  } catch (error) {
    // The list of names or the ignore rules of this folder could not be read, so nothing is known
    // about the folder and the entries below it.
    return unread(folder, unreadable(whyUnread(error)));
  }
  return folder;
}

function emptyFolder({ path, abs, stat }: Subfolder): WalkedFolder {
  return { path, abs, stat, files: [], leftOut: [], others: [], folders: [], unseen: new Map() };
}

function unread(found: Subfolder, why: Unread): WalkedFolder {
  return { ...emptyFolder(found), unseen: new Map([[found.path, why]]) };
}

/**
 * Returns true if a folder below the root is a linked folder of its own. If it was moved into the
 * root, all of its documents would be uploaded to this workspace too.
 * @throws as `Fs` does
 */
function isMirror({ fs }: Pick<Scan, "fs">, { path, abs }: Subfolder, names: readonly DirEntry[]): boolean {
  if (path === "" || !names.some(({ name, kind }) => name === MIRROR_FOLDER && kind === "folder")) return false;
  return fs.readdir(`${abs}/${MIRROR_FOLDER}`).some(({ name }) => name === CONFIG_FILE);
}

/**
 * Returns the names in a folder, sorted. Their order decides the order of all results of a scan
 * (I32).
 */
function listNames({ fs, hold }: Pick<Scan, "fs" | "hold">, { abs, stat }: Subfolder): readonly DirEntry[] {
  return fs.readdir(hold.open(abs, stat)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** @throws an error that is a bug: neither one of the system, nor about unusable ignore rules */
function whyUnread(error: unknown): string {
  if (error instanceof RulesError) return error.message;
  const errno = errnoOf(error);
  if (errno === null) throw error;
  return errnoText(errno);
}

/** Parts of a scan that reading rules needs. */
type RulesContext = Pick<
  Scan,
  "fs" | "hold" | "dev" | "rules" | "extraPatterns" | "scope" | "recorded" | "foldsCase" | "kept"
>;

/**
 * Reads a folder's ignore rules in each scan. If they cannot be read (a symlink is not followed),
 * the folder is not scanned, because the rules may exclude any path.
 * @returns true if an earlier reading in this scan found the same rules
 */
function readRules(scan: RulesContext, folder: Subfolder, names: readonly DirEntry[]): boolean {
  const { path } = folder;
  const read = (file: string) => (names.some(({ name }) => name === file) ? readRuleFile(scan, folder, file) : "");
  const extraLines = path === "" ? scan.extraPatterns.map((pattern) => `${pattern}\n`).join("") : "";
  const texts = {
    ours: read(IGNORE_FILE) + extraLines,
    git: scan.recorded === null ? "" : read(GITIGNORE_FILE),
    scope: path === "" ? scan.scope : "",
  };
  const before = scan.rules.get(path) ?? null;
  const above = path === "" ? null : rulesAt(scan.rules, parentOf(path));
  if (texts.ours === "" && texts.git === "" && texts.scope === "") return !scan.rules.delete(path);
  if (before?.above === above && before.texts.ours === texts.ours && before.texts.git === texts.git) return true;
  scan.rules.set(path, rulesOf(above, path, texts, scan.foldsCase));
  return false;
}

function readRuleFile(scan: RulesContext, { abs, stat }: Subfolder, file: string): string {
  const at = scan.hold.open(abs, stat);
  const found = attemptCall(() => scan.fs.readFile(`${at}/${file}`));
  if ("value" in found) return Buffer.from(found.value.bytes).toString("utf8");
  // A folder of this name means nothing to git.
  if (found.errno === "EISDIR" && file === GITIGNORE_FILE) return "";
  throw new RulesError(`the ${file} in it cannot be read: ${errnoText(found.errno)}`);
}

/** Reads an entry of a folder. Returns a folder that must be read in turn. */
function readEntry(
  scan: Scan,
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
  const found = attemptCall(() => statEntry(scan, folder, name, abs));
  if ("errno" in found) {
    // node:fs shows a name that is not UTF-8 with U+FFFD, and then cannot find it.
    if (name.includes("\ufffd")) folder.unseen.set(path, unreadable("its name is not valid UTF-8"));
    else if (found.errno !== "ENOENT") folder.unseen.set(path, unreadable(errnoText(found.errno)));
    return null;
  }
  const stat = found.value;
  if (stat.kind === "folder") return findSubfolder(scan, folder, { path, abs, stat }, before);
  if (stat.kind === "file") readFile(scan, folder, name, path, stat);
  else folder.others.push({ path, kind: stat.kind, stamp: null });
  return null;
}

/**
 * Returns the stat of an entry by its plain path, which is faster. No content is read through this
 * path; but a missing entry must be missing from this very folder.
 */
function statEntry(scan: Pick<Scan, "fs" | "hold">, folder: Subfolder, name: string, abs: string): FsStat {
  try {
    return scan.fs.lstat(abs);
  } catch (error) {
    const path = errnoOf(error) === null ? folder.abs : scan.hold.open(folder.abs, folder.stat);
    if (path === folder.abs) throw error;
    return scan.fs.lstat(`${path}/${name}`);
  }
}

function findSubfolder(
  scan: Scan,
  folder: WalkedFolder,
  found: Subfolder,
  before: WalkedFolder | null,
): Subfolder | null {
  const { path, stat } = found;
  const other = whyFolderUnsynced(scan, path);
  if (other !== null) {
    folder.others.push({ path, stamp: stampOf(stat), ...other });
  } else if (stat.dev !== scan.dev) {
    // No file can be moved atomically between two disks, and the files of an unmounted disk were
    // not deleted.
    folder.unseen.set(path, unreadable("another disk is mounted at this path"));
  } else if (isTooDeep(path)) {
    folder.unseen.set(path, unreadable(`it is more than ${MAX_DEPTH} folders deep`));
  } else {
    const earlier = before?.folders.find((known) => known.path === path && sameInode(known.stat, stat));
    if (earlier === undefined) return found;
    folder.folders.push(earlier);
  }
  return null;
}

/** Returns true if a folder is too deep. Such a folder is not read. */
function isTooDeep(path: LocalPath): boolean {
  return depthOf(path) > MAX_DEPTH;
}

/** Data that the reading of all folders in one scan shares. */
export type Scan = {
  readonly fs: Fs;
  readonly hold: ScanFolder;
  /** The root's device. */
  readonly dev: number;
  readonly diskNow: number | null;
  readonly foldsCase: boolean;
  readonly extraPatterns: readonly string[];
  /** Patterns of everything outside the folders that are synced. */
  readonly scope: string;
  readonly rules: Map<LocalPath, FolderRules>;
  /** Paths that no `.gitignore` leaves out; null: these files are not followed. */
  readonly recorded: RecordedPaths | null;
  /** Paths that a `.gitignore` would leave out if no recorded document was at or below them. */
  readonly kept: Set<LocalPath>;
  readonly known: (path: LocalPath) => KnownFile | null;
  readonly onText: OnText;
  /**
   * Numbers the files that the caller has records of, so that the tree leaves them out; null if the
   * tree contains all files.
   */
  readonly leftOut: FileNumbers | null;
  /**
   * Files that this scan has read: a second reading of their folder does not read these files
   * again.
   */
  readonly filesRead: Map<LocalPath, LocalFile>;
  /** Number of entries read since the last pause. */
  entriesRead: number;
  /** Number of entries between two pauses. A large folder may have more. */
  readonly partSize: number;
};

/** One folder as the scan read it, with all folders below it. */
export type WalkedFolder = {
  readonly path: LocalPath;
  readonly abs: string;
  /** Stat of the folder, from before its entries were read. */
  readonly stat: FsStat;
  readonly files: LocalFile[];
  /** The caller's numbers of the files that the tree leaves out. */
  readonly leftOut: number[];
  readonly others: LocalOther[];
  readonly folders: WalkedFolder[];
  /** Paths that were not seen, with the reason. */
  readonly unseen: Map<LocalPath, Unread>;
};

/** Reads a file of a folder, and adds it to the files, to the others or to the unseen paths. */
function readFile(scan: Scan, folder: WalkedFolder, name: string, path: LocalPath, stat: FsStat): void {
  const other = whyFileUnsynced(scan, path);
  if (other !== null) {
    folder.others.push({ path, stamp: stampOf(stat), ...other });
    return;
  }
  const number = scan.leftOut?.numberOf(path, stat) ?? null;
  if (number !== null) {
    folder.leftOut.push(number);
    return;
  }
  const earlier = scan.filesRead.get(path);
  if (earlier !== undefined && sameStamp(earlier.stamp, stat)) {
    folder.files.push(earlier);
    return;
  }
  const known = scan.known(path);
  if (isTrusted(known) && sameStamp(known.stamp, stat)) folder.files.push(knownFile(known, stat));
  else hashInto(scan, folder, name, path, known);
}

type TrustedFile = KnownFile & { readonly stamp: Stamp };

function isTrusted(known: KnownFile | null): known is TrustedFile {
  return known !== null && known.stamp !== null;
}

/**
 * Returns a file that the caller knows, if its stamp is unchanged. ASSUMES: the caller knows only
 * linked content, under trusted stamps; linked content has no fault.
 */
function knownFile({ path, digest, stamp: known }: TrustedFile, stat: FsStat): LocalFile {
  const stamp = known.nlink === stat.nlink && known.birthMs === stat.birthMs ? known : stampOf(stat);
  return { path, stamp, stampTrusted: true, digest, textFault: null, empty: stamp.size === 0 };
}

function hashInto(scan: Scan, folder: WalkedFolder, name: string, path: LocalPath, known: KnownFile | null): void {
  const found = attemptCall(() => hashFile(scan, path, `${scan.hold.open(folder.abs, folder.stat)}/${name}`, known));
  if ("value" in found) {
    folder.files.push(found.value);
    scan.filesRead.set(path, found.value);
  } else if (found.errno !== "ENOENT") folder.unseen.set(path, unreadable(errnoText(found.errno)));
}

/**
 * Reads and hashes a file. The stamp belongs to the inode whose bytes were read, which may differ
 * from the listed one.
 */
function hashFile(scan: Scan, path: LocalPath, abs: string, known: KnownFile | null): LocalFile {
  const { bytes, stat } = scan.fs.readFile(abs, "brief");
  const stamp = stampOf(stat);
  const read = { stamp, stampTrusted: isOldStamp(stamp, scan.diskNow), empty: bytes.length === 0 };
  const digest = digestOf(bytes);
  // Uses the caller's strings, which stay in memory: after a first sync, every file is read.
  if (digest === known?.digest) return { ...read, path: known.path, digest: known.digest, textFault: null };
  const { text, fault } = decodeText(bytes);
  if (text !== null) scan.onText(digest, text, path);
  return { ...read, path, digest, textFault: fault };
}
