/** Undoes changes for `mdmirror reject`, in the way a user could. The next run sends the result. */

import type { ChangeId, DirId, DocId } from "../../../contract/ids.ts";
import type { Action } from "../../model/action.ts";
import { type DocumentRecord, forgetNewestCopy } from "../../model/record.ts";
import { joinPath, type LocalPath } from "../../../contract/path.ts";
import { moveBase } from "../../model/base.ts";
import { ensureFolders } from "../apply/parents.ts";
import { type ManualEnd, makeNotDone, writeChosen } from "./run-manually.ts";
import { STALE, DONE, fetchText, type ValueOrEnd, withValue, readBase, stale } from "../apply/effect.ts";
import { commit } from "../apply/commit.ts";
import { runLocalEffect } from "../apply/run-effect.ts";
import { writeFile } from "../apply/write-file.ts";
import { keepAsNew } from "./resolve.ts";
import type { CycleContext } from "../run/cycle-context.ts";

const REJECTED_DETAIL = "restored: its deletion was rejected";

/** Restores a locally deleted file with base's content, so that no change is left to send. */
export async function restoreDeletedFile(
  ctx: CycleContext,
  { id, localPath }: Extract<Action, { kind: "delete-remote" }>,
): Promise<ManualEnd> {
  const { state, disk } = ctx.world;
  const record = state.record(id);
  if (record === null) return makeNotDone(STALE.noRecord);
  // If another file has the document's path now, the file is restored at another path. The plan has
  // found that path free.
  const restoredPath = disk.look(record.localPath).kind === "absent" ? record.localPath : localPath;
  const textOrEnd = await readBaseText(ctx, record, restoredPath);
  if (textOrEnd.kind === "end") return makeNotDone(textOrEnd.outcome);
  const outcome = runLocalEffect(ctx, writeFile, {
    id,
    path: restoredPath,
    text: textOrEnd.value,
    expect: null,
    base: record,
    next: null,
    event: { kind: "restore", side: "local", detail: REJECTED_DETAIL },
  });
  if (outcome.kind !== "done") return makeNotDone(outcome);
  return {
    outcome,
    notes:
      restoredPath === record.localPath ? [] : [`it is ${restoredPath} now: another file is at ${record.localPath}`],
  };
}

/** Restores a removed folder. Its documents are restored separately. */
export function restoreRemovedFolder(ctx: CycleContext, path: LocalPath): ManualEnd {
  const folderFailure = ensureFolders(ctx, joinPath(path, "."));
  return { outcome: folderFailure ?? DONE, notes: [] };
}

/** Keeps a local folder. The next run creates it on the service again, as a new folder. */
export function keepFolder(ctx: CycleContext, dirId: DirId): ManualEnd {
  ctx.world.state.removeDir(dirId);
  return { outcome: DONE, notes: [] };
}

/** Keeps a local file. The next run uploads it as a new document. */
export function keepFileAsNew(ctx: CycleContext, id: DocId, path: LocalPath): ManualEnd {
  const record = ctx.world.state.record(id);
  if (record === null) return makeNotDone(STALE.noRecord);
  const { outcome, notes } = keepAsNew(ctx, { record, path }, ctx.world.state.conflict(id));
  return { outcome, notes: notes.slice(1) };
}

/** Makes the next run write a conflict copy again after the user removed it. */
export function restoreConflictCopy(ctx: CycleContext, id: DocId): ManualEnd {
  const { state } = ctx.world;
  const conflict = state.conflict(id);
  if (conflict === null) return makeNotDone(STALE.conflictEnded);
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
  if (record === null || record.changeId !== baseChangeId) return makeNotDone(STALE.baseMoved);
  const textOrEnd = await readBaseText(ctx, record, path);
  if (textOrEnd.kind === "end") return makeNotDone(textOrEnd.outcome);
  const event = { kind: "restore", detail: EMPTIED_DETAIL } as const;
  const { outcome } = writeChosen(ctx, { record, path, text: textOrEnd.value, seen: expect, event, old: "it" });
  return { outcome, notes: [] };
}

const EMPTIED_DETAIL = "its content is restored: the change to empty was rejected";

function readBaseText(
  ctx: CycleContext,
  record: DocumentRecord,
  path: LocalPath,
): Promise<ValueOrEnd<string>> | ValueOrEnd<string> {
  const storedText = ctx.world.state.text(record.localDigest);
  return storedText === null ? readBase(ctx, record, path) : withValue(storedText);
}

/**
 * Makes the service's version the base. The next run then uploads the local content as an edit of
 * that version. Used if the service's version is empty, or older because of a restore from a
 * backup.
 */
export async function resendLocalContent(ctx: CycleContext, id: DocId, changeId: ChangeId): Promise<ManualEnd> {
  const { state, disk } = ctx.world;
  const path = state.record(id)?.localPath;
  const remoteOrEnd = path === undefined ? null : await fetchText(ctx, id, path);
  const record = state.record(id);
  if (remoteOrEnd === null || record === null) return makeNotDone(STALE.noRecord);
  if (remoteOrEnd.kind === "end") return makeNotDone(remoteOrEnd.outcome);
  const { file, digest } = remoteOrEnd.value;
  if (file.lastChangeId !== changeId) return makeNotDone(STALE.editedRemotely);
  const atPath = disk.look(record.localPath);
  if (atPath.kind !== "file") return makeNotDone(stale(`no file is at ${record.localPath}`));
  const base = { changeId, digest, localDigest: digest, stamp: atPath.stamp, stampTrusted: false, durable: true };
  const outcome = commit(ctx, {
    record: moveBase(record, base),
    event: {
      kind: "restore",
      side: "both",
      id,
      path: record.localPath,
      detail: "the local version is uploaded over the version on the service",
      before: digest,
      after: atPath.digest,
    },
  });
  return { outcome, notes: [] };
}
