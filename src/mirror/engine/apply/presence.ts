import type { LocalPath } from "../../../contract/path.ts";
import type { ActionOf, Outcome } from "../../model/action.ts";
import type { DocumentRecord } from "../../model/record.ts";
import { deleteDocument } from "./delete-document.ts";
import { STALE, makeEvent, staleIfInUse, refuseWithBlock, type RemoteText, explainWrite } from "./effect.ts";
import { type StateChange, commit } from "./commit.ts";
import { chooseTrashPlace } from "../run/world.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import { runEffect, runLocalEffect } from "./run-effect.ts";
import { type FileRemoval, trashFile } from "./set-aside.ts";
import { type FileWrite, writeFile } from "./write-file.ts";

/**
 * Moves a document's file to the trash, because the document is no longer on the service, or no
 * longer in the linked folder. The record of a deleted document becomes a tombstone. If the id
 * appears again, the tombstone is removed. The record of a document outside the linked folder
 * stays.
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
 * Deletes a document on the service whose file was deleted locally. Does not delete it if the
 * service has another version, or if a file is at its path again. If the service refuses, mdmirror
 * restores the file, unless the only reason is an open review.
 */
export async function deleteRemote(ctx: CycleContext, action: ActionOf<"delete-remote">): Promise<Outcome> {
  if (ctx.world.state.record(action.id) === null) return STALE.noRecord;
  // Fields of the block that is stored if the service refuses the deletion and mdmirror does not
  // restore the file. The document then stays on the service.
  const blockFields = { key: action.id, path: action.localPath, changeId: action.changeId };
  return runEffect(ctx, deleteDocument, {
    ...action,
    onlyWhileAbsent: true,
    refused(live, outcome) {
      // A user of the web app decides about an open review, so mdmirror waits. mdmirror sends the
      // deletion again later, as after any refused write.
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

/** Writes a version of the service to a free path, for a document without a local file. */
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
