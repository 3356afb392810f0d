/** Rows of the state file, which describe the last state that both sides had. */

import type { ChangeId, DirId, DocId } from "../../contract/ids.ts";
import type { ReviewReason } from "../../contract/resources.ts";
import type { Digest } from "../../contract/digest.ts";
import type { BlockReason } from "./block.ts";
import type { LocalPath, RemotePath } from "../../contract/path.ts";

/**
 * Result of `lstat` for a file, which shows whether the file must be hashed again, and helps to
 * recognise a moved file. Times are in milliseconds with fractions, and are compared only with each
 * other for equality, never with a clock (I29). `birthMs` is 0 if the disk has no birth times.
 */
export type Stamp = {
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly birthMs: number;
  readonly nlink: number;
};

export type Inode = Pick<Stamp, "dev" | "ino" | "birthMs">;

/**
 * Returns true if two stamps belong to one file or folder. Compares birth times too, because
 * systems may reuse an inode right after a deletion.
 */
export function isSameInodeAndBirth(a: Inode, b: Inode): boolean {
  return a.ino === b.ino && a.dev === b.dev && a.birthMs === b.birthMs;
}

type ContentStamp = Omit<Stamp, "birthMs" | "nlink">;

/** Returns true if two stamps show no change of the file between them. */
export function isSameStamp(a: ContentStamp, b: ContentStamp): boolean {
  return a.ino === b.ino && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.size === b.size && a.dev === b.dev;
}

/**
 * The service's answer about a change in review. A field is undefined if the answer lacks the
 * field.
 */
export type ReviewAnswer = { readonly changeId?: ChangeId; readonly reason?: ReviewReason };

/**
 * Content that was sent to review (202). mdmirror does not send the content again until the user
 * changes the file. `at`: time of sending, in milliseconds since the epoch.
 */
export type Submission = {
  readonly digest: Digest;
  readonly baseChangeId: ChangeId;
  readonly at: number;
} & ReviewAnswer;

export type DocumentRecord = {
  readonly id: DocId;
  readonly localPath: LocalPath;
  readonly remotePath: RemotePath;
  /** Id of the base version. The next PUT sends it as `baseChangeId` (I07). */
  readonly changeId: ChangeId;
  /** Digest of the base content on the service. */
  readonly digest: Digest;
  /**
   * Digest of the base content in the local file, which may differ from the content on the service
   * by line ends, BOM or final newline.
   */
  readonly localDigest: Digest;
  /** Stamp of the local file; null if no scan has found the file since the record was written. */
  readonly stamp: Stamp | null;
  /**
   * False if the file changed just before the scan that read the stamp. A later change might then
   * leave the stamp unchanged, so the next scan hashes the file again. Git does the same with new
   * entries of its index.
   */
  readonly stampTrusted: boolean;
  readonly protected: boolean;
  /** True if the file's content is known to survive a power loss. */
  readonly durable: boolean;
  /**
   * Digest of local content that the service changed back to the base content. mdmirror does not
   * send this content again on this base version.
   */
  readonly echoDigest: Digest | null;
  readonly submissions: readonly Submission[];
  /**
   * State of a document. `outside`: moved out of the linked part of the workspace. `suspended`:
   * ignored. In both states, mdmirror sends, writes and deletes nothing.
   */
  readonly state: "linked" | "outside" | "suspended";
};

export type DocumentPaths = Pick<DocumentRecord, "id" | "localPath" | "remotePath">;

/**
 * Returns true if a document was moved out of the linked part of the workspace and has no local
 * file. A file at the document's old path is then new, or belongs to another document.
 */
export function isAway({ state, stamp }: DocumentRecord): boolean {
  return state === "outside" && stamp === null;
}

/** Indexes records by local path, except records without a file (`isAway`). */
export function indexRecordsByPath(records: Iterable<DocumentRecord>): Map<LocalPath, DocumentRecord> {
  const byPath = new Map<LocalPath, DocumentRecord>();
  for (const record of records) if (!isAway(record)) byPath.set(record.localPath, record);
  return byPath;
}

/** Record of a folder. mdmirror recognises a renamed local folder by the inode. */
export type FolderRecord = {
  readonly id: DirId;
  readonly localPath: LocalPath;
  readonly remotePath: RemotePath;
} & Inode;

/** Record of a deleted document, kept until a listing shows the document again. */
export type Tombstone = DocumentPaths & {
  readonly changeId: ChangeId;
  readonly digest: Digest;
  /** Path of the deleted file below `.mdmirror/`; null if there was no file. */
  readonly trashPath: string | null;
  readonly at: number;
};

/**
 * A version of the service in a present or former conflict copy. Each version has a copy of its
 * own. The number in the copy's name is the version's position in `Conflict.shown`.
 */
export type ShownVersion = {
  readonly changeId: ChangeId;
  readonly digest: Digest;
  /**
   * Inode of the conflict copy; 0 without a known copy of this version. An older version has a copy
   * only if the user edited that copy.
   */
  readonly ino: number;
  readonly dev: number;
};

/** Open conflict of a document. A document has at most one conflict (I27). */
export type Conflict = {
  readonly id: DocId;
  /**
   * Digest of the version that both sides edited, or that the user has rejected since. Null if both
   * sides have a new document at one path.
   */
  readonly baseDigest: Digest | null;
  readonly baseChangeId: ChangeId | null;
  readonly newestCopyPath: LocalPath;
  /** Versions of the service in conflict copies, oldest first; never empty. */
  readonly shown: readonly ShownVersion[];
  /** Number of scans in a row that found the document, but not the newest copy. */
  readonly looksGone: number;
  readonly since: number;
};

export function findNewestShown({ shown }: Pick<Conflict, "shown">): ShownVersion {
  return shown.at(-1)!;
}

/**
 * Returns true if mdmirror wrote the newest copy and did not remove it. Otherwise a missing copy
 * does not mean that the user has decided.
 */
export function hasConflictCopy(conflict: Pick<Conflict, "shown">): boolean {
  return findNewestShown(conflict).ino !== 0;
}

export function forgetNewestCopy(conflict: Conflict): Conflict {
  return {
    ...conflict,
    looksGone: 0,
    shown: [...conflict.shown.slice(0, -1), { ...findNewestShown(conflict), ino: 0, dev: 0 }],
  };
}

/**
 * A block of a document or folder. `key`: id of the document or folder; local path if the service
 * has given no id yet.
 */
export type Block = {
  readonly key: string;
  readonly path: LocalPath;
  readonly reason: BlockReason;
  /** Error code of the service or errno of the system; null if the block has another cause. */
  readonly code: string | null;
  readonly detail: string;
  readonly requestId: string | null;
  /** Digest of the content to which the block applies; null if the block applies to any content. */
  readonly digest: Digest | null;
  /** Id of the version to which the block applies; null if it applies to any version. */
  readonly changeId: ChangeId | null;
  /** Time at which the block began, in milliseconds since the epoch. */
  readonly since: number;
};
