/**
 * Functions that move base. Each takes a record and the observed result of a change, and returns
 * the new record: the state that both sides have now (I12). The caller stores the new record in the
 * transaction that removes the intent from the journal.
 */

import type { ChangeId, DocId } from "../../contract/ids.ts";
import type { Digest } from "../../contract/digest.ts";
import type { DocumentRecord, ReviewAnswer, Stamp, Tombstone } from "./record.ts";
import type { LocalPath, RemotePath } from "../../contract/path.ts";

/**
 * A version that both sides have. The local content (`localDigest`) differs from the service's
 * (`digest`) only by line ends, BOM or final newline.
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

/** Returns the record with a new base version, which both sides have. Ends all reviews. */
export function moveBase(record: DocumentRecord, version: BaseVersion): DocumentRecord {
  return { ...record, ...version, echoDigest: null, submissions: [] };
}

/**
 * Returns the record after newer content of the service was merged into the local file. Base
 * becomes the service's version. The local file also has the user's edits, which are then its only
 * difference from base. Content in review stays recorded.
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
 * @param answer the service's answer about the review; empty if the answer was lost
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
  // Marks the stamp as not trusted: the file's content differs from base, so an equal stamp must
  // not lead to the conclusion that the file has base's content.
  return { ...record, ...(stamp === null ? {} : { stamp, stampTrusted: false, durable: true }), submissions };
}

/**
 * Returns the record after a PUT without effect, because the service changed the local content back
 * to base's content. This local content is not sent again.
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
