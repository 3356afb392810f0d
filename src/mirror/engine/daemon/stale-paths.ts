import type { DocId } from "../../../contract/ids.ts";
import { mergeText } from "../../../markdown/merge/merge.ts";
import type { Action } from "../../model/action.ts";
import type { Digest } from "../../../contract/digest.ts";
import { type DocumentRecord, isSameInodeAndBirth } from "../../model/record.ts";
import { isWithin, type LocalPath } from "../../../contract/path.ts";
import { areSimilar, makeLineProfile } from "../../model/similar.ts";
import type { BaseTree, LocalFile, LocalTree } from "../../model/tree.ts";
import { runLocalEffect } from "../apply/run-effect.ts";
import { trashFile, writeFile } from "../apply/write-file.ts";
import type { CycleEnd, CycleContext } from "../run/cycle-context.ts";
import { findUse } from "../run/files-in-use.ts";
import { makeLocalOrigin } from "../apply/effect.ts";
import { chooseTrashPlace } from "../run/world.ts";

type VacatedPath = {
  readonly id: DocId;
  readonly movedAt: number;
  /**
   * Digest of the file when mdmirror moved it from the old path. A program that saves to the old
   * path has read this content or earlier content.
   */
  readonly digest: Digest;
};

/**
 * LIMIT: number of remembered old paths, so that memory stays bounded. The oldest path is forgotten
 * first.
 */
const MAX_PATHS = 5_000;

/**
 * Handles saves to an old path: a document was renamed on the service, mdmirror moved its file, and
 * a program still saves under the old name. The saved content is an edit of the document, not a new
 * document, under two conditions:
 * - The program saved soon after the rename.
 * - The saved content is similar to what the program had read.
 */
export class StalePaths {
  readonly #windowMs: number;
  readonly #vacated = new Map<LocalPath, VacatedPath>();
  readonly #wait: (path: LocalPath) => void;

  /** @param wait delays the plan for a file until the next call of `redirect` */
  constructor(windowMs: number, wait: (path: LocalPath) => void) {
    this.#windowMs = windowMs;
    this.#wait = wait;
  }

  /**
   * Remembers the paths from which a cycle moved documents. Leaves out files with a local edit,
   * because a program may have read such a file before the edit. A merge of what this program saves
   * would remove the edit.
   */
  afterCycle({ plan, ends, trees }: Extract<CycleEnd, { kind: "planned" }>, now: number): void {
    for (const [index, { action }] of plan.steps.entries()) {
      const step = ends[index];
      if (step?.kind !== "ran" || step.outcome.kind !== "done") continue;
      for (const { localPath, id, localDigest: digest } of findMovedRecords(action, trees.base)) {
        const isEdited = (trees.local.files.get(localPath)?.digest ?? digest) !== digest;
        if (!isEdited) this.#remember(localPath, { id, movedAt: now, digest });
      }
    }
  }

  /**
   * Moves content that a program saved to an old path to its document.
   * @returns true if a file changed or must wait, so that the folder must be scanned again
   */
  redirect(ctx: CycleContext, base: BaseTree, local: LocalTree, now: number): boolean {
    let isChanged = false;
    for (const [path, { id, movedAt, digest }] of this.#vacated) {
      if (now - movedAt > this.#windowMs) {
        this.#vacated.delete(path);
        continue;
      }
      const file = local.files.get(path);
      const record = base.records.get(id);
      if (file === undefined || record === undefined || record.localPath === path || file.empty) continue;
      if (isRecordedPath(base, path) || isFileOf(record, file)) continue;
      const savedDigest = redirectSave(ctx, path, record, local, digest);
      if (savedDigest === null) continue;
      if (savedDigest === "waits") this.#wait(path);
      else this.#remember(path, { id, movedAt: now, digest: savedDigest });
      isChanged = true;
    }
    return isChanged;
  }

  #remember(path: LocalPath, vacated: VacatedPath): void {
    this.#vacated.delete(path);
    this.#vacated.set(path, vacated);
    for (const oldestPath of this.#vacated.keys()) {
      if (this.#vacated.size <= MAX_PATHS) break;
      this.#vacated.delete(oldestPath);
    }
  }
}

/** Returns the records, before the move, of the documents that an action moved locally. */
function findMovedRecords(action: Action, base: BaseTree): readonly DocumentRecord[] {
  if (action.kind === "move-local" && !action.temporary) {
    const record = base.records.get(action.id);
    return record === undefined ? [] : [record];
  }
  if (action.kind !== "move-folder-local") return [];
  return [...base.records.values()].filter(({ localPath }) => isWithin(localPath, action.from));
}

function isRecordedPath(base: BaseTree, path: LocalPath): boolean {
  for (const record of base.records.values()) if (record.localPath === path) return true;
  return false;
}

/** Returns true if the user moved the document's own file back to an old path. */
function isFileOf({ stamp }: DocumentRecord, file: LocalFile): boolean {
  return stamp !== null && isSameInodeAndBirth(stamp, file.stamp);
}

/**
 * Handles one save to an old path.
 * @param read digest of the content that the program had read
 * @returns digest of the saved content; null if the content stays at its path; `waits` if the
 * document's file has changed a moment ago
 */
function redirectSave(
  ctx: CycleContext,
  path: LocalPath,
  record: DocumentRecord,
  local: LocalTree,
  read: Digest,
): Digest | "waits" | null {
  const { disk, state } = ctx.world;
  const localFile = local.files.get(record.localPath);
  const savedOutcome = disk.read(path);
  const readText = state.text(read);
  if (localFile === undefined || savedOutcome.kind !== "done" || readText === null) return null;
  if (!areSimilar(makeLineProfile(readText), makeLineProfile(savedOutcome.value.text))) return null;
  state.putKnownText(savedOutcome.value.digest, savedOutcome.value.text, makeLocalOrigin(path, record.id));
  const newText = chooseText(ctx, record, { digest: read, text: readText }, localFile, savedOutcome.value.text);
  if (newText !== null && newText !== savedOutcome.value.text && hasJustChanged(ctx, record)) return "waits";
  // ORDER: the content is written to the document before the file at the old path is removed. If
  // mdmirror is interrupted between the two, the next scan finds the file at the old path and
  // repeats both.
  if (newText === null || !writeToDocument(ctx, path, record, newText, localFile.digest)) return null;
  trashCopy(ctx, path, record, savedOutcome.value.digest);
  return savedOutcome.value.digest;
}

/**
 * Returns the new content of the document's file. Returns null in two cases:
 * - The file has edits that do not merge with the saved content.
 * - A file with very different content has taken the document's path. The planner must decide then,
 *   because the file at the old path may have the document's only local content.
 */
function chooseText(
  ctx: CycleContext,
  record: DocumentRecord,
  read: { readonly digest: Digest; readonly text: string },
  localFile: LocalFile,
  saved: string,
): string | null {
  if (localFile.digest === read.digest) return saved;
  const currentFile = ctx.world.disk.read(record.localPath);
  if (currentFile.kind !== "done" || currentFile.value.digest !== localFile.digest) return null;
  if (!isFileOf(record, localFile) && !areSimilar(makeLineProfile(read.text), makeLineProfile(currentFile.value.text)))
    return null;
  const mergeResult = mergeText(read.text, currentFile.value.text, saved);
  return mergeResult.kind === "clean" ? mergeResult.text : null;
}

function writeToDocument(
  ctx: CycleContext,
  path: LocalPath,
  record: DocumentRecord,
  text: string,
  expect: Digest,
): boolean {
  const detail = `saved to its old path ${path} after a rename on the service; treated as an edit of the document`;
  const outcome = runLocalEffect(ctx, writeFile, {
    id: record.id,
    path: record.localPath,
    text,
    expect,
    base: record,
    next: null,
    event: { kind: "late-write", side: "local", detail },
  });
  return outcome.kind === "done";
}

function hasJustChanged(ctx: CycleContext, record: DocumentRecord): boolean {
  const fileUse = findUse(ctx, record);
  // A program may have the file open for days, so an open file is no reason to wait.
  return fileUse !== null && fileUse.settledInMs !== null;
}

function trashCopy(ctx: CycleContext, path: LocalPath, record: DocumentRecord, digest: Digest): void {
  const { id } = record;
  const placeInTrash = chooseTrashPlace(ctx.world, path);
  const detail = `an edit of ${record.localPath} was saved at its old path; it is kept as .mdmirror/${placeInTrash}`;
  const event = { kind: "late-write", side: "local", id, path, detail, before: digest } as const;
  // If a program has saved to the old path again, the effect keeps the file, and the next cycle
  // handles the new content.
  runLocalEffect(ctx, trashFile, { id, path, expect: digest, place: placeInTrash, change: () => ({ event }) });
}
