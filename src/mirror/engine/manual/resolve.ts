import type { DocId } from "../../../contract/ids.ts";
import type { Outcome } from "../../model/action.ts";
import type { Digest } from "../../../contract/digest.ts";
import {
  type Conflict,
  hasConflictCopy,
  type DocumentRecord,
  findNewestShown,
  type ShownVersion,
} from "../../model/record.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { MirrorEvent } from "../../ports/state.ts";
import {
  type ManualEnd,
  isUnseenContent,
  makeNotDone,
  writeChosen,
  makeCopiesNotes,
  storeReplacedText,
} from "./run-manually.ts";
import { putContent } from "../apply/put.ts";
import { runEffect } from "../apply/run-effect.ts";
import { STALE, DONE, fetchText, stale } from "../apply/effect.ts";
import { commit } from "../apply/commit.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import { deleteRemote, trashLocal, restoreFromService } from "../apply/presence.ts";
import { trashConflictCopies } from "../apply/conflict-copies.ts";

/** A document with its file's current path: not the recorded path while a move is blocked. */
export type PlacedDocument = {
  readonly record: DocumentRecord;
  readonly path: LocalPath;
  readonly seen?: SeenVersions;
};

/**
 * Digests of the versions that the user saw. If a current version has another digest, the command
 * changes nothing. Null: any version is accepted.
 */
export type SeenVersions = { readonly mine: Digest | null; readonly theirs: Digest | null };

/**
 * Ends a conflict with the local content. The next run uploads it as an edit of the version in the
 * conflict copy.
 */
export function keepMine(ctx: CycleContext, placed: PlacedDocument, conflict: Conflict): ManualEnd {
  return endConflictWith(ctx, placed, conflict, null, "you chose mine");
}

/**
 * Writes the content that the user merged, and ends a conflict. The next run uploads the content.
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
 * Returns the versions that `undo` needs to open the conflict again. If the conflict has no base,
 * the service's version (`theirs`) takes the place of base.
 */
function listOtherVersions({ baseDigest }: Conflict, theirs: Digest): MirrorEvent["merged"] {
  return { base: baseDigest ?? theirs, theirs };
}

/**
 * Adds advice to the outcome if the document was deleted: then only the conflict copy has the
 * service's last version.
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
  const remoteOrEnd = await fetchText(ctx, record.id, path);
  if (remoteOrEnd.kind === "end") return makeNotDone(explainIfGone(remoteOrEnd.outcome, conflict));
  const { file, text, digest } = remoteOrEnd.value;
  if (isUnseenContent(seen?.theirs, digest)) return makeNotDone(stale(`${path} was edited on the service meanwhile`));
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
 * Records the protection that the service has reported. The record is correct even if the service's
 * content is then not written.
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

/** Uploads content with conflict markers, which the user wants in the document. */
export async function sendWithMarkers(
  ctx: CycleContext,
  { record: { id }, path: localPath }: PlacedDocument,
): Promise<ManualEnd> {
  const { disk, state } = ctx.world;
  const record = state.record(id);
  if (record === null) return makeNotDone(STALE.noRecord);
  const atPath = disk.look(localPath);
  if (atPath.kind !== "file") return makeNotDone(stale(`no file is at ${localPath}`));
  const expect: Digest = atPath.digest;
  const { changeId: baseChangeId } = record;
  const why = "mdmirror resolve uploaded it with its conflict markers";
  const action = { kind: "put", why, id, localPath, baseChangeId, expect, review: record.protected } as const;
  const outcome = await runEffect(ctx, putContent, action);
  if (outcome.kind === "done" || outcome.kind === "submitted") state.removeBlock(id);
  return { outcome, notes: [] };
}

/**
 * Returns the version that the newest conflict copy shows. If that copy may not have been written,
 * returns the version of the earlier copy. The next merge then treats the changes of the newest
 * version like a later edit.
 */
function findVersionSeen(conflict: Conflict): ShownVersion {
  const earlierVersion = hasConflictCopy(conflict) ? undefined : conflict.shown.at(-2);
  return earlierVersion ?? findNewestShown(conflict);
}

/**
 * Deletes a document on the service, as the user decided after the document's file was renamed to a
 * name that is not synced. Reads the document again first, as before any deletion.
 */
export async function deleteOnService(ctx: CycleContext, record: DocumentRecord): Promise<ManualEnd> {
  const { id, localPath, remotePath, changeId } = record;
  const why = "the file was renamed to a name that is not synced; mdmirror resolve --delete deleted the document";
  const outcome = await deleteRemote(ctx, { kind: "delete-remote", why, id, localPath, remotePath, changeId });
  if (outcome.kind === "done") ctx.world.state.removeBlock(id);
  return { outcome, notes: [] };
}

/** Writes the service's content under the old name. The renamed file stays and is not synced. */
export async function restoreOldName(ctx: CycleContext, record: DocumentRecord): Promise<ManualEnd> {
  const { id, localPath } = record;
  const remoteOrEnd = await fetchText(ctx, id, localPath);
  if (remoteOrEnd.kind === "end") return makeNotDone(remoteOrEnd.outcome);
  const detail = "the file was renamed to a name that is not synced; mdmirror resolve --keep restored the document";
  const outcome = restoreFromService(ctx, record, localPath, remoteOrEnd.value, {
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
  if (digest === null) return makeNotDone(stale(`no file is at ${path}`));
  if (isUnseenContent(seen?.mine, digest)) return makeNotDone(stale(`${path} was edited meanwhile`));
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

/**
 * Makes the next run upload a document that the service no longer has. It becomes a new document.
 */
export function keepAsNew(ctx: CycleContext, { record, path }: PlacedDocument, conflict: Conflict | null): ManualEnd {
  const digest = storeReplacedText(ctx, path, record.id);
  if (digest === null) return makeNotDone(stale(`no file is at ${path}`));
  const outcome = commit(ctx, {
    ends: { record, trashPath: null },
    removes: { blockKey: record.id },
    event: {
      kind: "forget",
      side: "both",
      id: record.id,
      path,
      detail: "you chose to keep it; mdmirror uploaded it as a new document",
      before: record.digest,
    },
  });
  const note = "it is uploaded as a new document, with a new id and no history on the service";
  return { outcome, notes: [note, ...trashCopies(ctx, path, conflict)] };
}

/**
 * Moves the copies of a conflict to the trash.
 * ORDER: the caller removes the record and its conflict first. After a crash in between, a copy
 * without a conflict is left, which is harmless. If the copies were moved first, a missing copy
 * would count as the user's choice after a crash, and mdmirror would upload the local content over
 * that version.
 * @returns sentences for the user
 */
function trashCopies(ctx: CycleContext, document: LocalPath, conflict: Conflict | null): readonly string[] {
  if (conflict === null) return [];
  const trashOrEnd = trashConflictCopies(ctx, conflict, document);
  return trashOrEnd.kind === "end" ? [`${conflict.newestCopyPath} stays`] : makeCopiesNotes(trashOrEnd.value);
}
