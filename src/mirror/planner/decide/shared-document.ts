import { type Digest, EMPTY_DIGEST } from "../../../contract/digest.ts";
import { type Drift, hasBaseContent } from "./table.ts";
import type { DocumentRecord } from "../../model/record.ts";
import { isBlank } from "../../model/text-form.ts";
import type { LocalFile, RemoteFile, TextLookup } from "../../model/tree.ts";
import type { DocumentRow } from "../match/row.ts";
import { blockRow, type PlanDraft, proposeAction } from "./plan-draft.ts";
import type { ChangeId } from "../../../contract/ids.ts";
import { isDirectionOff, isForbidden, isInUse } from "./gates.ts";

/**
 * Returns true if the content is blank and base's content is not. Safety checks count such a
 * document as deleted.
 */
export function isEmptied({ texts }: Pick<PlanDraft, "texts">, record: DocumentRecord, digest: Digest): boolean {
  return isBlankText(texts, digest) && !isBlankText(texts, record.digest);
}

/** A document with readable content on both sides; each file is null if its side has none. */
export type DocumentSides = {
  readonly drift: Drift;
  readonly localFile: LocalFile | null;
  readonly remoteFile: RemoteFile | null;
};

export type SharedDocument = {
  readonly row: DocumentRow;
  readonly record: DocumentRecord;
  readonly localFile: LocalFile;
  readonly remoteFile: RemoteFile;
};

export function proposeDownload(
  draft: PlanDraft,
  { row, record, localFile, remoteFile: { changeId, digest } }: SharedDocument,
  kind: "merge" | "write-local" | "settle-review",
  why: string,
): void {
  const empties = digest === undefined ? undefined : isEmptied(draft, record, digest);
  proposeAction(draft, row, "content", (paths) => ({
    kind,
    why: kind === "write-local" && empties === true ? "emptied on the service" : why,
    id: record.id,
    localPath: paths.local,
    changeId,
    expect: localFile.digest,
    ...(empties === undefined ? {} : { empties }),
  }));
}

/** Returns true for blank content. Returns false if the content store lacks the content. */
function isBlankText(texts: TextLookup, digest: Digest): boolean {
  if (digest === EMPTY_DIGEST) return true;
  const text = texts(digest);
  return text !== null && isBlank(text);
}

/**
 * Decides about a document with content in review, or with a local edit that must go to review.
 * Returns false for other documents, about which `CONTENT_RULES` decides.
 */
export function decideReview(draft: PlanDraft, shared: SharedDocument): boolean {
  const { row, record, localFile, remoteFile } = shared;
  const hasContentInReview = record.submissions.length > 0;
  if (hasContentInReview && remoteFile.changeId !== record.changeId) {
    settleReview(draft, shared);
    return true;
  }
  if (hasBaseContent(record, localFile)) return false;
  if (hasContentInReview && !remoteFile.protected && !isInReviewForConflict(record)) {
    blockRow(draft, row, "review-unknown", "no longer protected, and the submitted version is not published", {
      digest: localFile.digest,
    });
    return true;
  }
  if (record.submissions.some((submission) => submission.digest === localFile.digest)) {
    const publishedId = record.submissions.some(({ baseChangeId }) => baseChangeId !== record.changeId)
      ? record.changeId
      : null;
    if (!decideReviewConflict(draft, row, record, localFile, publishedId))
      blockRow(draft, row, "in-review", "in review", { digest: localFile.digest });
    return true;
  }
  if (remoteFile.protected && remoteFile.changeId === record.changeId && !isUnchanged(draft, record, localFile)) {
    blockRow(draft, row, "review-delayed", "is sent to review when the file is unchanged for a while", {
      digest: localFile.digest,
    });
    return true;
  }
  return false;
}

function isInReviewForConflict({ submissions }: DocumentRecord): boolean {
  return submissions.some(({ reason }) => reason === "conflict");
}

/**
 * Blocks a document if its local content is in review because of another published edit.
 * @param publishedId id of the published version; null if that version was not read yet
 * @returns false if there is no such review; the document then gets no block
 */
export function decideReviewConflict(
  draft: PlanDraft,
  row: DocumentRow,
  record: DocumentRecord,
  localFile: LocalFile,
  publishedId: ChangeId | null,
): boolean {
  if (!isInReviewForConflict(record) || !record.submissions.some(({ digest }) => digest === localFile.digest))
    return false;
  const otherEditClause = publishedId === null ? "another edit" : `another edit (${publishedId})`;
  blockRow(draft, row, "review-conflict", `in review, because it conflicts with ${otherEditClause}`, {
    digest: localFile.digest,
  });
  return true;
}

function isUnchanged(draft: PlanDraft, record: DocumentRecord, localFile: LocalFile): boolean {
  const unchangedContents = draft.policy.unchangedContents;
  return unchangedContents === null || unchangedContents.get(record.id) === localFile.digest;
}

/**
 * Plans the end of a review if the published version contains the reviewed content. Otherwise plans
 * to merge the published version into the local file.
 */
function settleReview(draft: PlanDraft, shared: SharedDocument): void {
  const { row, localFile } = shared;
  if (isDirectionOff(draft, row, "push", "a new version after a review")) return;
  if (isForbidden(draft, row, "merge") || isInUse(draft, row, localFile)) return;
  proposeDownload(draft, shared, "settle-review", "a new version on the service while a change was in review");
}
