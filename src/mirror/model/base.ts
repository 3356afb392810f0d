/**
 * Compares the sides of a document with base, and moves base. A function that moves base takes a
 * record and the observed result of a change, and returns the new record (I12). The new record
 * describes the state of both sides. The caller stores the new record in the transaction that
 * removes the journal row.
 */
import { hasSubstituteName, isPathPair, isTemporaryName } from "./names.ts";
import {
  type DocumentRecord,
  type FolderRecord,
  isSameInodeAndBirth,
  type ReviewAnswer,
  type Stamp,
  type Tombstone,
} from "./record.ts";
import type { LocalFile, LocalTree, RemoteFile } from "./tree.ts";
import type { ChangeId, DocId } from "../../contract/ids.ts";
import type { Digest } from "../../contract/digest.ts";
import type { LocalPath, RemotePath } from "../../contract/path.ts";

export function areBothSidesAsBase(
  record: DocumentRecord,
  localFile: LocalFile,
  remoteFile: RemoteFile,
  tree: ScannedDisk,
): boolean {
  return (
    isRemoteAsBase(record, remoteFile) &&
    isLocalAsBase(record, localFile, tree.inodesTrusted) &&
    hasNoPendingChange(record, tree)
  );
}

type ScannedDisk = Pick<LocalTree, "disk" | "inodesTrusted">;

/** Returns true if a document's version, place and protection on the service are as in base. */
export function isRemoteAsBase(record: DocumentRecord, remoteFile: RemoteFile): boolean {
  return (
    remoteFile.changeId === record.changeId &&
    remoteFile.path === record.remotePath &&
    remoteFile.protected === record.protected
  );
}

function isLocalAsBase(record: DocumentRecord, localFile: LocalFile, inodesTrusted: boolean): boolean {
  if (localFile.digest !== record.localDigest) return false;
  // A file with another inode may belong to another document, because the user may have swapped two
  // documents with equal content.
  return record.stamp === null || !inodesTrusted || isSameInodeAndBirth(record.stamp, localFile.stamp);
}

/**
 * Returns true if the document is synced, is not in review, and has no name that mdmirror would
 * replace.
 */
export function hasNoPendingChange(record: DocumentRecord, tree: Pick<LocalTree, "disk">): boolean {
  return record.state === "linked" && record.submissions.length === 0 && hasLastingNames(record, "file", tree);
}

/**
 * Returns true if mdmirror does not replace the names of a document or folder: both names
 * correspond, and a user chose both.
 */
export function hasLastingNames(
  record: DocumentRecord | FolderRecord,
  kind: "file" | "folder",
  { disk }: Pick<LocalTree, "disk">,
): boolean {
  return (
    !isTemporaryName(record.localPath) &&
    !isTemporaryName(record.remotePath) &&
    !hasSubstituteName(record, kind, disk.maxNameBytes) &&
    isPathPair(record.localPath, record.remotePath, record.id, kind)
  );
}

/**
 * A version that both sides have. The local content (`localDigest`) may differ from the service's
 * (`digest`) by line ends, BOM or final newline.
 */
type BaseVersion = Pick<DocumentRecord, "changeId" | "digest" | "localDigest" | "stamp" | "stampTrusted" | "durable">;

export function makeRecord(
  id: DocId,
  localPath: LocalPath,
  remotePath: RemotePath,
  isProtected: boolean,
  version: BaseVersion,
): DocumentRecord {
  return {
    id,
    localPath,
    remotePath,
    protected: isProtected,
    ...version,
    echoDigest: null,
    submissions: [],
    state: "linked",
  };
}

/** Returns the record with a new base version, which both sides have. All reviews end. */
export function moveBase(record: DocumentRecord, version: BaseVersion): DocumentRecord {
  return { ...record, ...version, echoDigest: null, submissions: [] };
}

/**
 * Returns the record after newer content of the service was merged into the local file. Base
 * becomes the service's version, from which the local file differs only by the user's edits.
 * Content in review stays recorded.
 */
export function moveBaseUnderEdit(
  record: DocumentRecord,
  changeId: ChangeId,
  digest: Digest,
  stamp: Stamp | null,
): DocumentRecord {
  return { ...record, changeId, digest, localDigest: digest, stamp, stampTrusted: false, echoDigest: null };
}

/**
 * Returns the record after content was sent to review. Base stays unchanged.
 * @param stamp stamp of the file when it was read; null if unknown
 * @param answer fields of the service's answer; empty if the answer was lost
 */
export function recordSubmission(
  record: DocumentRecord,
  digest: Digest,
  at: number,
  stamp: Stamp | null,
  answer: ReviewAnswer = {},
): DocumentRecord {
  const otherSubmissions = record.submissions.filter((submission) => submission.digest !== digest);
  const submissions = [...otherSubmissions, { digest, baseChangeId: record.changeId, at, ...answer }];
  // The stamp is marked as not trusted, because an equal stamp must not mean that the file has
  // base's content.
  return { ...record, ...(stamp === null ? {} : { stamp, stampTrusted: false, durable: true }), submissions };
}

/**
 * Returns the record after a PUT without effect, because the service changed the sent content back
 * to base's content. mdmirror does not send the same local content again.
 */
export function recordEcho(record: DocumentRecord, changeId: ChangeId, sent: Digest): DocumentRecord {
  return { ...record, changeId, localDigest: sent, echoDigest: sent };
}

/**
 * Returns the tombstone of a deleted document.
 * @param trashPath path of the document's file in the trash; null if there was no file
 */
export function makeTombstone(record: DocumentRecord, trashPath: string | null, at: number): Tombstone {
  const { id, localPath, remotePath, changeId, digest } = record;
  return { id, localPath, remotePath, changeId, digest, trashPath, at };
}
