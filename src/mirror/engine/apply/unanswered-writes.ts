/**
 * Handles content that mdmirror sent without an answer, and that no read found on the service. The
 * service may still save the content later, for example if a gateway ended the request while the
 * service worked on.
 * - If the service saves the content late, the saved version looks like another user's edit,
 *   although it comes from this folder. A merge from base would revert later local changes.
 * - If the service never saves the content, another user may write the same content much later.
 *   mdmirror must not revert that user's edit.
 *
 * So content counts as sent from this folder only under three conditions:
 * - Base has not changed since the content was sent.
 * - The content was sent in this run or the run before.
 * - No scan has seen both sides equal since the content was sent.
 *
 * The service may also answer a PUT with a version that combines the sent content with another
 * edit. If mdmirror cannot write that version to the local file, base stays. The service's version
 * then certainly contains the sent content, so the sent content counts until base moves.
 */

import { makeRecord, moveBaseUnderEdit } from "../../model/base.ts";
import type { Outcome } from "../../model/action.ts";
import type { Digest } from "../../../contract/digest.ts";
import { type DocumentRecord, indexRecordsByPath } from "../../model/record.ts";
import { isBlank, sameExceptTextForm } from "../../model/text-form.ts";
import type { LocalTree, RemoteFile, Trees } from "../../model/tree.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { FileWithContent } from "../../../contract/resources.ts";
import type { Fault } from "../../ports/remote.ts";
import type { Intent, MirrorEvent, OpenIntent } from "../../ports/state.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import { commit, writeChange } from "./commit.ts";
import { fetchText, type RemoteText, stale } from "./effect.ts";
import type { EffectEnd } from "./run-effect.ts";
import { containsChanges } from "./write-file.ts";

type WriteIntent = Extract<Intent, { kind: "put" | "post" }>;
type SentRow = Extract<Intent, { kind: "sent" }>;
type WriteEnd = Pick<EffectEnd, "change" | "next">;
type OpenSentRow = Omit<OpenIntent, "intent"> & { readonly intent: SentRow };

/** Returns the end of a write whose content no read has found. */
export function endOfUnfoundWrite(ctx: CycleContext, row: WriteIntent, fault: Fault | null): WriteEnd {
  const requestId = fault?.kind === "uncertain" ? fault.requestId : null;
  const detail = `${row.kind}: no answer confirmed the upload and the service does not have it; uploaded again`;
  return rememberSentContent(ctx, row, { detail, requestId, outcome: "absent" });
}

/** Returns the end of a PUT whose combined result could not be written to the local file. */
export function endOfCombinedWrite(ctx: CycleContext, row: WriteIntent): WriteEnd {
  const detail = "the service combined the upload with another edit, and the local file keeps its content";
  return rememberSentContent(ctx, row, { detail, requestId: null, outcome: "combined" });
}

function rememberSentContent(
  ctx: CycleContext,
  row: WriteIntent,
  logged: Pick<MirrorEvent, "detail" | "requestId"> & { readonly outcome: "absent" | "combined" },
): WriteEnd {
  ctx.notes.tally.hasSent = true;
  const { localPath, digest } = row;
  const document =
    row.kind === "put"
      ? { id: row.id, baseDigest: row.baseDigest }
      : { id: null, baseDigest: null, remotePath: row.remotePath };
  const { id, baseDigest } = document;
  const isCombined = logged.outcome === "combined";
  return {
    change: {
      event: { kind: "fault", side: "remote", id, path: localPath, ...logged, before: baseDigest, after: digest },
    },
    next: { row: { kind: "sent", ...document, localPath, digest, isCombined } },
  };
}

/**
 * Closes the journal rows of unanswered writes that are too old, or that were based on an earlier
 * base.
 */
export function removeOldSentRows(ctx: CycleContext, intents: readonly OpenIntent[]): void {
  const { state } = ctx.world;
  const sentIntents = intents.filter(isSentRow);
  if (sentIntents.length === 0) return;
  const previousRun = state.runs(2).find(({ run }) => !ctx.isThisRun(run))?.run ?? 0;
  for (const { intentId, run, intent } of sentIntents) {
    const { id, baseDigest, isCombined } = intent;
    const isOnBase = id === null || state.record(id)?.digest === baseDigest;
    if (isOnBase && (isCombined || run >= previousRun)) ctx.notes.tally.hasSent = true;
    else state.removeIntent(intentId);
  }
}

function isSentRow(row: OpenIntent): row is OpenSentRow {
  return row.intent.kind === "sent";
}

function readSentRows({ notes, world: { state } }: CycleContext): readonly OpenSentRow[] {
  // Few runs have an unanswered write, and reading the journal in all runs would be slow.
  return notes.tally.hasSent ? state.intents().filter(isSentRow) : [];
}

/** Returns true if a recent POST for this path had this content, and no read found the content. */
export function wasPosted(ctx: CycleContext, path: LocalPath, text: Digest): boolean {
  const isPost = ({ intent: { id, localPath, digest } }: OpenSentRow) =>
    id === null && localPath === path && digest === text;
  return readSentRows(ctx).some(isPost);
}

/**
 * Period of the unanswered writes that count.
 * - `this-run`: writes of this run. If a file has base's content again, the user has undone the
 *   edit since.
 * - `lately`: writes of this run and the run before.
 */
type SentPeriod = "this-run" | "lately";

/**
 * Returns the digest of content that this folder sent, and that another user has edited since. The
 * local version and the version on the service are then edits of the sent content.
 * @returns null if there is no such content; base is then the common base
 */
export function findCommonSentVersion(
  ctx: CycleContext,
  record: DocumentRecord,
  remote: string,
  since: SentPeriod,
): Digest | null {
  const sentRow = readSentInPeriod(ctx, record, since).find(
    ({ intent: { isCombined, digest } }) => isCombined || containsChanges(ctx, record.digest, digest, remote),
  );
  return sentRow?.intent.digest ?? null;
}

function readSentInPeriod(
  ctx: CycleContext,
  { id, digest }: DocumentRecord,
  since: SentPeriod,
): readonly OpenSentRow[] {
  const rowsOnBase = readSentRows(ctx).filter(({ intent }) => intent.id === id && intent.baseDigest === digest);
  return rowsOnBase.filter(({ run }) => since === "lately" || ctx.isThisRun(run));
}

/**
 * Makes the service's version the base if this folder sent that version. Later local changes then
 * count as an ordinary edit. The file does not change.
 * @returns null if this folder did not send the version; otherwise a stale outcome, so that the
 * document is planned again
 */
export function adoptOwnVersion(
  ctx: CycleContext,
  record: DocumentRecord,
  { file, digest }: { readonly file: FileWithContent; readonly digest: Digest },
  since: SentPeriod,
): Outcome | null {
  if (!readSentInPeriod(ctx, record, since).some(({ intent }) => intent.digest === digest)) return null;
  const { lastChangeId: changeId } = file;
  commit(ctx, {
    contentRecord: moveBaseUnderEdit(record, changeId, digest, record.stamp),
    version: { id: record.id, changeId, digest },
    // The event is not of the kind `put`, because a waiting program would take a `put` event for
    // the upload of a newer save.
    event: {
      kind: "recover",
      side: "remote",
      id: record.id,
      path: record.localPath,
      detail:
        "mdmirror uploaded this version earlier, and the service saved it late; local changes since then are an edit of it",
      before: record.digest,
      after: digest,
    },
  });
  return stale("its version on the service was uploaded by this folder");
}

/**
 * LIMIT: number of new documents on the service that are read to find a moved document, because
 * each read is a request. If there are more, none is read, and the moved document may be created a
 * second time.
 */
const MAX_DOCUMENTS_READ = 16;

/**
 * Records new documents whose POST got no answer, and that a user moved on the service before
 * mdmirror found them. Otherwise the next plan would create the documents again. Such a document
 * must be the only new document on the service with the sent content, and no local file may have
 * its path.
 * @returns trees with the new records in base
 */
export async function recordMovedPosts(ctx: CycleContext, trees: Trees): Promise<Trees> {
  const { state } = ctx.world;
  const { base, local, remote } = trees;
  const recordByPath = indexRecordsByPath(base.records.values());
  const unfoundPosts = readSentRows(ctx).filter(
    ({ intent: { id, localPath } }) => id === null && local.files.has(localPath) && !recordByPath.has(localPath),
  );
  if (unfoundPosts.length === 0) return trees;
  const isKnown = ({ id }: RemoteFile) => base.records.has(id) || base.tombstones.has(id);
  const unrecordedDocuments = [...remote.files.values()].filter((file) => !isKnown(file));
  if (unrecordedDocuments.length > MAX_DOCUMENTS_READ) return trees;
  const { disk } = ctx.world;
  const documentsToRead = unrecordedDocuments.filter(
    ({ path }) => disk.look(path as string as LocalPath).kind === "absent",
  );
  const readResults = await Promise.all(
    documentsToRead.map(({ id, path }) => fetchText(ctx, id, path as string as LocalPath)),
  );
  const readDocuments = readResults.flatMap((result) => (result.kind === "got" ? [result.value] : []));
  for (const { intentId, intent } of unfoundPosts) {
    const sentText = state.text(intent.digest);
    const isTwin = unfoundPosts.some((other) => other.intentId !== intentId && other.intent.digest === intent.digest);
    if (sentText === null || isBlank(sentText) || isTwin) continue;
    const [onlyMatch, ...more] = readDocuments.filter(({ text }) => sameExceptTextForm(sentText, text));
    if (onlyMatch !== undefined && more.length === 0) recordMovedPost(ctx, { intentId, intent }, onlyMatch, local);
  }
  return { ...trees, base: state.load() };
}

function recordMovedPost(
  ctx: CycleContext,
  { intentId, intent: { localPath, remotePath, digest: sent } }: Pick<OpenSentRow, "intentId" | "intent">,
  { file, digest }: RemoteText,
  local: LocalTree,
): void {
  // Journal rows of earlier versions of mdmirror have no `remotePath`, so mdmirror does not
  // recognise their documents.
  if (remotePath === undefined) return;
  const { id, lastChangeId: changeId, protected: isProtected } = file;
  const { stamp = null } = local.files.get(localPath) ?? {};
  // The record gets the path to which the document was sent. The next plan then finds a move on the
  // service, and moves the file.
  const version = { changeId, digest, localDigest: sent, stamp, stampTrusted: false, durable: true };
  const detail = "no answer to its upload arrived, and it was moved on the service since";
  ctx.world.state.transact(() => {
    writeChange(ctx, {
      record: makeRecord(id, localPath, remotePath, isProtected, version),
      version: { id, changeId, digest },
      event: { kind: "recover", side: "remote", id, path: localPath, detail, after: digest },
    });
    ctx.world.state.removeIntent(intentId);
  });
}
