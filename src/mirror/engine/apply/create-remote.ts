import type { ChangeId, DocId } from "../../../contract/ids.ts";
import type { ActionOf, Outcome, OutcomeOf } from "../../model/action.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { RemotePath } from "../../../contract/path.ts";
import type { DocumentRecord } from "../../model/record.ts";
import { makeRecord } from "../../model/base.ts";
import { mayBeNormalised, readBacksLeft, sameExceptTextForm } from "../../model/text-form.ts";
import type { Intent } from "../../ports/state.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import { fromServicePath, toService } from "../run/world.ts";
import {
  DONE,
  fetchText,
  makeLocalOrigin,
  makeRemoteOrigin,
  outcomeOfFailedRead,
  outcomeOfUndoneWrite,
  outcomeWithoutProof,
  readWithoutStoring,
  stale,
  STALE,
  withCurrentLinks,
  withValue,
} from "./effect.ts";
import { refuseCreation } from "./place.ts";
import { type Effect, type EffectPhase, nextPhase } from "./run-effect.ts";
import { endOfUnfoundWrite } from "./unanswered-writes.ts";
import { updateFile } from "./write-file.ts";

type PostRow = Extract<Intent, { kind: "post" }>;
type CreatedDocument = {
  readonly id: DocId;
  readonly changeId: ChangeId;
  readonly digest: Digest;
  readonly remotePath: RemotePath;
  readonly protected: boolean;
  /**
   * True if the service certainly has content with this digest. False if the service may have a
   * normalised form of the content.
   */
  readonly isRead: boolean;
};

/**
 * Creates a document on the service. If the service reports that the path is taken, but no listing
 * has an item at the path, the file is blocked.
 */
export const createRemote: Effect<ActionOf<"create-remote">, PostRow, string, CreatedDocument> = {
  async prepare(ctx, planned) {
    const { localPath, remotePath, expect: digest, tombstone: replaces, why } = withCurrentLinks(ctx, planned, null);
    const localResult = await readWithoutStoring(ctx, localPath, digest);
    if (localResult.kind === "end") return localResult;
    const { text, stamp, stampTrusted } = localResult.value;
    const row = { kind: "post", localPath, remotePath, digest, replaces, stamp, stampTrusted, why } as const;
    const request = { facts: `${remotePath} ${digest}`, item: { key: localPath, path: localPath } };
    return withValue({ row, keeps: { digest, text, origin: makeLocalOrigin(localPath, null) }, input: text, request });
  },

  async perform(ctx, row, text) {
    const answer = await ctx.world.remote.createFile(toService(ctx.world, row.remotePath), text);
    if (!answer.ok) return { kind: "failed", fault: answer.fault };
    const { id, lastChangeId: changeId, path, protected: isProtected, content } = answer.value;
    const remotePath = fromServicePath(ctx.world, path) ?? row.remotePath;
    // If another user edited the new document before the service answered, the answer contains the
    // edited content (I12). mdmirror stores the edited content now, because a later read may return
    // newer content (I03).
    const origin = makeRemoteOrigin(row.localPath, id);
    const hasOtherContent = content !== undefined && ctx.world.state.putText(content, origin) !== row.digest;
    const isRead = !mustBeReadBack(ctx, text) && !hasOtherContent;
    return { kind: "seen", seen: { id, changeId, digest: row.digest, remotePath, protected: isProtected, isRead } };
  },

  refuse: (ctx, row, _, fault) => refuseCreation(ctx, row, row.digest, fault),

  /** A document with the sent content at exactly the sent path is the created document (I08). */
  async observe(ctx, row, fault) {
    const { remote, state } = ctx.world;
    const path = toService(ctx.world, row.remotePath);
    const listing = await remote.listFiles({ kind: "path", path });
    if (!listing.complete) return { kind: "open", outcome: outcomeOfFailedRead(listing.fault ?? fault) };
    // A service that treats several spellings of a name as equal may list a document under another
    // spelling of the path.
    const documentAtPath = listing.items.find((item) => item.path === path);
    if (documentAtPath === undefined)
      return { kind: "over", outcome: outcomeOfUndoneWrite("write", fault), ...endOfUnfoundWrite(ctx, row, fault) };
    const existingRecord = state.record(documentAtPath.id);
    if (existingRecord !== null)
      return { kind: "over", outcome: existingRecord.localPath === row.localPath ? DONE : OTHER_DOCUMENT_AT_PATH };
    const remoteResult = await fetchText(ctx, documentAtPath.id, row.localPath);
    if (remoteResult.kind === "end") return { kind: "open", outcome: outcomeWithoutProof(remoteResult.outcome, fault) };
    const { file, text, digest } = remoteResult.value;
    const sentText = state.text(row.digest);
    if (sentText === null || !sameExceptTextForm(sentText, text))
      return { kind: "over", outcome: OTHER_DOCUMENT_AT_PATH };
    const { id, lastChangeId: changeId, protected: isProtected } = file;
    const remotePath = fromServicePath(ctx.world, file.path) ?? row.remotePath;
    return { kind: "seen", seen: { id, changeId, digest, remotePath, protected: isProtected, isRead: true } };
  },

  conclude(ctx, row, { id, changeId, digest, remotePath, protected: isProtected, isRead }, source) {
    ctx.notes.counts.createdRemote++;
    const { localPath: path, stamp, stampTrusted, replaces, why } = row;
    const baseFields = { changeId, digest, localDigest: row.digest, stamp, stampTrusted, durable: true };
    const record = makeRecord(id, path, remotePath, isProtected, baseFields);
    const version = { id, changeId, digest };
    const detail = source.from === "answer" ? why : `${why}; no answer arrived, but the service has the document`;
    const event = { kind: "create-remote", side: "remote", id, path, detail, after: digest } as const;
    const change = { record, version, replaces, event };
    return isRead
      ? { outcome: DONE, change }
      : { outcome: DONE, change, next: nextPhase(readCreated, { kind: "read-back", ...version } as const) };
  },
};

const OTHER_DOCUMENT_AT_PATH = stale("another document is at that path now");

/**
 * Returns true if the new document must be read back after the POST. Each service needs this for
 * its first new documents, and for content that it may change.
 */
function mustBeReadBack({ world, notes, traitsAtStart }: CycleContext, text: string): boolean {
  const isOneOfTheFirst = notes.tally.created++ < readBacksLeft(traitsAtStart.keptForms);
  return isOneOfTheFirst || mayBeNormalised(text, world.remote.traits().keptForms);
}

type ReadBackRow = Extract<Intent, { kind: "read-back" }>;
/** Version on the service that could not be written to the local file. */
type UnwrittenVersion = Pick<DocumentRecord, "changeId" | "digest">;

/**
 * Reads a new document after its POST, as a second phase, because the answer (201) contains no
 * content. Without this read, mdmirror would upload the user's original content as an edit (I10).
 * If the service changed the content, writes the service's content to the file, unless somebody is
 * editing the file. Until the file is written, base has the content that was sent. If the read
 * fails, a later cycle reads again (I12).
 */
export const readCreated: EffectPhase<ReadBackRow, UnwrittenVersion> = {
  async observe(ctx, row) {
    const { state, remote } = ctx.world;
    const record = state.record(row.id);
    // Another effect has moved base since the POST, so this read is not needed.
    if (record?.changeId !== row.changeId || record.digest !== row.digest) return { kind: "over", outcome: DONE };
    const remoteResult = await fetchText(ctx, record.id, record.localPath);
    if (remoteResult.kind === "end") return { kind: "open", outcome: outcomeIfContentUnknown(remoteResult.outcome) };
    const { file, text, digest } = remoteResult.value;
    const { lastChangeId: changeId } = file;
    const sentText = changeId === record.changeId ? state.text(record.digest) : null;
    if (sentText !== null) remote.noteReadBack(sentText, digest === record.digest);
    if (digest === record.digest) return { kind: "over", outcome: DONE };
    const versionOnService = { changeId, digest };
    const { id, localPath: path, localDigest: expect } = record;
    const outcome = updateFile(ctx, {
      id,
      path,
      text,
      expect,
      base: record,
      next: versionOnService,
      event: { ...NORMALISED_EVENT, side: "both", before: row.digest },
    });
    if (outcome.kind === "done") return { kind: "over", outcome };
    if (changeId === record.changeId) return { kind: "seen", seen: versionOnService };
    // The document was edited on both sides after the POST. Base keeps the sent content, because
    // both edits began with that content. The next cycle merges the edits.
    return {
      kind: "over",
      outcome: outcome.kind === "later" ? outcome : stale("it was edited on both sides after mdmirror uploaded it"),
    };
  },

  conclude(ctx, { id, digest: before }, { changeId, digest }) {
    const record = ctx.world.state.record(id);
    if (record === null) return { outcome: STALE.noRecord, change: null };
    // The local file is an edit of the service's content, or differs only because the service
    // normalised the content. The next cycle distinguishes the two cases. A sync that only uploads
    // never rewrites the file, so the record keeps the file's digest.
    const localDigest = ctx.settings.direction === "push" ? record.localDigest : digest;
    const base = { changeId, digest, localDigest, stampTrusted: false };
    return {
      outcome: stale("its file could not be updated to the version that the service saved"),
      change: {
        contentRecord: { ...record, ...base },
        version: { id, changeId, digest },
        event: { ...NORMALISED_EVENT, side: "remote", id, path: record.localPath, before, after: digest },
      },
    };
  },
};

const NORMALISED_EVENT = { kind: "create-remote", detail: "the service normalised the new content" } as const;

/**
 * Returns the outcome of a created document that could not be read. Even after a 404, the document
 * may exist: the key may have lost its access.
 */
function outcomeIfContentUnknown(outcome: Outcome): OutcomeOf<"uncertain" | "later"> {
  if (outcome.kind !== "refused" && outcome.kind !== "stale") return outcomeWithoutProof(outcome, null);
  const { code, requestId } = outcome.kind === "refused" ? outcome : { code: "file_not_found", requestId: null };
  const detail = `uploaded, but the content on the service could not be read: ${outcome.detail}`;
  return { kind: "later", code, detail, unreachable: false, requestId };
}
