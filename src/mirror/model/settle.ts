/**
 * Moves base. Each function takes a record and the observed result of an effect, and returns the
 * record of the state that both sides have now (I12). The caller stores that record in one
 * transaction with the end of the journal row.
 */

import type { ChangeId, DocId } from "../../contract/ids.ts";
import type { Digest } from "../../contract/digest.ts";
import type { DocumentRecord, ReviewAnswer, Stamp, Tombstone } from "./record.ts";
import type { LocalPath, RemotePath } from "../../contract/path.ts";

/**
 * A version that both sides have. `localDigest` differs from `digest` only by line ends, BOM or
 * final newline.
 */
type BaseVersion = Pick<DocumentRecord, "changeId" | "digest" | "localDigest" | "stamp" | "stampTrusted" | "durable">;

/**
 * Returns the first record of a document: both sides were seen to have this version at these
 * places.
 */
export function newRecord(
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

/** Moves base to another version, which both sides have. This also ends every review. */
export function moveBase(record: DocumentRecord, version: BaseVersion): DocumentRecord {
  return { ...record, ...version, echoDigest: null, submissions: [] };
}

/**
 * Returns the record after a merge: the local content now descends from a newer remote version.
 * Base moves to that version although the local bytes differ, so that only the local side's own
 * change is left to send. Content in review stays recorded, with the merged content.
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
 * Returns the record of content that was sent to review. Base stays; the file has the sent content,
 * or later edits.
 * @param stamp stamp of the file when it was read; null if unknown
 * @param answer the service's answer about the review; empty if the answer was lost
 */
export function submit(
  record: DocumentRecord,
  digest: Digest,
  at: number,
  stamp: Stamp | null,
  answer: ReviewAnswer = {},
): DocumentRecord {
  const others = record.submissions.filter((submission) => submission.digest !== digest);
  const submissions = [...others, { digest, baseChangeId: record.changeId, at, ...answer }];
  // The stamp is not trusted, because it belongs to other content than base's.
  return { ...record, ...(stamp === null ? {} : { stamp, stampTrusted: false, durable: true }), submissions };
}

/**
 * Returns the record after the service answered a PUT with base's content, because it normalises
 * the local content. The local content is not sent again.
 */
export function withEcho(record: DocumentRecord, changeId: ChangeId, sent: Digest): DocumentRecord {
  return { ...record, changeId, localDigest: sent, echoDigest: sent };
}

/**
 * Returns the tombstone of a document that is gone from both sides. `trashPath`: path of its local
 * content in the trash; null if it had none.
 */
export function tombstoneOf(record: DocumentRecord, trashPath: string | null, at: number): Tombstone {
  const { id, localPath, remotePath, changeId, digest } = record;
  return { id, localPath, remotePath, changeId, digest, trashPath, at };
}
