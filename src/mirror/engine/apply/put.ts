import type { ChangeId } from "../../../contract/ids.ts";
import type { ActionOf, Outcome } from "../../model/action.ts";
import { sameExceptTextForm } from "../../model/text-form.ts";
import { type Digest, digestOf } from "../../../contract/digest.ts";
import type { DocumentRecord, ReviewAnswer } from "../../model/record.ts";
import { moveBase, recordEcho, recordSubmission } from "../../model/base.ts";
import type { Fault, PutResult } from "../../ports/remote.ts";
import type { EventFields, Intent } from "../../ports/state.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import {
  chooseEventCode,
  DONE,
  fetchText,
  findContentCode,
  makeLocalOrigin,
  makeRemoteOrigin,
  outcomeOfFault,
  outcomeOfUndoneWrite,
  outcomeWithoutProof,
  readBase,
  readWithoutStoring,
  refuseWithBlock,
  type RemoteText,
  STALE,
  stale,
  type ValueOrOutcome,
  withCurrentLinks,
  withOutcome,
  withValue,
} from "./effect.ts";
import { describeOpenReviews } from "./merge.ts";
import type { EffectEnd, Effect, EffectResult } from "./run-effect.ts";
import { endOfCombinedWrite, endOfUnfoundWrite } from "./unanswered-writes.ts";
import { updateFile } from "./write-file.ts";

type PutRow = Extract<Intent, { kind: "put" }>;
type SavedVersion = Pick<RemoteText, "text" | "digest"> & { readonly changeId: ChangeId };
type ObservedPut =
  /** The service saved the sent content, perhaps normalised or merged with another edit. */
  ({ readonly kind: "saved" } & SavedVersion) | { readonly kind: "in-review"; readonly review: ReviewAnswer };

/** Sends local content. Base becomes the content that the service saved. */
export const putContent: Effect<ActionOf<"put">, PutRow, string, ObservedPut> = {
  async prepare(ctx, planned) {
    const action = withCurrentLinks(ctx, planned, planned.id);
    const { id, localPath, review, why, expect: digest } = action;
    const record = ctx.world.state.record(id);
    if (record === null || record.changeId !== action.baseChangeId) return withOutcome(STALE.baseMoved);
    const localResult = await readWithoutStoring(ctx, localPath, digest);
    if (localResult.kind === "end") return localResult;
    const { text, stamp, stampTrusted } = localResult.value;
    // The PUT overwrites base's content on the service, so this content must be in the content
    // store first (I03, I07).
    const baseResult = await readBase(ctx, record, localPath);
    if (baseResult.kind === "end") return baseResult;
    // ORDER: base's content is flushed to the disk before the PUT. A power cut can revert the last
    // commits of the store, but not the PUT.
    ctx.world.state.secureTexts(record.digest);
    const contentToStore = { digest, text, origin: makeLocalOrigin(localPath, id) };
    const row = {
      kind: "put",
      id,
      localPath,
      baseChangeId: record.changeId,
      baseDigest: record.digest,
      digest,
      review,
      stamp,
      stampTrusted,
      why,
    } as const;
    const request = { facts: `${id} ${record.changeId} ${digest}`, item: { key: id, path: localPath } };
    return withValue({ row, keeps: contentToStore, input: text, request });
  },

  async perform(ctx, row, text) {
    const answer = await ctx.world.remote.putContent(row.id, row.baseChangeId, text);
    if (!answer.ok) return { kind: "failed", fault: answer.fault };
    if (answer.value.kind === "in-review") {
      const { changeId, reason } = answer.value;
      const review = { ...(changeId === null ? {} : { changeId }), ...(reason === null ? {} : { reason }) };
      return { kind: "seen", seen: { kind: "in-review", review } };
    }
    const { requestId } = answer;
    if (isContradiction(row, answer.value)) {
      const detail = "the service answered that it saved new content, but returned the previous version";
      return { kind: "failed", fault: { kind: "uncertain", detail, requestId } };
    }
    const savedResult = await readSavedVersion(ctx, row, answer.value);
    if (savedResult.kind === "got") return adoptSavedVersion(ctx, row, savedResult.value);
    const detail = "uploaded, but the new version could not be read";
    return { kind: "open", outcome: { kind: "uncertain", detail, requestId } };
  },

  refuse: (ctx, row, _, fault) => refusePut(ctx, row, fault),

  async observe(ctx, row, fault) {
    const remoteResult = await fetchText(ctx, row.id, row.localPath);
    // ORDER: the record is read after the request, because a rename during the PUT may have changed
    // base's change id.
    const record = ctx.world.state.record(row.id);
    const mayBeInReview = isPerhapsInReview(record, row, remoteResult.kind === "got" ? remoteResult.value : null);
    if (remoteResult.kind === "end") {
      const { outcome } = remoteResult;
      if (outcome.kind !== "stale") return { kind: "open", outcome: outcomeWithoutProof(outcome, fault) };
      // The document was deleted, or the key lost the permission to read the document. The next
      // cycle finds out which.
      return mayBeInReview ? PERHAPS_IN_REVIEW : { kind: "over", outcome };
    }
    const { file, digest, text } = remoteResult.value;
    const { lastChangeId: changeId } = file;
    if (record === null || (record.changeId !== row.baseChangeId && !mayBeInReview))
      return { kind: "over", outcome: STALE.baseMoved };
    if (digest === row.digest && changeId !== row.baseChangeId)
      return { kind: "seen", seen: { kind: "saved", changeId, digest, text } };
    if (mayBeInReview) return PERHAPS_IN_REVIEW;
    // The service did not save the content, or another user edited the saved content. Base stays.
    // If the service's version contains the sent content, the next plan merges from the sent
    // content, otherwise from base.
    const outcome =
      changeId === row.baseChangeId
        ? outcomeOfUndoneWrite("write", fault)
        : // The upload may be part of the newer version, or in review, which no read shows.
          stale("a newer version on the service may include this upload");
    return { kind: "over", outcome, ...endOfUnfoundWrite(ctx, row, fault) };
  },

  conclude(ctx, row, seen, source) {
    const record = ctx.world.state.record(row.id);
    if (record === null) return { outcome: STALE.noRecord, change: null };
    const lostAnswerNote =
      source.from === "observation" ? "; no answer arrived, but the service has the new version" : "";
    return seen.kind === "saved"
      ? concludeSaved(ctx, row, record, seen, lostAnswerNote)
      : concludeSubmitted(ctx, row, record, seen, lostAnswerNote);
  },
};

/**
 * No read can show whether the content is in review. mdmirror assumes so, because a second upload
 * could open a second review.
 */
const PERHAPS_IN_REVIEW = { kind: "seen", seen: { kind: "in-review", review: {} } } as const;

/** Ends an upload that went to review. Base stays during the review. */
function concludeSubmitted(
  ctx: CycleContext,
  { id, localPath: path, baseDigest: before, digest: after, stamp }: PutRow,
  record: DocumentRecord,
  { review }: Extract<ObservedPut, { kind: "in-review" }>,
  lost: string,
): EffectEnd {
  ctx.notes.counts.submitted++;
  const isConcurrent = review.reason === "conflict";
  const detail = (isConcurrent ? "in review, because it conflicts with another edit" : "sent to review") + lost;
  const event = { kind: "put", side: "remote", id, path, detail, outcome: "submitted", before, after } as const;
  return {
    outcome: isConcurrent ? { kind: "submitted", isConflict: isConcurrent } : { kind: "submitted" },
    change: { contentRecord: recordSubmission(record, after, ctx.world.clock.now(), stamp, review), event },
  };
}

function concludeSaved(
  ctx: CycleContext,
  row: PutRow,
  record: DocumentRecord,
  saved: Extract<ObservedPut, { kind: "saved" }>,
  lost: string,
): EffectEnd {
  ctx.notes.counts.uploaded++;
  const { changeId, digest } = saved;
  const { id, digest: sent, baseDigest } = row;
  const event = makePutEvent(ctx, row, record, saved, lost);
  if (digest !== sent && digest === baseDigest) {
    const hasOtherId = record.changeId !== row.baseChangeId;
    const echoDetail = "the service saved no new version: it normalises away the difference";
    return {
      outcome: hasOtherId ? STALE.baseMoved : DONE,
      change: {
        contentRecord: recordEcho(record, hasOtherId ? record.changeId : changeId, sent),
        event: { ...event, detail: echoDetail },
      },
    };
  }
  const stamp = row.stamp ?? record.stamp;
  const base = { changeId, digest, localDigest: sent, stamp, stampTrusted: row.stampTrusted, durable: true };
  return { outcome: DONE, change: { contentRecord: moveBase(record, base), version: { id, changeId, digest }, event } };
}

function makePutEvent(
  ctx: CycleContext,
  row: PutRow,
  record: DocumentRecord,
  { digest, text }: SavedVersion,
  lost: string,
): EventFields {
  const { id, localPath: path, baseDigest: before, why } = row;
  const detail = why + describeOpenReviews(record) + lost;
  const code = chooseEventCode(ctx.world, before, text);
  return { kind: "put", side: "remote", id, path, before, after: digest, detail, code };
}

/**
 * Returns true if the answer has base's change id with other content than base's. A cache or a lost
 * write has then made the id or the content wrong, so the service may not have saved the sent
 * content. If mdmirror took that content as the new base, the next edit on the service would remove
 * the sent content locally.
 */
function isContradiction(row: PutRow, { changeId, content }: Extract<PutResult, { kind: "live" }>): boolean {
  return changeId === row.baseChangeId && content !== null && digestOf(content) !== row.baseDigest;
}

/**
 * Returns the saved version. Reads the version from the service, unless the answer shows that the
 * saved content is the sent content or base's content.
 */
async function readSavedVersion(
  ctx: CycleContext,
  { id, localPath, digest: sent, baseDigest }: PutRow,
  { changeId, content }: Extract<PutResult, { kind: "live" }>,
): Promise<ValueOrOutcome<SavedVersion>> {
  if (content !== null) {
    const digest = digestOf(content);
    // The content store has the sent content since the journal row was opened. Any other content is
    // stored now, because the read below may return a newer version (I03).
    if (digest !== sent) ctx.world.state.putKnownText(digest, content, makeRemoteOrigin(localPath, id));
    const isExpected = digest === sent || digest === baseDigest;
    if (changeId !== null && isExpected) return withValue({ text: content, digest, changeId });
  }
  const remoteResult = await fetchText(ctx, id, localPath);
  if (remoteResult.kind === "end") return remoteResult;
  const { file, text, digest } = remoteResult.value;
  return withValue({ text, digest, changeId: file.lastChangeId });
}

/**
 * Writes the saved content to the file, unless the saved content is the sent content or base's
 * content.
 */
function adoptSavedVersion(ctx: CycleContext, row: PutRow, saved: SavedVersion): EffectResult<ObservedPut> {
  const { id, localPath: path, digest: expect, baseChangeId: changeId, baseDigest } = row;
  if (saved.digest === expect || saved.digest === baseDigest || mayKeepLocalForm(ctx, expect, saved))
    return { kind: "seen", seen: { kind: "saved", ...saved } };
  const record = ctx.world.state.record(id);
  if (record === null) return { kind: "over", outcome: STALE.noRecord };
  const event = makePutEvent(
    ctx,
    row,
    record,
    saved,
    "; the service changed the content when it saved it (merged or normalised)",
  );
  const outcome = updateFile(ctx, {
    id,
    path,
    text: saved.text,
    expect,
    base: { changeId, digest: baseDigest },
    next: saved,
    counts: "uploaded",
    event: { ...event, side: "both" },
  });
  if (outcome.kind === "done") return { kind: "over", outcome };
  // The file was not written: somebody saved or is editing the file, or the sync only uploads. Base
  // stays. A later cycle merges the file with the saved version from the sent content, which both
  // edit. A merge from base alone would revert changes of one of the two.
  return { kind: "over", outcome, ...endOfCombinedWrite(ctx, row) };
}

/** Returns true if the sync only uploads, and the service only normalised the content. */
function mayKeepLocalForm({ settings, world }: CycleContext, sent: Digest, saved: SavedVersion): boolean {
  const text = settings.direction === "push" ? world.state.text(sent) : null;
  return text !== null && sameExceptTextForm(text, saved.text);
}

/**
 * Returns true if the PUT may be in review.
 * - The document became protected after the plan: the PUT may be in review only if base's version
 *   is still published.
 * - The document was protected all the time: the PUT may be in review even if the published content
 *   changed. An earlier submission may have been accepted.
 * @param found the document; null if the key may not read it or the service has no such document
 */
function isPerhapsInReview(record: DocumentRecord | null, row: PutRow, found: RemoteText | null): boolean {
  if (record?.digest !== row.baseDigest) return false;
  if (found === null) return row.review;
  const { file, digest } = found;
  if (!(row.review || file.protected)) return false;
  // The content is compared too, because the change id may be new after a rename during the PUT.
  const isUnchanged = file.lastChangeId === row.baseChangeId || digest === row.baseDigest;
  return isUnchanged || (row.review && file.protected);
}

/**
 * Handles a refused PUT. If the service has a newer version, the next cycle merges that version;
 * otherwise the local content is blocked.
 */
async function refusePut(ctx: CycleContext, row: PutRow, fault: Fault): Promise<Outcome> {
  if (fault.kind !== "problem" || fault.status === 404) return outcomeOfFault(fault);
  const readResult = await readRefused(ctx, row);
  if (readResult.kind === "end") return readResult.outcome;
  const isRead = readResult.value === "same";
  return refuseWithBlock(ctx, fault, {
    key: row.id,
    path: row.localPath,
    // Without a grant (403), the service refuses all edits of the document. Any other refusal
    // concerns only this content.
    ...(fault.status === 403 ? { reason: "read-only" } : { reason: "refused", digest: row.digest }),
    code: findContentCode(fault),
    changeId: isRead ? null : row.baseChangeId,
  });
}

/**
 * Reads a document whose PUT was refused. If the read fails, the content is blocked too, so that
 * mdmirror does not repeat the PUT (I08). A newer version ends the block.
 * @returns "same" if the document still has base's version; an outcome if the document has another
 * version or is gone; "unread" if the read fails
 */
async function readRefused(ctx: CycleContext, row: PutRow): Promise<ValueOrOutcome<"same" | "unread">> {
  const remoteResult = await fetchText(ctx, row.id, row.localPath);
  if (remoteResult.kind === "end") return remoteResult.outcome.kind === "stale" ? remoteResult : withValue("unread");
  if (remoteResult.value.file.lastChangeId !== row.baseChangeId) return withOutcome(STALE.editedRemotely);
  return withValue("same");
}
