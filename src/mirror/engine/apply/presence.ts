import type { LocalPath, RemotePath } from "../../../contract/path.ts";
import type { ActionOf, Outcome, OutcomeOf } from "../../model/action.ts";
import type { DocumentRecord } from "../../model/record.ts";
import {
  DONE,
  explainWrite,
  fetchText,
  isNotFound,
  makeEvent,
  outcomeOfFailedRead,
  outcomeOfFault,
  outcomeOfUndoneWrite,
  outcomeWithoutProof,
  readDocument,
  refuseWithBlock,
  type RemoteText,
  STALE,
  stale,
  staleIfInUse,
  withValue,
} from "./effect.ts";
import { commit, type StateChange } from "./commit.ts";
import { chooseTrashPlace, fromServicePath } from "../run/world.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import { type Effect, type EffectResult, runEffect, runLocalEffect } from "./run-effect.ts";
import { type FileRemoval, type FileWrite, trashFile, writeFile } from "./write-file.ts";
import type { ChangeId, DocId } from "../../../contract/ids.ts";
import type { Fault } from "../../ports/remote.ts";
import type { Intent } from "../../ports/state.ts";

/**
 * Moves a document's file to the trash, because the document is no longer on the service, or no
 * longer in the linked folder. The record of a deleted document becomes a tombstone, until the id
 * appears again. The record of a document outside the linked folder stays.
 */
export function trashLocal(ctx: CycleContext, action: ActionOf<"trash-local">): Outcome {
  if (ctx.world.state.record(action.id) === null) return STALE.noRecord;
  return staleIfInUse(ctx, action) ?? runLocalEffect(ctx, trashFile, makeRemoval(ctx, action));
}

function makeRemoval(ctx: CycleContext, action: ActionOf<"trash-local">): FileRemoval {
  const { id, localPath: path, expect } = action;
  const placeInTrash = chooseTrashPlace(ctx.world, path);
  const change = (): StateChange => {
    ctx.notes.counts.deletedLocal++;
    const record = ctx.world.state.record(id)!;
    const detail = `${explainWrite(ctx, action)}; kept as .mdmirror/${placeInTrash}`;
    return {
      ...(action.cause === "outside"
        ? { record: { ...record, state: "outside", stamp: null, stampTrusted: false } }
        : { ends: { record, trashPath: placeInTrash } }),
      event: makeEvent(action, "local", { detail, before: expect }),
    };
  };
  return { id, path, expect, place: placeInTrash, change };
}

/**
 * Deletes a document on the service whose file was deleted locally. Does nothing if the service has
 * another version, or if a file is at the document's local path again. If the service refuses,
 * mdmirror restores the file, unless the only reason is an open review.
 */
export async function deleteRemote(ctx: CycleContext, action: ActionOf<"delete-remote">): Promise<Outcome> {
  if (ctx.world.state.record(action.id) === null) return STALE.noRecord;
  // Fields of the block for a document that stays on the service after a refusal, without a local
  // file.
  const blockFields = { key: action.id, path: action.localPath, changeId: action.changeId };
  return runEffect(ctx, deleteDocument, {
    ...action,
    onlyWhileAbsent: true,
    refused(live, outcome) {
      // An open review ends when a user of the web app decides. mdmirror sends the deletion again
      // later, as after any refused write.
      if (outcome.code === "changes_in_review" && !live.file.protected)
        return refuseWithBlock(
          ctx,
          { ...outcome, detail: IN_REVIEW_DETAIL },
          { ...blockFields, reason: "delete-pending" },
        );
      if (ctx.settings.direction === "push")
        return refuseWithBlock(ctx, outcome, { ...blockFields, reason: "delete-refused" });
      return restoreFile(ctx, action, live, outcome);
    },
  });
}

const IN_REVIEW_DETAIL = "deleted locally; the service keeps it while changes to it are in review";

/** Restores a file whose document the service refuses to delete. The run's report says why. */
function restoreFile(
  ctx: CycleContext,
  action: ActionOf<"delete-remote">,
  live: RemoteText,
  refused: Extract<Outcome, { kind: "refused" }>,
): Outcome {
  const { id, localPath: path } = action;
  const record = ctx.world.state.record(id);
  if (record === null) return refused;
  const { code, requestId } = refused;
  const detail = `the service refused the deletion, so the file was restored: ${refused.detail}`;
  const event = makeEvent(action, "local", { detail, outcome: "refused", code, requestId });
  const outcome = restoreFromService(ctx, record, path, live, event);
  return outcome.kind === "done" ? refused : outcome;
}

/** Writes a version of the service to a free local path, for a document without a file. */
export function restoreFromService(
  ctx: CycleContext,
  { id, remotePath }: DocumentRecord,
  path: LocalPath,
  { file, text, digest }: RemoteText,
  event: FileWrite["event"],
): Outcome {
  return runLocalEffect(ctx, writeFile, {
    id,
    path,
    text,
    expect: null,
    base: null,
    next: { changeId: file.lastChangeId, digest },
    adopts: { remotePath, protected: file.protected },
    counts: "createdLocal",
    event,
  });
}

export function forgetDocument(ctx: CycleContext, action: ActionOf<"forget">): Outcome {
  const { state } = ctx.world;
  const record = state.record(action.id);
  if (record === null) return { kind: "done" };
  return commit(ctx, {
    ends: { record, trashPath: null },
    event: makeEvent(action, "both", { before: record.digest }),
  });
}

/** Updates the flags of a record: protected, outside the linked folder, or ignored. */
export function updateRecordFlags(ctx: CycleContext, action: ActionOf<"note-facts">): Outcome {
  const record = ctx.world.state.record(action.id);
  if (record === null) return STALE.noRecord;
  const { state, protected: isProtected } = action;
  const stateFields = state === "away" ? ({ state: "outside", stamp: null, stampTrusted: false } as const) : { state };
  return commit(ctx, {
    record: { ...record, protected: isProtected, ...stateFields },
    event: makeEvent(action, "both", { path: record.localPath }),
  });
}

type Deletion = {
  readonly id: DocId;
  /** Local path of the document's file in the plan. The file may be deleted already. */
  readonly localPath: LocalPath;
  /**
   * The only version that may be deleted. Any other version was written by a user after the plan.
   */
  readonly changeId: ChangeId;
  /**
   * The only path at which the document may be deleted. A user who moved the document wants to keep
   * it.
   */
  readonly remotePath: RemotePath;
  readonly why: string;
  /** True if a file at `localPath` prevents the deletion. */
  readonly onlyWhileAbsent: boolean;
  /**
   * Returns the outcome after the service refused the deletion. `live`: the document just before
   * the DELETE.
   */
  readonly refused: (live: RemoteText, outcome: OutcomeOf<"refused">) => Outcome;
};

type DeleteRow = Extract<Intent, { kind: "delete" }>;

/** Deletes a document on the service. Only this effect sends a DELETE for a document. */
export const deleteDocument: Effect<Deletion, DeleteRow, Deletion, "gone"> = {
  async prepare(_, deletion) {
    const { id, localPath, changeId, why } = deletion;
    return withValue({ row: { kind: "delete", id, localPath, changeId, why }, input: deletion });
  },

  async perform(ctx, row, deletion) {
    // ORDER: the document is read after its journal row is committed, because the commit may take a
    // while. An edit during the commit is then noticed.
    const remoteResult = await fetchText(ctx, row.id, row.localPath);
    if (remoteResult.kind === "end") return { kind: "over", outcome: remoteResult.outcome };
    if (remoteResult.value.file.lastChangeId !== row.changeId) return { kind: "over", outcome: STALE.editedRemotely };
    if (fromServicePath(ctx.world, remoteResult.value.file.path) !== deletion.remotePath)
      return { kind: "over", outcome: stale("it was moved on the service meanwhile") };
    if (deletion.onlyWhileAbsent && ctx.world.disk.look(row.localPath).kind !== "absent")
      return { kind: "over", outcome: stale("a file is at its path again") };
    // ORDER: the content is flushed to the disk before the DELETE. A power cut can revert the last
    // commits of the content store, but not the DELETE.
    ctx.world.state.secureTexts(remoteResult.value.digest);
    // RACE: mdmirror does not notice an edit between this read and the DELETE, because the API has
    // no conditional DELETE. The content store has the version that was read.
    const answer = await ctx.world.remote.deleteFile(row.id);
    if (answer.ok) return { kind: "seen", seen: "gone", requestId: answer.requestId };
    if (answer.fault.kind === "uncertain") return { kind: "failed", fault: answer.fault };
    if (isNotFound(answer)) return readAfterNotFound(ctx, row, deletion, answer.fault);
    const outcome = outcomeOfFault(answer.fault);
    return {
      kind: "over",
      outcome: outcome.kind === "refused" ? deletion.refused(remoteResult.value, outcome) : outcome,
    };
  },

  async observe(ctx, row, fault) {
    const answer = await readDocument(ctx, row.id, row.localPath);
    if (isNotFound(answer)) return { kind: "seen", seen: "gone" };
    if (!answer.ok) return { kind: "open", outcome: outcomeOfFailedRead(answer.fault) };
    return { kind: "over", outcome: outcomeOfUndoneWrite("deletion", fault) };
  },

  conclude(ctx, { id, localPath: path, why }, _, source) {
    const record = ctx.world.state.record(id);
    if (record === null) return { outcome: DONE, change: null };
    ctx.notes.counts.deletedRemote++;
    const { from, requestId } = source;
    const detail = from === "answer" ? why : `${why}; no answer arrived, but the service no longer has the document`;
    const { digest: before } = record;
    const event = { kind: "delete-remote", side: "remote", id, path, before, detail, requestId } as const;
    return { outcome: DONE, change: { ends: { record, trashPath: null }, event } };
  },
};

/**
 * Reads a document once more after a 404 to DELETE. Usually another user deleted the document after
 * the first read. If the service still has the document, the deletion must not count as done,
 * because the next run would download the document again.
 */
async function readAfterNotFound(
  ctx: CycleContext,
  row: DeleteRow,
  { refused }: Deletion,
  fault: Fault,
): Promise<EffectResult<"gone">> {
  const secondRead = await fetchText(ctx, row.id, row.localPath);
  if (secondRead.kind === "end") {
    const { outcome } = secondRead;
    if (outcome.kind === "stale") return { kind: "seen", seen: "gone" };
    return outcome.kind === "refused"
      ? { kind: "over", outcome }
      : { kind: "open", outcome: outcomeWithoutProof(outcome, fault) };
  }
  if (secondRead.value.file.lastChangeId !== row.changeId) return { kind: "over", outcome: STALE.editedRemotely };
  const detail = "the service answers that the document does not exist, but lists it";
  const { code, requestId } = fault.kind === "problem" ? fault : { code: "file_not_found", requestId: null };
  return {
    kind: "over",
    outcome: refused(secondRead.value, { kind: "refused", code, detail, requestId, block: null }),
  };
}

type ProtectRow = Extract<Intent, { kind: "protect" }>;

/** Sends a document's new protection. The next listing puts the protection into the record. */
export const protectDocument: Effect<Omit<ProtectRow, "kind">, ProtectRow, null, "set"> = {
  async prepare(_, action) {
    return withValue({ row: { kind: "protect", ...action }, input: null });
  },

  async perform(ctx, { id, value }) {
    const answer = await ctx.world.remote.setProtected(id, value);
    if (!answer.ok) return { kind: "failed", fault: answer.fault };
    return { kind: "seen", seen: "set", requestId: answer.requestId };
  },

  async observe(ctx, { id, localPath, value }, fault) {
    const answer = await readDocument(ctx, id, localPath);
    if (!answer.ok)
      return isNotFound(answer)
        ? { kind: "over", outcome: outcomeOfFault(answer.fault) }
        : { kind: "open", outcome: outcomeOfFailedRead(answer.fault) };
    if (answer.value.protected === value) return { kind: "seen", seen: "set" };
    return { kind: "over", outcome: outcomeOfUndoneWrite("write", fault) };
  },

  conclude(_, { id, localPath: path, value, why: detail }, __, { requestId }) {
    const event = { kind: value ? "protect" : "unprotect", side: "remote", id, path, detail, requestId } as const;
    return { outcome: DONE, change: { event } };
  },
};
