/**
 * Undoes changes for `reject`, `restore` and `undo`, with steps that a user could take. The next
 * run sends the result.
 */
import { type ChangeId, type DirId, type DocId, isDirId } from "../../../contract/ids.ts";
import type { Action } from "../../model/action.ts";
import { type DocumentRecord, forgetNewestCopy } from "../../model/record.ts";
import { joinPath, type LocalPath } from "../../../contract/path.ts";
import { moveBase, moveBaseUnderEdit } from "../../model/base.ts";
import { ensureFolders } from "../apply/folder.ts";
import { makeKeptNote, makeFailedEnd, type ManualEnd, storeReplacedText, writeChosen } from "./run-manually.ts";
import {
  DONE,
  fetchText,
  outcomeOfDisk,
  readBase,
  type RemoteText,
  STALE,
  stale,
  type ValueOrOutcome,
  withOutcome,
  withValue,
} from "../apply/effect.ts";
import { commit } from "../apply/commit.ts";
import { runEffect, runLocalEffect } from "../apply/run-effect.ts";
import { trashFile, writeFile } from "../apply/write-file.ts";
import { keepFile } from "./resolve.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import type { Digest } from "../../../contract/digest.ts";
import { moveLocal } from "../apply/move-local.ts";
import { openConflict } from "../apply/conflict.ts";
import { putContent } from "../apply/put.ts";
import { protectDocument } from "../apply/presence.ts";

const REJECTED_DETAIL = "restored: its deletion was rejected";

/** Restores a locally deleted file with base's content, so that no change is left to send. */
export async function restoreDeletedFile(
  ctx: CycleContext,
  { id, localPath }: Extract<Action, { kind: "delete-remote" }>,
): Promise<ManualEnd> {
  const { state, disk } = ctx.world;
  const record = state.record(id);
  if (record === null) return makeFailedEnd(STALE.noRecord);
  // If another file has the document's path now, the file is restored at the free path that the
  // plan found.
  const restoredPath = disk.look(record.localPath).kind === "absent" ? record.localPath : localPath;
  const textResult = await readBaseText(ctx, record, restoredPath);
  if (textResult.kind === "end") return makeFailedEnd(textResult.outcome);
  const outcome = runLocalEffect(ctx, writeFile, {
    id,
    path: restoredPath,
    text: textResult.value,
    expect: null,
    base: record,
    next: null,
    event: { kind: "restore", side: "local", detail: REJECTED_DETAIL },
  });
  if (outcome.kind !== "done") return makeFailedEnd(outcome);
  return {
    outcome,
    notes:
      restoredPath === record.localPath ? [] : [`it is ${restoredPath} now: another file is at ${record.localPath}`],
  };
}

/** Restores a removed folder, without its documents, which other steps restore. */
export function restoreRemovedFolder(ctx: CycleContext, path: LocalPath): ManualEnd {
  const folderFailure = ensureFolders(ctx, joinPath(path, "."));
  return { outcome: folderFailure ?? DONE, notes: [] };
}

/** Keeps a local folder. The next run creates the folder on the service again, as a new folder. */
export function keepFolder(ctx: CycleContext, dirId: DirId): ManualEnd {
  ctx.world.state.removeDir(dirId);
  return { outcome: DONE, notes: [] };
}

/** Keeps a local file. The next run uploads the file as a new document. */
export function keepFileAsNew(ctx: CycleContext, id: DocId, path: LocalPath): ManualEnd {
  const record = ctx.world.state.record(id);
  if (record === null) return makeFailedEnd(STALE.noRecord);
  return keepFile(ctx, { record, path }, ctx.world.state.conflict(id));
}

/** Makes the next run write a conflict copy again after the user removed it. */
export function restoreConflictCopy(ctx: CycleContext, id: DocId): ManualEnd {
  const { state } = ctx.world;
  const conflict = state.conflict(id);
  if (conflict === null) return makeFailedEnd(STALE.conflictEnded);
  state.putConflict(forgetNewestCopy(conflict));
  return { outcome: DONE, notes: [] };
}

/** Writes base's content to a file that became empty, so that no change is left to send. */
export async function restoreBaseContent(
  ctx: CycleContext,
  { id, localPath: path, expect, baseChangeId }: Extract<Action, { kind: "put" }>,
): Promise<ManualEnd> {
  const { state } = ctx.world;
  const record = state.record(id);
  if (record === null || record.changeId !== baseChangeId) return makeFailedEnd(STALE.baseMoved);
  const textResult = await readBaseText(ctx, record, path);
  if (textResult.kind === "end") return makeFailedEnd(textResult.outcome);
  const event = { kind: "restore", detail: EMPTIED_DETAIL } as const;
  const { outcome } = writeChosen(ctx, { record, path, text: textResult.value, seen: expect, event, old: "it" });
  return { outcome, notes: [] };
}

const EMPTIED_DETAIL = "its content is restored: the change to empty was rejected";

function readBaseText(
  ctx: CycleContext,
  record: DocumentRecord,
  path: LocalPath,
): Promise<ValueOrOutcome<string>> | ValueOrOutcome<string> {
  const storedText = ctx.world.state.text(record.localDigest);
  return storedText === null ? readBase(ctx, record, path) : withValue(storedText);
}

/**
 * Makes the service's version the base, for a version that is empty, or older because of a restore
 * from a backup. The next run then uploads the local content as an edit of that version.
 */
export async function resendLocalContent(ctx: CycleContext, id: DocId, changeId: ChangeId): Promise<ManualEnd> {
  const { state, disk } = ctx.world;
  const path = state.record(id)?.localPath;
  const remoteResult = path === undefined ? null : await fetchText(ctx, id, path);
  const record = state.record(id);
  if (remoteResult === null || record === null) return makeFailedEnd(STALE.noRecord);
  if (remoteResult.kind === "end") return makeFailedEnd(remoteResult.outcome);
  const { file, digest } = remoteResult.value;
  if (file.lastChangeId !== changeId) return makeFailedEnd(STALE.editedRemotely);
  const pathState = disk.look(record.localPath);
  if (pathState.kind !== "file") return makeFailedEnd(stale(`no file is at ${record.localPath}`));
  const base = { changeId, digest, localDigest: digest, stamp: pathState.stamp, stampTrusted: false, durable: true };
  const outcome = commit(ctx, {
    record: moveBase(record, base),
    event: {
      kind: "restore",
      side: "both",
      id,
      path: record.localPath,
      detail: "the local version is uploaded over the version on the service",
      before: digest,
      after: pathState.digest,
    },
  });
  return { outcome, notes: [] };
}

/**
 * Writes earlier content to a document's file, as an edit.
 * @param digest digest of the earlier content
 * @param expect digest that the file must have; null to accept any content of the file
 */
export function restoreText(
  ctx: CycleContext,
  record: DocumentRecord,
  digest: Digest,
  expect: Digest | null,
  detail: string,
): ManualEnd {
  const { state } = ctx.world;
  const text = state.text(digest);
  if (text === null) return makeFailedEnd(stale("its content is no longer in the history"));
  const path = record.localPath;
  const currentDigest = storeReplacedText(ctx, path, record.id);
  if (expect !== null && currentDigest !== expect) return makeFailedEnd(stale("its content changed since"));
  const event = { kind: "restore", detail } as const;
  return writeChosen(ctx, { record, path, text, seen: currentDigest, event, old: "the previous version" });
}

/**
 * Creates the file of a document from earlier content. A document that is gone (`isNew`) gets a new
 * id; a recorded document keeps its id.
 */
export function restoreFile(
  ctx: CycleContext,
  { id, path, isNew }: { readonly id: string | null; readonly path: LocalPath; readonly isNew: boolean },
  digest: Digest,
  detail: string,
): ManualEnd {
  const { state, disk } = ctx.world;
  const text = state.text(digest);
  if (text === null) return makeFailedEnd(stale("its content is no longer in the history"));
  const folderFailure = ensureFolders(ctx, path);
  if (folderFailure !== null) return makeFailedEnd(folderFailure);
  const createOutcome = disk.create(path, text);
  if (createOutcome.kind !== "done") return makeFailedEnd(outcomeOfDisk(createOutcome));
  const outcome = commit(ctx, { event: { kind: "restore", side: "local", id, path, detail, after: digest } });
  return {
    outcome,
    notes: isNew ? ["it is a new document with a new id; its earlier history stays with the old id"] : [],
  };
}

/**
 * Moves the file of a document that a run created on the service to the trash. The next run deletes
 * the document, with the safety checks of any deletion.
 * @param place path of the file in the trash, below `.mdmirror/`
 */
export function removeCreated(
  ctx: CycleContext,
  record: DocumentRecord,
  expect: Digest,
  place: string,
  detail: string,
): ManualEnd {
  const { id, localPath: path } = record;
  if (storeReplacedText(ctx, path, id) !== expect) return makeFailedEnd(stale("its content changed since"));
  const event = { kind: "restore", side: "local", id, path, detail, before: expect } as const;
  const outcome = runLocalEffect(ctx, trashFile, { id, path, expect, place, change: () => ({ event }) });
  return outcome.kind === "done" ? { outcome, notes: makeKeptNote("it", place) } : makeFailedEnd(outcome);
}

type MoveBack = { readonly id: DocId | DirId; readonly from: LocalPath; readonly to: LocalPath };

/** Moves a file, or a folder with everything below it. The next run sends the move. */
export function moveBack(ctx: CycleContext, { id, from, to }: MoveBack, why: string): ManualEnd {
  const move = { from, to, why, isManual: true } as const;
  const row = isDirId(id)
    ? ({ kind: "move-folder", dirId: id, ...move } as const)
    : ({ kind: "move", id, ...move } as const);
  return { outcome: runLocalEffect(ctx, moveLocal, row), notes: [] };
}

/** A conflict that the user ended. `expect` is the digest that the file must have. */
export type EndedConflict = {
  readonly id: DocId;
  readonly mine: Digest;
  readonly theirs: Digest;
  /** Version that both sides had edited; null if the document was new on both sides. */
  readonly base: Pick<DocumentRecord, "changeId" | "digest"> | null;
  readonly expect: Digest;
};

/**
 * Opens an ended conflict again. Afterwards the service and the file have the versions of the
 * conflict, and base is the version that both sides had edited. If the user's choice replaced the
 * version on the service, mdmirror uploads that version first.
 * ORDER: the conflict opens before the local version is written to the file. In the other order,
 * after a crash, that version would count as an edit, and replace the version on the service.
 */
export async function reopenConflict(ctx: CycleContext, ended: EndedConflict, detail: string): Promise<ManualEnd> {
  const { id, mine, base } = ended;
  const { state, disk } = ctx.world;
  const text = state.text(mine);
  if (text === null) return makeFailedEnd(stale("its content is no longer in the history"));
  const remoteResult = await publishTheirs(ctx, ended, detail);
  if (remoteResult.kind === "end") return makeFailedEnd(remoteResult.outcome);
  const record = state.record(id);
  if (record === null) return makeFailedEnd(STALE.noRecord);
  const atPath = disk.look(record.localPath);
  if (atPath.kind !== "file") return makeFailedEnd(stale(`no file is at ${record.localPath}`));
  // If the document was new on both sides, base is the version on the service.
  const { changeId, digest } = base ?? { changeId: remoteResult.value.file.lastChangeId, digest: ended.theirs };
  const movedRecord = moveBaseUnderEdit(record, changeId, digest, atPath.stamp);
  const outcome = await openConflict(ctx, movedRecord, record.localPath, remoteResult.value, base, detail);
  if (outcome.kind !== "done") return makeFailedEnd(outcome);
  if (atPath.digest === mine) return { outcome, notes: [] };
  const event = { kind: "restore", detail } as const;
  const { localPath: path } = record;
  return writeChosen(ctx, { record: movedRecord, path, text, seen: atPath.digest, event, old: "the previous version" });
}

/** Uploads the service's version in the conflict if the user's choice replaced that version. */
async function publishTheirs(
  ctx: CycleContext,
  { id, theirs, expect }: EndedConflict,
  detail: string,
): Promise<ValueOrOutcome<RemoteText>> {
  const record = ctx.world.state.record(id);
  if (record === null) return withOutcome(STALE.noRecord);
  const remoteResult = await fetchText(ctx, id, record.localPath);
  if (remoteResult.kind === "end" || remoteResult.value.digest === theirs) return remoteResult;
  if (remoteResult.value.file.lastChangeId !== record.changeId)
    return withOutcome(stale("it was edited on the service since"));
  const restoreEnd = restoreText(ctx, record, theirs, expect, detail);
  if (restoreEnd.outcome.kind !== "done") return withOutcome(restoreEnd.outcome);
  const { localPath, changeId: baseChangeId, protected: review } = record;
  const putAction = { kind: "put", why: detail, id, localPath, baseChangeId, expect: theirs, review } as const;
  const putOutcome = await runEffect(ctx, putContent, putAction);
  if (putOutcome.kind === "submitted") return withOutcome(stale("its earlier version went to review"));
  if (putOutcome.kind !== "done") return withOutcome(putOutcome);
  const publishedResult = await fetchText(ctx, id, localPath);
  if (publishedResult.kind === "end" || publishedResult.value.digest === theirs) return publishedResult;
  return withOutcome(stale("it was edited on the service since"));
}

type ProtectRequest = { readonly id: DocId; readonly path: LocalPath; readonly value: boolean };

export async function protect(ctx: CycleContext, { id, path, value }: ProtectRequest, why: string): Promise<ManualEnd> {
  const row = { kind: "protect", id, localPath: path, value, why } as const;
  return { outcome: await runEffect(ctx, protectDocument, row), notes: [] };
}
