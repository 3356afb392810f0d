/** Rows of the state file: the last state that both sides had. */

import type { ChangeId, DirId, DocId } from "../../contract/ids.ts";
import type { ReviewReason } from "../../contract/resources.ts";
import type { Digest } from "../../contract/digest.ts";
import type { BlockReason } from "./block.ts";
import type { LocalPath, RemotePath } from "../../contract/path.ts";

/**
 * Result of `lstat` for a file, kept to avoid hashing it again and as evidence of identity. Times
 * in milliseconds with fraction, as the file system gives them: compared for equality only (I29),
 * never with a clock. `birthMs` is 0 if the disk has none.
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

/** Identity of a file or folder on a disk. */
export type Inode = Pick<Stamp, "dev" | "ino" | "birthMs">;

/**
 * Returns true if two scans saw the same file or folder. Systems reuse an inode right after a
 * deletion, so the birth time must match too.
 */
export function sameInodeAndBirth(a: Inode, b: Inode): boolean {
  return a.ino === b.ino && a.dev === b.dev && a.birthMs === b.birthMs;
}

/** Facts that change when a file is written. */
type StampOfContent = Omit<Stamp, "birthMs" | "nlink">;

/**
 * Returns true if a file still has the stamp that it had when it was hashed. It need not be hashed
 * again.
 */
export function sameStamp(a: StampOfContent, b: StampOfContent): boolean {
  return a.ino === b.ino && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.size === b.size && a.dev === b.dev;
}

/**
 * The service's answer about a change in review: the change's id, and the reason. Undefined fields
 * were not in the answer.
 */
export type ReviewAnswer = { readonly changeId?: ChangeId; readonly reason?: ReviewReason };

/**
 * Content sent to review (202). It is not sent again until the user changes the file. `at`:
 * milliseconds since the epoch.
 */
export type Submission = {
  readonly digest: Digest;
  readonly baseChangeId: ChangeId;
  readonly at: number;
} & ReviewAnswer;

/** Record of a document: its id, its two paths and the version that both sides last had. */
export type DocumentRecord = {
  readonly id: DocId;
  readonly localPath: LocalPath;
  readonly remotePath: RemotePath;
  /**
   * The base version: the next PUT's `baseChangeId`, whose content is `digest` in the content store
   * (I07).
   */
  readonly changeId: ChangeId;
  /** Digest of base's content in the form that the service saved. */
  readonly digest: Digest;
  /**
   * Digest of the local file's bytes at base. It differs from `digest` only by line ends, BOM or
   * final newline.
   */
  readonly localDigest: Digest;
  /**
   * Stamp of the local file. Null until a scan has seen the file: the record was written before the
   * effect was verified.
   */
  readonly stamp: Stamp | null;
  /**
   * False if the file changed about as recently as the scan that read the stamp (racy, as in git's
   * index): the next scan then hashes the file again.
   */
  readonly stampTrusted: boolean;
  readonly protected: boolean;
  /** False until the file's bytes are known to survive a power loss. */
  readonly durable: boolean;
  /**
   * Digest of local content that the service changed into base's content when it was sent (a
   * service that normalises). mdmirror does not send this content again on this base.
   */
  readonly echoDigest: Digest | null;
  readonly submissions: readonly Submission[];
  /**
   * `outside`: moved out of the linked folder of the workspace; `suspended`: newly ignored. Both:
   * nothing is sent, written or deleted.
   */
  readonly state: "linked" | "outside" | "suspended";
};

export type DocumentPaths = Pick<DocumentRecord, "id" | "localPath" | "remotePath">;

/**
 * Returns true if a document was moved out of the linked folder and its content is in the trash. A
 * file at its old path then belongs to another document, or is new.
 */
export function isAway({ state, stamp }: DocumentRecord): boolean {
  return state === "outside" && stamp === null;
}

/**
 * Indexes records by local path. A document that is outside the linked folder has no local path:
 * another document may have its old path.
 */
export function recordsByPath(records: Iterable<DocumentRecord>): Map<LocalPath, DocumentRecord> {
  const byPath = new Map<LocalPath, DocumentRecord>();
  for (const record of records) if (!isAway(record)) byPath.set(record.localPath, record);
  return byPath;
}

/**
 * Record of a folder that both sides have. It has paths, no content, and the inode of the local
 * folder as evidence of a rename.
 */
export type FolderRecord = {
  readonly id: DirId;
  readonly localPath: LocalPath;
  readonly remotePath: RemotePath;
} & Inode;

/**
 * A document that is no longer on the service. The tombstone is removed if a scan shows its id
 * again.
 */
export type Tombstone = DocumentPaths & {
  readonly changeId: ChangeId;
  readonly digest: Digest;
  /** Path of the moved content below `.mdmirror/`; null if no local content was moved. */
  readonly trashPath: string | null;
  readonly at: number;
};

/**
 * A version of the service that a conflict copy shows or has shown. A copy's name belongs to one
 * version: the number in the name is the version's position in `Conflict.shown`.
 */
export type ShownVersion = {
  readonly changeId: ChangeId;
  readonly digest: Digest;
  /**
   * Inode and device of the version's copy; 0 if no copy is known to be in the folder. Of an
   * earlier version, only a copy that its user edited stays in the folder.
   */
  readonly ino: number;
  readonly dev: number;
};

/** The open conflict of a document. A document has at most one (I27). */
export type Conflict = {
  readonly id: DocId;
  /**
   * Content from which both sides started, or the version that the user has since rejected in
   * favour of the local content; null if both were new at one path.
   */
  readonly baseDigest: Digest | null;
  readonly baseChangeId: ChangeId | null;
  /** Path of the copy of the newest version. */
  readonly newestCopyPath: LocalPath;
  /** Versions shown, oldest first, never empty. */
  readonly shown: readonly ShownVersion[];
  /** Number of scans in a row that found the newest copy gone while the document existed. */
  readonly looksGone: number;
  readonly since: number;
};

/** Returns the version that the newest conflict copy shows. */
export function newestShown({ shown }: Pick<Conflict, "shown">): ShownVersion {
  return shown.at(-1)!;
}

/**
 * Returns true if the newest copy is known to be in the folder. If not, mdmirror itself removed the
 * copy or did not finish writing it. Its absence is then not the user's choice.
 */
export function hasConflictCopy(conflict: Pick<Conflict, "shown">): boolean {
  return newestShown(conflict).ino !== 0;
}

/** Returns the conflict after mdmirror itself removed its newest copy. */
export function withoutCopy(conflict: Conflict): Conflict {
  return {
    ...conflict,
    looksGone: 0,
    shown: [...conflict.shown.slice(0, -1), { ...newestShown(conflict), ino: 0, dev: 0 }],
  };
}

/**
 * A document or folder that mdmirror leaves unchanged on purpose. `key`: its id; without an id, its
 * local path.
 */
export type Block = {
  readonly key: string;
  readonly path: LocalPath;
  readonly reason: BlockReason;
  /** Code of the service or errno of the system, if one was the cause. */
  readonly code: string | null;
  readonly detail: string;
  readonly requestId: string | null;
  /**
   * Content to which the block applies: other content ends the block. Null if the block does not
   * depend on content.
   */
  readonly digest: Digest | null;
  /**
   * Remote version to which the block applies: another version ends the block. Null if the block
   * does not depend on a version.
   */
  readonly changeId: ChangeId | null;
  /** Milliseconds since the epoch. */
  readonly since: number;
};
