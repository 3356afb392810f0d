import { toRemoteName } from "../../model/names.ts";
import type { Outcome } from "../../model/action.ts";
import type { Digest } from "../../../contract/digest.ts";
import { sameExceptTextForm } from "../../model/text-form.ts";
import type { DocumentRecord } from "../../model/record.ts";
import { type LocalPath, parentOf, type RemotePath } from "../../../contract/path.ts";
import { makeTombstone } from "../../model/base.ts";
import { createRemote } from "../apply/create-remote.ts";
import { type ManualEnd, storeReplacedText, makeNotDone } from "./run-manually.ts";
import { deleteDocument } from "../apply/delete-document.ts";
import { runEffect } from "../apply/run-effect.ts";
import { DONE, fetchText, stale } from "../apply/effect.ts";
import type { PlacedDocument } from "./resolve.ts";
import { fromServicePath } from "../run/world.ts";
import type { CycleContext } from "../run/cycle-context.ts";

/**
 * Moves a document to the root, for a service that cannot do this. Creates a new document at the
 * new path, reads it back, then deletes the old one.
 * ORDER: the old record is removed before the POST, so that one file never has records with two ids
 * (I11). After a crash in between, the next run uploads the file as a new document, and downloads
 * the old document beside it. Nothing is lost.
 */
export async function recreate(ctx: CycleContext, { record, path }: PlacedDocument): Promise<ManualEnd> {
  const { state, clock } = ctx.world;
  if (!leadsToRoot(record.remotePath, path))
    return makeNotDone(stale("this is no longer a move to the root: mdmirror sync shows the present problem"));
  const remotePath = toRemoteName(path, "file", ctx.world.remote.traits().refusedCharacters);
  if (remotePath === null) return makeNotDone(stale(`no file named ${path} can be synced`));
  const expect = storeReplacedText(ctx, path, record.id);
  if (expect === null) return makeNotDone(stale(`no file is at ${path}`));
  const refusal = await findReasonToKeepOld(ctx, record, path);
  if (refusal !== null) return makeNotDone(refusal);
  const knownIds = new Set(state.load().records.keys());
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
    expect,
    tombstone: null,
  });
  const createdRecord = [...state.load().records.values()].find(
    (one) => one.localPath === path && !knownIds.has(one.id),
  );
  if (createdRecord === undefined) {
    const isPostOpen = state.intents().some(({ intent }) => intent.kind === "post" && intent.localPath === path);
    // The POST may have succeeded. The next run finds out whether it has, and records the document.
    if (isPostOpen) return makeNotDone(createOutcome);
    state.transact(() => {
      state.putRecord(record);
      state.removeTombstone(record.id);
    });
    return makeNotDone(createOutcome);
  }
  state.removeBlock(record.id);
  const doubt = await findProblemWithNew(ctx, createdRecord, remotePath, expect);
  if (doubt !== null)
    return { outcome: DONE, notes: [`new document ${createdRecord.id}, but ${doubt}; ${describeOldDocument(record)}`] };
  const deletionNote = await deleteOld(ctx, record);
  return { outcome: DONE, notes: [`new document ${createdRecord.id} at ${remotePath}; ${deletionNote}`] };
}

function leadsToRoot(from: RemotePath, to: LocalPath): boolean {
  return parentOf(from) !== "" && parentOf(to) === "";
}

/**
 * Returns the outcome if the old document could not be deleted after the new one was created; null
 * if it can be deleted.
 */
async function findReasonToKeepOld(
  ctx: CycleContext,
  record: DocumentRecord,
  path: LocalPath,
): Promise<Outcome | null> {
  const oldOrEnd = await fetchText(ctx, record.id, path);
  if (oldOrEnd.kind === "end") return oldOrEnd.outcome;
  if (oldOrEnd.value.file.lastChangeId !== record.changeId) return stale("it was edited on the service: sync first");
  return oldOrEnd.value.file.protected
    ? stale("it is protected on the service, so the old document could not be deleted")
    : null;
}

/**
 * Checks the new document before the old one is deleted, because the deletion also removes the
 * history on the service. The new document must be at its path, with the sent content (I04).
 * @returns the problem with the new document, as a clause; null if there is none
 */
async function findProblemWithNew(
  ctx: CycleContext,
  { id }: DocumentRecord,
  path: RemotePath,
  sent: Digest,
): Promise<string | null> {
  const remoteOrEnd = await fetchText(ctx, id, path);
  if (remoteOrEnd.kind === "end") return `it could not be read (${toClause(remoteOrEnd.outcome)})`;
  const text = ctx.world.state.text(sent);
  if (fromServicePath(ctx.world, remoteOrEnd.value.file.path) !== path)
    return `it is at ${remoteOrEnd.value.file.path} by now`;
  return text !== null && sameExceptTextForm(text, remoteOrEnd.value.text) ? null : "its content changed meanwhile";
}

function describeOldDocument({ id, remotePath }: DocumentRecord): string {
  return `the old one (${id}) stays at ${remotePath}; the next sync downloads it`;
}

/**
 * Deletes the old document. Its file belongs to the new document now.
 * @returns the result, as a clause
 */
async function deleteOld(ctx: CycleContext, record: DocumentRecord): Promise<string> {
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
