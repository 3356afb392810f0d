import type { DocId } from "../../../contract/ids.ts";
import type { Outcome } from "../../model/action.ts";
import type { Digest } from "../../../contract/digest.ts";
import {
  type Conflict,
  type DocumentRecord,
  findNewestShown,
  hasConflictCopy,
  type ShownVersion,
} from "../../model/record.ts";
import { type LocalPath, parentOf, type RemotePath } from "../../../contract/path.ts";
import type { MirrorEvent } from "../../ports/state.ts";
import {
  isUnseenContent,
  makeCopiesNotes,
  makeFailedEnd,
  type ManualEnd,
  storeReplacedText,
  writeChosen,
} from "./run-manually.ts";
import { putContent } from "../apply/put.ts";
import { runEffect } from "../apply/run-effect.ts";
import { DONE, fetchText, STALE, stale } from "../apply/effect.ts";
import { commit } from "../apply/commit.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import { deleteDocument, deleteRemote, restoreFromService, trashLocal } from "../apply/presence.ts";
import { trashConflictCopies } from "../apply/conflict-copies.ts";
import { toRemoteName } from "../../model/names.ts";
import { sameExceptTextForm } from "../../model/text-form.ts";
import { makeTombstone } from "../../model/base.ts";
import { createRemote } from "../apply/create-remote.ts";
import { fromServicePath } from "../run/world.ts";

/**
 * A document with the current path of its file. The recorded path may differ while a move is
 * blocked.
 */
export type PlacedDocument = {
  readonly record: DocumentRecord;
  readonly path: LocalPath;
  readonly seen?: SeenVersions;
};

/**
 * Digests of the versions that the user saw; null if any version is accepted. If a current version
 * has another digest, the command changes nothing.
 */
export type SeenVersions = { readonly mine: Digest | null; readonly theirs: Digest | null };

/**
 * Ends a conflict with the local content. The next run uploads this content as an edit of the
 * version in the conflict copy.
 */
export function keepMine(ctx: CycleContext, placed: PlacedDocument, conflict: Conflict): ManualEnd {
  return endConflictWith(ctx, placed, conflict, null, "you chose mine");
}

/**
 * Writes the content that the user merged, and ends the conflict. The next run uploads the content.
 */
export function writeMerged(
  ctx: CycleContext,
  placed: PlacedDocument,
  conflict: Conflict | null,
  text: string,
): ManualEnd {
  const detail = "you merged both versions";
  if (conflict !== null) return endConflictWith(ctx, placed, conflict, text, detail);
  const { record, path, seen } = placed;
  const event = { kind: "restore", detail } as const;
  return writeChosen(ctx, { record, path, text, seen: seen?.mine, event, old: PREVIOUS_VERSION });
}

const PREVIOUS_VERSION = "your previous version";

function endConflictWith(
  ctx: CycleContext,
  { record, path, seen }: PlacedDocument,
  conflict: Conflict,
  text: string | null,
  detail: string,
): ManualEnd {
  const chosenVersion = findVersionSeen(conflict);
  const event = { kind: "end-conflict", detail, merged: listOtherVersions(conflict, chosenVersion.digest) } as const;
  return writeChosen(ctx, { record, path, text, seen: seen?.mine, next: chosenVersion, event, old: PREVIOUS_VERSION });
}

/**
 * Returns the versions that `undo` needs to open the conflict again. Without a base, the version on
 * the service (`theirs`) is the base.
 */
function listOtherVersions({ baseDigest }: Conflict, theirs: Digest): MirrorEvent["merged"] {
  return { base: baseDigest ?? theirs, theirs };
}

/**
 * Adds advice to the outcome if the document was deleted, because only the conflict copy then has
 * the service's last version.
 */
function explainIfGone(outcome: Outcome, conflict: Conflict | null): Outcome {
  if (outcome.kind !== "stale" || conflict === null) return outcome;
  return stale(
    `its document was deleted on the service; to take the conflict copy, first copy ${conflict.newestCopyPath} over the file`,
  );
}

/**
 * Writes the service's content to the document's file. Ends a conflict, a review, or the block of a
 * refused edit.
 */
export async function takeTheirs(
  ctx: CycleContext,
  placed: PlacedDocument,
  conflict: Conflict | null,
): Promise<ManualEnd> {
  const { record, path, seen } = placed;
  const remoteResult = await fetchText(ctx, record.id, path);
  if (remoteResult.kind === "end") return makeFailedEnd(explainIfGone(remoteResult.outcome, conflict));
  const { file, text, digest } = remoteResult.value;
  if (isUnseenContent(seen?.theirs, digest)) return makeFailedEnd(stale(`${path} was edited on the service meanwhile`));
  noteProtection(ctx, record.id, file.protected);
  const eventFields =
    conflict === null
      ? ({ kind: "write-local" } as const)
      : ({ kind: "end-conflict", merged: listOtherVersions(conflict, digest) } as const);
  return writeChosen(ctx, {
    record,
    path,
    text,
    seen: seen?.mine,
    next: { changeId: file.lastChangeId, digest },
    event: { ...eventFields, detail: "you chose theirs" },
    old: "your version",
  });
}

/**
 * Records the protection that the service has reported, even if the service's content is not
 * written later.
 */
function noteProtection(ctx: CycleContext, id: DocId, isProtected: boolean): void {
  const record = ctx.world.state.record(id);
  if (record !== null) commit(ctx, { record: { ...record, protected: isProtected } });
}

/** Makes the next run submit the local content for review again. */
export function resubmit(ctx: CycleContext, record: DocumentRecord): ManualEnd {
  const outcome = commit(ctx, {
    record: { ...record, submissions: [] },
    removes: { blockKey: record.id },
    event: {
      kind: "note-facts",
      side: "local",
      id: record.id,
      path: record.localPath,
      detail: "you chose to submit it again",
    },
  });
  return { outcome, notes: [] };
}

/** Makes the next run send a refused request again. */
export function forgetRefusal(ctx: CycleContext, key: string): ManualEnd {
  ctx.world.state.removeBlock(key);
  return { outcome: DONE, notes: [] };
}

/** Uploads content with conflict markers, because the user wants the markers in the document. */
export async function sendWithMarkers(
  ctx: CycleContext,
  { record: { id }, path: localPath }: PlacedDocument,
): Promise<ManualEnd> {
  const { disk, state } = ctx.world;
  const record = state.record(id);
  if (record === null) return makeFailedEnd(STALE.noRecord);
  const pathState = disk.look(localPath);
  if (pathState.kind !== "file") return makeFailedEnd(stale(`no file is at ${localPath}`));
  const expect: Digest = pathState.digest;
  const { changeId: baseChangeId } = record;
  const why = "mdmirror resolve uploaded it with its conflict markers";
  const action = { kind: "put", why, id, localPath, baseChangeId, expect, review: record.protected } as const;
  const outcome = await runEffect(ctx, putContent, action);
  if (outcome.kind === "done" || outcome.kind === "submitted") state.removeBlock(id);
  return { outcome, notes: [] };
}

/**
 * Returns the version that the newest conflict copy shows. If that copy may be missing, returns the
 * version of the earlier copy. The next merge then treats the changes of the newest version as a
 * later edit.
 */
function findVersionSeen(conflict: Conflict): ShownVersion {
  const earlierVersion = hasConflictCopy(conflict) ? undefined : conflict.shown.at(-2);
  return earlierVersion ?? findNewestShown(conflict);
}

/**
 * Deletes a document on the service, because the user has renamed its file to a name that is not
 * synced and chose the deletion. Reads the document again first, as before any deletion.
 */
export async function deleteOnService(ctx: CycleContext, record: DocumentRecord): Promise<ManualEnd> {
  const { id, localPath, remotePath, changeId } = record;
  const why = "the file was renamed to a name that is not synced; mdmirror resolve --delete deleted the document";
  const outcome = await deleteRemote(ctx, { kind: "delete-remote", why, id, localPath, remotePath, changeId });
  if (outcome.kind === "done") ctx.world.state.removeBlock(id);
  return { outcome, notes: [] };
}

/** Writes the service's content under the old name. The renamed file stays, and is not synced. */
export async function restoreOldName(ctx: CycleContext, record: DocumentRecord): Promise<ManualEnd> {
  const { id, localPath } = record;
  const remoteResult = await fetchText(ctx, id, localPath);
  if (remoteResult.kind === "end") return makeFailedEnd(remoteResult.outcome);
  const detail = "the file was renamed to a name that is not synced; mdmirror resolve --keep restored the document";
  const outcome = restoreFromService(ctx, record, localPath, remoteResult.value, {
    kind: "create-local",
    side: "local",
    detail,
  });
  if (outcome.kind === "done") ctx.world.state.removeBlock(id);
  return { outcome, notes: [] };
}

/**
 * Moves the file of a document that is gone, unreadable or outside the linked folder to the trash,
 * with its local edit.
 */
export function dropLocalEdit(
  ctx: CycleContext,
  { record, path, seen }: PlacedDocument,
  conflict: Conflict | null,
): ManualEnd {
  const digest = storeReplacedText(ctx, path, record.id);
  if (digest === null) return makeFailedEnd(stale(`no file is at ${path}`));
  if (isUnseenContent(seen?.mine, digest)) return makeFailedEnd(stale(`${path} was edited meanwhile`));
  const cause = record.state === "outside" ? "outside" : "gone";
  const reason = "mdmirror resolve discarded it";
  const outcome = trashLocal(ctx, {
    kind: "trash-local",
    why: reason,
    id: record.id,
    localPath: path,
    expect: digest,
    cause,
  });
  if (outcome.kind !== "done") return { outcome, notes: [] };
  ctx.world.state.removeBlock(record.id);
  return { outcome, notes: ["your version is kept in .mdmirror/trash", ...trashCopies(ctx, path, conflict)] };
}

/** Makes the next run upload a document as new, because the service no longer has the document. */
export function keepAsNew(ctx: CycleContext, placed: PlacedDocument, conflict: Conflict | null): ManualEnd {
  const { outcome, notes } = keepFile(ctx, placed, conflict);
  if (outcome.kind !== "done") return makeFailedEnd(outcome);
  const note = "it is uploaded as a new document, with a new id and no history on the service";
  return { outcome, notes: [note, ...notes] };
}

/** Forgets a document, so that the next run uploads its file as a new document. */
export function keepFile(ctx: CycleContext, { record, path }: PlacedDocument, conflict: Conflict | null): ManualEnd {
  const digest = storeReplacedText(ctx, path, record.id);
  if (digest === null) return makeFailedEnd(stale(`no file is at ${path}`));
  const outcome = commit(ctx, {
    ends: { record, trashPath: null },
    removes: { blockKey: record.id },
    event: {
      kind: "forget",
      side: "both",
      id: record.id,
      path,
      detail: "you chose to keep it; mdmirror uploads it as a new document",
      before: record.digest,
    },
  });
  return { outcome, notes: trashCopies(ctx, path, conflict) };
}

/**
 * Moves the copies of a conflict to the trash.
 * ORDER: the caller removes the record and its conflict first. A crash in between then leaves only
 * a copy without a conflict, which is harmless. With the conflict, a missing copy would count as
 * the user's choice. mdmirror would upload the local content over the version of that copy.
 * @returns sentences for the user
 */
function trashCopies(ctx: CycleContext, document: LocalPath, conflict: Conflict | null): readonly string[] {
  if (conflict === null) return [];
  const trashResult = trashConflictCopies(ctx, conflict, document);
  return trashResult.kind === "end" ? [`${conflict.newestCopyPath} stays`] : makeCopiesNotes(trashResult.value);
}

/**
 * Moves a document to the root on a service that cannot move documents to the root. Creates a new
 * document at the new path, reads the new document, then deletes the old one.
 * ORDER: the old record is removed before the POST, so that one file never has records with two ids
 * (I11). After a crash in between, the next run uploads the file as a new document, and downloads
 * the old document beside it. Nothing is lost.
 */
export async function recreate(ctx: CycleContext, { record, path }: PlacedDocument): Promise<ManualEnd> {
  const { state, clock } = ctx.world;
  if (!leadsToRoot(record.remotePath, path))
    return makeFailedEnd(stale("this is no longer a move to the root: mdmirror sync shows the present problem"));
  const remotePath = toRemoteName(path, "file", ctx.world.remote.traits().refusedCharacters);
  if (remotePath === null) return makeFailedEnd(stale(`no file named ${path} can be synced`));
  const storedDigest = storeReplacedText(ctx, path, record.id);
  if (storedDigest === null) return makeFailedEnd(stale(`no file is at ${path}`));
  const refusal = await checkOldDocument(ctx, record, path);
  if (refusal !== null) return makeFailedEnd(refusal);
  const knownIds = new Set(state.recordsAt(path).map(({ id }) => id));
  state.transact(() => {
    state.putTombstone(makeTombstone(record, null, clock.now()));
    state.removeRecord(record.id);
  });
  const reason = "created as a new document, because the service cannot move it to the root";
  const createOutcome = await runEffect(ctx, createRemote, {
    kind: "create-remote",
    why: reason,
    localPath: path,
    remotePath,
    expect: storedDigest,
    tombstone: null,
  });
  const createdRecord = state.recordsAt(path).find(({ id }) => !knownIds.has(id));
  if (createdRecord === undefined) {
    const isPostOpen = state.intents().some(({ intent }) => intent.kind === "post" && intent.localPath === path);
    // The POST may have succeeded. The next run finds out, and records the document.
    if (isPostOpen) return makeFailedEnd(createOutcome);
    state.transact(() => {
      state.putRecord(record);
      state.removeTombstone(record.id);
    });
    return makeFailedEnd(createOutcome);
  }
  state.removeBlock(record.id);
  const problem = await checkNewDocument(ctx, createdRecord, remotePath, storedDigest);
  if (problem !== null)
    return {
      outcome: DONE,
      notes: [`new document ${createdRecord.id}, but ${problem}; ${describeOldDocument(record)}`],
    };
  const deletionNote = await deleteOldDocument(ctx, record);
  return { outcome: DONE, notes: [`new document ${createdRecord.id} at ${remotePath}; ${deletionNote}`] };
}

function leadsToRoot(from: RemotePath, to: LocalPath): boolean {
  return parentOf(from) !== "" && parentOf(to) === "";
}

/**
 * Returns the outcome if the old document must stay after the new document was created; null if the
 * old document can be deleted.
 */
async function checkOldDocument(ctx: CycleContext, record: DocumentRecord, path: LocalPath): Promise<Outcome | null> {
  const oldResult = await fetchText(ctx, record.id, path);
  if (oldResult.kind === "end") return oldResult.outcome;
  if (oldResult.value.file.lastChangeId !== record.changeId) return stale("it was edited on the service: sync first");
  return oldResult.value.file.protected
    ? stale("it is protected on the service, so the old document could not be deleted")
    : null;
}

/**
 * Checks the new document before the old document is deleted, because the deletion also removes the
 * history on the service. The new document must be at its path, with the sent content (I04).
 * @returns the problem with the new document, as a clause; null without a problem
 */
async function checkNewDocument(
  ctx: CycleContext,
  { id }: DocumentRecord,
  path: RemotePath,
  sent: Digest,
): Promise<string | null> {
  const remoteResult = await fetchText(ctx, id, path);
  if (remoteResult.kind === "end") return `it could not be read (${toClause(remoteResult.outcome)})`;
  const text = ctx.world.state.text(sent);
  if (fromServicePath(ctx.world, remoteResult.value.file.path) !== path)
    return `it is at ${remoteResult.value.file.path} by now`;
  return text !== null && sameExceptTextForm(text, remoteResult.value.text) ? null : "its content changed meanwhile";
}

function describeOldDocument({ id, remotePath }: DocumentRecord): string {
  return `the old one (${id}) stays at ${remotePath}; the next sync downloads it`;
}

/**
 * Deletes the old document on the service. Its local file already belongs to the new document.
 * @returns the result, as a clause
 */
async function deleteOldDocument(ctx: CycleContext, record: DocumentRecord): Promise<string> {
  const reason = `created as a new document in the root (was ${record.remotePath})`;
  const { id, localPath, changeId, remotePath } = record;
  const keepOutcome = (_: unknown, outcome: Outcome) => outcome;
  const deletion = { id, localPath, changeId, remotePath, why: reason, onlyWhileAbsent: false, refused: keepOutcome };
  const deletionOutcome = await runEffect(ctx, deleteDocument, deletion);
  if (deletionOutcome.kind === "done") return `the old one (${record.id}, ${record.remotePath}) is deleted`;
  return `${describeOldDocument(record)} (${toClause(deletionOutcome)})`;
}

function toClause(outcome: Outcome): string {
  return "detail" in outcome ? `as ${outcome.detail}` : outcome.kind;
}
