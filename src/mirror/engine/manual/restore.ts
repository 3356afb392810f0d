/** Changes the folder for `undo` and `restore` as a user could. The next run sends the changes. */

import { type DirId, type DocId, isDirId } from "../../../contract/ids.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { DocumentRecord } from "../../model/record.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { type ManualEnd, storeReplacedText, makeKeptNote, makeNotDone, writeChosen } from "./run-manually.ts";
import { ensureFolders } from "../apply/parents.ts";
import { outcomeOfDisk, stale } from "../apply/effect.ts";
import { runLocalEffect } from "../apply/run-effect.ts";
import { moveLocal } from "../apply/move-local.ts";
import { trashFile } from "../apply/set-aside.ts";
import { commit } from "../apply/commit.ts";
import type { CycleContext } from "../run/cycle-context.ts";

/**
 * Writes earlier content to a document's file, as an edit.
 * @param digest digest of the earlier content
 * @param expect digest that the file must still have; null if its content does not matter
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
  if (text === null) return makeNotDone(stale("its content is no longer in the history"));
  const path = record.localPath;
  const currentDigest = storeReplacedText(ctx, path, record.id);
  if (expect !== null && currentDigest !== expect) return makeNotDone(stale("its content changed since"));
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
  if (text === null) return makeNotDone(stale("its content is no longer in the history"));
  const folderFailure = ensureFolders(ctx, path);
  if (folderFailure !== null) return makeNotDone(folderFailure);
  const createOutcome = disk.create(path, text);
  if (createOutcome.kind !== "done") return makeNotDone(outcomeOfDisk(createOutcome));
  const outcome = commit(ctx, { event: { kind: "restore", side: "local", id, path, detail, after: digest } });
  return {
    outcome,
    notes: isNew ? ["it is a new document with a new id; its earlier history stays with the old id"] : [],
  };
}

/**
 * Moves the file of a document that a run created on the service to the trash. The next run deletes
 * the document as after any local deletion; the safety checks apply.
 * @param place destination of the file, below `.mdmirror/`
 */
export function removeCreated(
  ctx: CycleContext,
  record: DocumentRecord,
  expect: Digest,
  place: string,
  detail: string,
): ManualEnd {
  const { id, localPath: path } = record;
  if (storeReplacedText(ctx, path, id) !== expect) return makeNotDone(stale("its content changed since"));
  const event = { kind: "restore", side: "local", id, path, detail, before: expect } as const;
  const outcome = runLocalEffect(ctx, trashFile, { id, path, expect, place, change: () => ({ event }) });
  return outcome.kind === "done" ? { outcome, notes: makeKeptNote("it", place) } : makeNotDone(outcome);
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
