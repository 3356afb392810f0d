/**
 * Evidence from a scan. Decides when inodes show that two observations are of one file or folder,
 * and when a missing file proves no absence.
 */
import { type DocumentRecord, indexRecordsByPath, type Inode, type Stamp } from "../../model/record.ts";
import {
  type LocalTree,
  makeUnreadable,
  STILL_WRITTEN_REASON,
  type Trees,
  type UnreadReason,
  type UnsyncedEntry,
} from "../../model/tree.ts";
import { type LocalPath, parentOf } from "../../../contract/path.ts";
import { NOTHING_LEFT_OUT } from "../../model/left-out.ts";

/**
 * Returns a key of device, inode and birth time. The inode alone is not enough, because systems may
 * immediately give a free inode to a new file. A key with a birth time never equals a key without
 * one.
 */
export function toInodeKey(inode: Inode): string {
  return `${inode.dev}:${inode.ino}:${inode.birthMs}`;
}

/**
 * Returns the inode key of a file. Null for a file with several hard links, because several paths
 * have its inode.
 */
export function toFileInodeKey(stamp: Stamp | null): string | null {
  return stamp === null || stamp.nlink > 1 ? null : toInodeKey(stamp);
}

/**
 * Returns the inode key of a folder. Null if the disk has no birth times, because the system may
 * use a free inode again, and no content proves the identity of a folder.
 */
export function toFolderInodeKey(folder: Inode): string | null {
  return folder.birthMs === 0 ? null : toInodeKey(folder);
}

/** Files that are not synced (such as ignored files and dot files), by inode key. */
export type UnsyncedByInode = ReadonlyMap<string, UnsyncedEntry>;

export function indexUnsyncedByInode({ others }: LocalTree): UnsyncedByInode {
  const unsyncedByInode = new Map<string, UnsyncedEntry>();
  for (const entry of others.values()) {
    const key = toFileInodeKey(entry.stamp);
    if (key !== null) unsyncedByInode.set(key, entry);
  }
  return unsyncedByInode;
}

export function findRenamedFile(
  { inodesTrusted }: LocalTree,
  others: UnsyncedByInode,
  stamp: Stamp | null,
): UnsyncedEntry | null {
  const key = inodesTrusted ? toFileInodeKey(stamp) : null;
  return key === null ? null : (others.get(key) ?? null);
}

/** Returns true if the scan could not read a path, or if many files were moving during the scan. */
export function isUnseen(path: LocalPath, trees: Trees): boolean {
  return whyUnseen(path, trees) !== null;
}

export function whyUnseen(path: LocalPath, trees: Trees): UnreadReason | null {
  return whyHidden(path, trees) ?? trees.local.unseen.get("") ?? null;
}

/**
 * Returns the reason why the scan could not read a path or a folder above it; null if the scan
 * could. Also null after a bulk change during the scan, because the scan has read the file, and
 * only absences are doubtful.
 */
export function whyHidden(path: LocalPath, { local: { unseen } }: Trees): UnreadReason | null {
  if (unseen.size === 0) return null;
  for (let ancestor = path; ancestor !== ""; ancestor = parentOf(ancestor)) {
    const unreadReason = unseen.get(ancestor);
    if (unreadReason !== undefined) return unreadReason;
  }
  return null;
}

/**
 * Returns the reason why this scan may have missed a file: files were being written or moved. Null
 * without such a reason. Unreadable files do not count, because they may stay unreadable.
 */
export function whyMayBeElsewhere({ local: { unseen } }: Trees): UnreadReason | null {
  for (const { kind } of unseen.values()) if (kind === STILL_WRITTEN_REASON.kind) return STILL_WRITTEN_REASON;
  return unseen.get("") ?? null;
}

/**
 * Returns the reason why this scan proves no absence (I04): a missing file may have been moved to a
 * path that could not be read. Null if the scan proves absences.
 *
 * An unreadable path that is recorded for a document probably has this document's own file, unless
 * the document was found elsewhere. Such a path is no reason.
 */
export function whyNothingIsAbsent(
  { base, local, leftOut = NOTHING_LEFT_OUT }: Trees,
  isElsewhere: (record: DocumentRecord) => boolean,
): UnreadReason | null {
  if (local.partial === true) return makeUnreadable("only a part of the folder was scanned");
  if (local.unseen.size === 0) return null;
  const recordByPath = indexRecordsByPath([...base.records.values()].filter((record) => !isElsewhere(record)));
  for (const [path, { kind, why }] of local.unseen) {
    if (recordByPath.has(path) || leftOut.idAt(path) !== null) continue;
    if (kind === "still-being-written") return STILL_WRITTEN_REASON;
    return makeUnreadable(`it may have been moved to ${path}, which could not be read: ${why}`);
  }
  return null;
}
