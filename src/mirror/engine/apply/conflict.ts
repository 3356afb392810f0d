import type { Outcome } from "../../model/action.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { ChangeId, DocId } from "../../../contract/ids.ts";
import { ONE_WAY_SYNC_CLAUSES } from "../../model/block.ts";
import {
  type Conflict,
  hasConflictCopy,
  type DocumentRecord,
  findNewestShown,
  type ShownVersion,
} from "../../model/record.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { makeConflictCopyPath, makeTheirsCopyPath } from "../../model/names.ts";
import type { EventFields, Intent } from "../../ports/state.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import { commit, withCurrentChangeId } from "./commit.ts";
import { findCopy, withoutCopyOnDisk, chooseCopyPath, writeConflictCopy, removeUnrecorded } from "./conflict-copies.ts";
import { DONE, withValue, makeBlock, type RemoteText, stale, leaveOpen } from "./effect.ts";
import { flushFiles } from "./durability.ts";
import { type Effect, concludeLocal, type LocalEffect, runEffect } from "./run-effect.ts";

type ConflictCopyRow = Extract<Intent, { kind: "conflict-copy" }>;
type ShownContent = NonNullable<ConflictCopyRow["shows"]> & { readonly text: string };
type CopyInode = Pick<ShownVersion, "ino" | "dev">;

/**
 * Writes the conflict copy of a version, and records its path in the conflict. In a second phase,
 * moves the copy of the earlier version to the trash.
 */
export const showCopy = {
  async prepare(_, { text, ...shows }) {
    const { id, newestCopyPath: path } = shows.conflict;
    const { digest: writes } = findNewestShown(shows.conflict);
    return withValue({ row: { kind: "conflict-copy", id, path, writes, shows } as const, input: text });
  },

  async perform(ctx, { id, path, writes, shows }, text) {
    // ORDER: no `await` between this check and the increment of `counts.conflicts`, because another
    // step could open a conflict meanwhile. The next plan decides about conflicts over the limit;
    // the safety check `conflict-flood` then asks the user.
    if (shows?.opens === true && isOverBudget(ctx, id))
      return { kind: "over", outcome: stale("more conflicts than a run may open without approval") };
    const writeFailure = writeConflictCopy(ctx, path, text, writes);
    if (writeFailure !== null) return { kind: "over", outcome: writeFailure };
    if (shows?.opens === true) ctx.notes.counts.conflicts++;
    // ORDER: the copy is flushed before its path is recorded. Otherwise a power cut could remove a
    // recorded copy, which would then count as removed by the user.
    await flushFiles(ctx.world, [path]);
    return { kind: "seen", seen: readCopyInode(ctx, path) };
  },

  observe(ctx, row) {
    if (row.shows === undefined) return removeUnrecorded(ctx, row);
    const pathState = ctx.world.disk.look(row.path);
    if (pathState.kind === "unknown") return leaveOpen(`a conflict copy cannot be read: ${pathState.why}`);
    // The conflict copy is missing or has other content, so no file shows the version. The next
    // cycle plans the conflict again.
    if (pathState.kind !== "file" || pathState.digest !== row.writes) return { kind: "over", outcome: DONE };
    if (row.shows.opens) ctx.notes.counts.conflicts++;
    // The copy is not flushed, so a power cut may still remove the copy. Without a recorded inode,
    // a missing copy is not the user's choice. The next plan writes and flushes the copy again,
    // then records the inode.
    return { kind: "seen", seen: { ino: 0, dev: 0 } };
  },

  conclude(ctx, { id, shows }, copy) {
    if (shows === undefined) return { outcome: DONE, change: null };
    const { conflict, record, old, event } = shows;
    const { changeId, digest } = findNewestShown(conflict);
    const shownVersions = [...conflict.shown.slice(0, -1), { changeId, digest, ...copy }];
    const change = {
      ...(record === null ? {} : { contentRecord: withCurrentChangeId(ctx, record) }),
      version: { id, changeId, digest },
      conflict: { ...conflict, shown: shownVersions },
      removes: { tombstone: id },
      event,
    };
    if (old === null) return { outcome: DONE, change };
    const row = { kind: "conflict-copy", id, ...old } as const;
    return { outcome: DONE, change, next: { row, run: (now, rowId) => removeOldCopy(now, rowId, row) } };
  },
} satisfies Effect<ShownContent, ConflictCopyRow, string, CopyInode> &
  Pick<LocalEffect<never, ConflictCopyRow, never, CopyInode>, "observe">;

async function removeOldCopy(ctx: CycleContext, rowId: number, row: ConflictCopyRow): Promise<Outcome> {
  const removalResult = removeUnrecorded(ctx, row);
  // ORDER: the removal of the copy is flushed before the journal row is removed. Otherwise a power
  // cut could bring the old copy back without a journal row that names the copy.
  await flushFiles(ctx.world, [row.path]);
  concludeLocal(ctx, showCopy, rowId, row, removalResult);
  return DONE;
}

function isOverBudget({ notes: { conflictBudget: budget, counts } }: CycleContext, id: DocId): boolean {
  return budget !== null && counts.conflicts > budget.max && !budget.approved.has(id);
}

/** Returns the inode and device of a conflict copy; zeros if the copy is missing. */
function readCopyInode({ world: { disk } }: CycleContext, path: LocalPath): CopyInode {
  const pathState = disk.look(path);
  return pathState.kind === "file" ? { ino: pathState.stamp.ino, dev: pathState.stamp.dev } : { ino: 0, dev: 0 };
}

/**
 * Returns the current path of the document's file. This is normally the path in the plan: while a
 * move is blocked, the record still has the path before the move. If a step moved the file during
 * the download, returns the new recorded path.
 * @param record the record when the action began
 */
function findDocumentPath(ctx: CycleContext, record: DocumentRecord, found: LocalPath): LocalPath {
  const currentPath = ctx.world.state.record(record.id)?.localPath;
  return currentPath === undefined || currentPath === record.localPath ? found : currentPath;
}

/**
 * Opens the conflict of a document. The local content stays, and the content on the service is
 * written to `note (theirs).md` beside the document. A document has at most one conflict.
 * @param record the new record; the base in this record is still the content that both sides edited
 * @param found path at which the plan found the file
 * @param base version that both sides edited; null if the document is new on both sides
 */
export function openConflict(
  ctx: CycleContext,
  record: DocumentRecord,
  found: LocalPath,
  remote: RemoteText,
  base: Pick<DocumentRecord, "digest" | "changeId"> | null,
  why: string,
): Promise<Outcome> {
  const { id } = record;
  const version = { changeId: remote.file.lastChangeId, digest: remote.digest };
  if (ctx.settings.direction === "push") return blockInsteadOfConflict(ctx, record, found, version.changeId, why);
  const baseDigest = base?.digest ?? null;
  const conflict: Conflict = {
    id,
    baseDigest,
    baseChangeId: base?.changeId ?? null,
    ...chooseCopyPath(ctx, id, findDocumentPath(ctx, record, found), [], version),
    looksGone: 0,
    since: ctx.world.clock.now(),
  };
  const event: EventFields = {
    kind: "conflict",
    side: "both",
    id,
    path: found,
    detail: why,
    outcome: "conflict",
    before: baseDigest,
    after: remote.digest,
  };
  return runEffect(ctx, showCopy, { conflict, record, old: null, opens: true, event, text: remote.text });
}

/**
 * Blocks a document instead of opening a conflict, because this sync only uploads. Neither side
 * changes.
 */
async function blockInsteadOfConflict(
  ctx: CycleContext,
  { id }: DocumentRecord,
  path: LocalPath,
  changeId: ChangeId,
  why: string,
): Promise<Outcome> {
  const pathState = ctx.world.disk.look(path);
  const detail = `${why}; ${ONE_WAY_SYNC_CLAUSES.push}`;
  const digest = pathState.kind === "file" ? pathState.digest : null;
  const block = makeBlock(ctx, { key: id, path, reason: "direction-off", detail, digest, changeId });
  ctx.notes.tally.oneWay.push(block);
  return { kind: "refused", code: "direction-off", detail, requestId: null, block };
}

/**
 * Writes the service's current version to a new conflict copy. Moves the copy of the earlier
 * version to the trash, unless the user edited that copy.
 * @param record the document's new record; null if it is unchanged
 */
export async function showVersion(
  ctx: CycleContext,
  conflict: Conflict,
  { file: { lastChangeId: changeId }, text, digest }: RemoteText,
  document: LocalPath,
  record: DocumentRecord | null,
  logged: EventFields,
): Promise<Outcome> {
  const newestVersion = findNewestShown(conflict);
  const { maxNameBytes } = ctx.world.disk.names();
  const writeCopy = (next: Conflict, old: ShownContent["old"] = null) => {
    const event = { ...logged, path: next.newestCopyPath, before: newestVersion.digest, after: digest };
    return runEffect(ctx, showCopy, { conflict: next, record, old, opens: false, event, text });
  };
  if (digest === newestVersion.digest) {
    const updatedConflict = {
      ...conflict,
      looksGone: 0,
      shown: [...conflict.shown.slice(0, -1), { ...newestVersion, changeId }],
    };
    const recordUpdate = record === null ? {} : { contentRecord: record };
    const version = { id: conflict.id, changeId, digest };
    const event = { ...logged, before: digest, after: digest };
    if (hasConflictCopy(conflict)) return commit(ctx, { ...recordUpdate, version, conflict: updatedConflict, event });
    const conflictToShow = {
      ...updatedConflict,
      newestCopyPath: makeTheirsCopyPath(document, conflict.shown.length, maxNameBytes),
    };
    if (isFreeOrHasContent(ctx, conflictToShow.newestCopyPath, digest)) return writeCopy(conflictToShow);
  }
  const newestCopy = {
    nth: conflict.shown.length,
    version: newestVersion,
    path: conflict.newestCopyPath,
    isNewest: true,
  };
  const earlierCopy = findCopy(ctx, conflict, newestCopy, [makeTheirsCopyPath(document, newestCopy.nth, maxNameBytes)]);
  if (earlierCopy.kind === "unknown") return stale("the conflict copy of the earlier version cannot be read");
  const earlierVersions = [...conflict.shown.slice(0, -1), withoutCopyOnDisk(newestVersion, earlierCopy)];
  const nextConflict = {
    ...conflict,
    looksGone: 0,
    ...chooseCopyPath(ctx, conflict.id, document, earlierVersions, { changeId, digest }),
  };
  return writeCopy(
    nextConflict,
    earlierCopy.kind === "file" && earlierCopy.digest === newestVersion.digest
      ? { path: earlierCopy.path, writes: earlierCopy.digest }
      : null,
  );
}

function isFreeOrHasContent({ world: { disk } }: CycleContext, path: LocalPath, digest: Digest): boolean {
  const pathState = disk.look(path);
  return pathState.kind === "absent" || (pathState.kind === "file" && pathState.digest === digest);
}

/**
 * Writes the local content to `note (mine).md` beside the document, for the conflict policy `copy`.
 * If an earlier copy still exists, the new copy is `note (mine 2).md`. The caller then writes the
 * service's content to the document's path.
 * ORDER: the copy is flushed before the caller replaces the file. Otherwise, after a power cut, the
 * local content would only be in the content store.
 * @returns the outcome of the action if the copy could not be written; null on success
 */
export async function keepMineBeside(
  ctx: CycleContext,
  record: DocumentRecord,
  found: LocalPath,
  local: string,
  digest: Digest,
): Promise<Outcome | null> {
  const copyPath = findMineCopyPath(ctx, findDocumentPath(ctx, record, found), digest);
  const writeFailure = writeConflictCopy(ctx, copyPath, local, digest);
  if (writeFailure === null) await flushFiles(ctx.world, [copyPath]);
  return writeFailure;
}

/**
 * Returns the first usable path of the series `note (mine).md`, `note (mine 2).md` and so on. A
 * usable path is free, cannot be read, or has a file with the same content.
 */
function findMineCopyPath({ world: { disk } }: CycleContext, document: LocalPath, digest: Digest): LocalPath {
  for (let nth = 1; ; nth++) {
    const copyPath = makeConflictCopyPath(document, "mine", nth, disk.names().maxNameBytes);
    const pathState = disk.look(copyPath);
    if (pathState.kind === "absent" || pathState.kind === "unknown") return copyPath;
    if (pathState.kind === "file" && pathState.digest === digest) return copyPath;
  }
}
