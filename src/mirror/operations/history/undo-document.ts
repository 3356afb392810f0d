import type { ChangeId, DocId, DirId } from "../../../contract/ids.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { DocumentRecord } from "../../model/record.ts";
import { isWithin, type LocalPath, rebase } from "../../../contract/path.ts";
import type { BaseTree } from "../../model/tree.ts";
import { quoteForShell } from "../../model/shell-word.ts";
import type { Disk } from "../../ports/disk.ts";
import type { MirrorEvent, State } from "../../ports/state.ts";
import type { EndedConflict } from "../../engine/manual/undo.ts";
import type { RecordIndex } from "./lookup.ts";
import { type FolderMove, type RecordedMove, readMove, findPathBefore } from "./undo-moves.ts";

export type UndoItem = { readonly path: LocalPath } & (
  | { readonly kind: "text-back"; readonly id: DocId; readonly digest: Digest; readonly expect: Digest }
  /** Opens a conflict again that the user resolved in the run. */
  | ({ readonly kind: "conflict-back" } & EndedConflict)
  /** Creates a new document with the content of a document that the run deleted. */
  | { readonly kind: "bring-back"; readonly id: DocId; readonly digest: Digest }
  /**
   * Moves the file of a document that the run created to the trash. The next run deletes the
   * document on the service.
   */
  | { readonly kind: "take-away"; readonly id: DocId; readonly expect: Digest }
  | { readonly kind: "move-back"; readonly id: DocId; readonly to: LocalPath }
  | { readonly kind: "move-folder-back"; readonly id: DirId; readonly to: LocalPath }
  /** Gives a document the protection that it had before the run. */
  | { readonly kind: "protect-back" | "unprotect-back"; readonly id: DocId }
  /**
   * The undo does not change the document, for the reason `why`. `isDownload`: true if the run only
   * downloaded the document.
   */
  | { readonly kind: "left"; readonly why: string; readonly isDownload?: true }
);

/**
 * For each kind of undo: the rank that orders the items, and words for messages.
 * ORDER: first contents, while documents are at their current paths. Then moves. Then deleted
 * documents, whose folders a move may restore.
 */
export const UNDO_KINDS: Readonly<Record<UndoItem["kind"], { readonly rank: number; readonly words: string }>> = {
  left: { rank: 0, words: "left alone" },
  "text-back": { rank: 0, words: "restore the content" },
  "conflict-back": { rank: 0, words: "open the conflict again" },
  "take-away": { rank: 0, words: "move to the trash again" },
  "move-back": { rank: 1, words: "move back" },
  "move-folder-back": { rank: 1, words: "move the folder back" },
  "bring-back": { rank: 2, words: "restore as a new document" },
  "protect-back": { rank: 3, words: "protect again" },
  "unprotect-back": { rank: 3, words: "remove the protection again" },
};

export type LeftItem = Extract<UndoItem, { kind: "left" }>;

export function makeLeftItem(path: LocalPath, why: string): LeftItem {
  return { path, kind: "left", why };
}

const EDITED_REASON = "it was edited since";

/**
 * Returns a clause that says why an item cannot be undone: its document, folder or file has changed
 * since the run. Returns null if the item can be undone. mdmirror calls this function when planning
 * the undo, and again just before the item is undone.
 */
export function explainUndoObstacle(
  item: UndoItem,
  state: Pick<State, "record" | "dir" | "conflict">,
  disk: Pick<Disk, "look">,
): string | null {
  const { path } = item;
  switch (item.kind) {
    case "text-back":
    case "conflict-back":
    case "take-away":
    case "move-back": {
      if (state.record(item.id)?.localPath !== path) return "it was moved or deleted since";
      if (state.conflict(item.id) !== null) return "it is in conflict";
      const atPath = disk.look(path);
      if (atPath.kind !== "file") return `no file is at ${path}`;
      return item.kind === "move-back" || atPath.digest === item.expect ? null : EDITED_REASON;
    }
    case "move-folder-back": {
      const dir = state.dir(item.id);
      if (dir?.localPath !== path) return "the folder was moved or deleted since";
      const atPath = disk.look(path);
      const isSame = atPath.kind === "folder" && atPath.ino === dir.ino && atPath.dev === dir.dev;
      return isSame ? null : "the folder does not exist any more";
    }
    default:
      return null;
  }
}

export function isFree(disk: Pick<Disk, "look">, path: LocalPath): boolean {
  return disk.look(path).kind === "absent";
}

/** @param path path that would have to be free */
export function describeOccupied(path: LocalPath): string {
  return `${path} is taken now`;
}

/**
 * Facts for planning the undo of each document. The undo of several runs restores the state before
 * the first run. The undo changes only documents that are still as they were after the last run.
 */
export type UndoContext = {
  readonly base: BaseTree;
  readonly records: RecordIndex;
  readonly folders: readonly FolderMove[];
  readonly disk: Pick<Disk, "look">;
  readonly created: ReadonlySet<DocId>;
  /** Created documents that the undo keeps, because they replace removed documents. */
  readonly successors: ReadonlySet<DocId>;
  readonly to: "run" | "moment";
  readonly changeIdOf: (id: DocId, digest: Digest) => ChangeId | null;
};

const TEXT_KINDS: ReadonlySet<string> = new Set([
  "put",
  "write-local",
  "merge",
  "meet",
  "settle-review",
  "end-conflict",
  "restore",
]);

const SYNCED_AGAIN_REASON = "it is synced again";
const DELETED_REASON = "it was downloaded, and was deleted since";
const DOWNLOADED_REASON = "the run only downloaded it; delete the file yourself if you do not want it";

type DocumentHistory = {
  readonly id: DocId;
  readonly path: LocalPath;
  readonly record: DocumentRecord | undefined;
  /** Events of the document itself, oldest first, without events of folders above the document. */
  readonly events: readonly MirrorEvent[];
  readonly removed: MirrorEvent | undefined;
};

function readDocumentHistory(
  id: DocId,
  events: readonly MirrorEvent[],
  { base }: Pick<UndoContext, "base">,
): DocumentHistory {
  const record = base.records.get(id);
  return { id, path: record?.localPath ?? events.at(-1)!.path, record, events, removed: events.findLast(isRemoval) };
}

/** @param events events of the document itself, oldest first */
export function undoDocument(id: DocId, events: readonly MirrorEvent[], context: UndoContext): UndoItem[] {
  const history = readDocumentHistory(id, events, context);
  const { path, record, removed } = history;
  const keptReason = explainUndoBlock(history, context);
  if (keptReason !== null) return [makeLeftItem(path, keptReason)];
  const isCreatedByRuns = context.created.has(id);
  if (removed !== undefined && (record === undefined || isFree(context.disk, path))) {
    // The runs created the document and also removed it, so there is nothing to restore.
    if (isCreatedByRuns) return [];
    return events[0]!.kind === "create-local"
      ? [makeLeftItem(path, DELETED_REASON)]
      : planBringBack(history, removed, context);
  }
  if (record === undefined) return [planArrivalUndo(history, context)];
  if (removed !== undefined && !isRestore(events.at(-1)!)) return [makeLeftItem(path, SYNCED_AGAIN_REASON)];
  if (!isCreatedByRuns) return planPresentUndo(history, record, context);
  return context.successors.has(id) ? [] : [planRemoval(record, events.findLast(({ after }) => after !== null)?.after)];
}

/** Plans the undo of content, path and protection for a document that was not removed. */
function planPresentUndo({ path, events }: DocumentHistory, record: DocumentRecord, context: UndoContext): UndoItem[] {
  const conflict = planConflictReopening(record, events, context);
  const possibleItems = [
    conflict ?? planContentRestore(record, events, context),
    planMoveBack(record, events, context),
    planProtectionRestore(record, events),
  ];
  const items = possibleItems.filter((item) => item !== null);
  const wasDownloaded = events.some(({ kind }) => kind === "create-local");
  return wasDownloaded && items.length === 0 ? [{ ...makeLeftItem(path, DOWNLOADED_REASON), isDownload: true }] : items;
}

function isRemoval({ kind, before, after }: MirrorEvent): boolean {
  return (
    kind === "delete-remote" || kind === "trash-local" || (kind === "restore" && before !== null && after === null)
  );
}

/** Returns true if a command restored a deleted document as a new document. */
function isRestore({ kind, before, after }: MirrorEvent): boolean {
  return kind === "restore" && before === null && after !== null;
}

/**
 * Returns a clause that says why a review or a conflict prevents the undo for this document; null
 * if neither does.
 */
function explainUndoBlock({ events, path, record }: DocumentHistory, context: UndoContext): string | null {
  if (events.some(({ outcome }) => outcome === "submitted") && (record?.submissions.length ?? 0) > 0)
    return `in review: mdmirror resolve ${quoteForShell(path)} --theirs`;
  if (!events.some(({ kind }) => kind === "conflict")) return null;
  if (record !== undefined && context.base.conflicts.has(record.id))
    return `the run found a conflict and changed nothing: mdmirror resolve ${quoteForShell(path)}`;
  const isUnknown = events[0]!.kind === "conflict" && findEarlierContent(events, context) === null;
  return isUnknown ? "the run found a conflict, which has ended since" : null;
}

/** Returns the document that the runs created in place of a removed document; otherwise null. */
export function findSuccessor(
  id: DocId,
  events: readonly MirrorEvent[],
  context: Omit<UndoContext, "successors">,
): DocId | null {
  const { removed, record } = readDocumentHistory(id, events, context);
  if (removed === undefined || context.created.has(id) || record !== undefined) return null;
  const currentRecord = context.records.get(findRemovedPath(removed, events, context));
  return currentRecord !== undefined && context.created.has(currentRecord.id) ? currentRecord.id : null;
}

function listMoves(events: readonly MirrorEvent[]): readonly RecordedMove[] {
  return events.flatMap((event): readonly RecordedMove[] => {
    const { kind, from, path } = event;
    if (kind === "restore") return from === null ? [] : [{ side: "local", from, to: path, localFrom: from }];
    const eventMove = readMove(event);
    return eventMove === null ? [] : [eventMove];
  });
}

function findRemovedPath(
  { path }: MirrorEvent,
  events: readonly MirrorEvent[],
  { folders }: Pick<UndoContext, "folders">,
): LocalPath {
  const [firstMove] = listMoves(events);
  return firstMove?.localFrom ?? findPathBefore(path, path, folders);
}

/**
 * Plans the restore of a removed document. If the runs created another document at the path, plans
 * to give that document the content of the removed document.
 */
function planBringBack({ id, path, events }: DocumentHistory, removed: MirrorEvent, context: UndoContext): UndoItem[] {
  const { records, created } = context;
  const digest = findEarlierContent(events, context) ?? removed.before;
  if (digest === null) return [makeLeftItem(path, "its content was not seen")];
  const earlierPath = findRemovedPath(removed, events, context);
  const recordNow = records.get(earlierPath);
  // If the runs moved another document to the path, the undo of that move makes the path free.
  if (recordNow === undefined || !created.has(recordNow.id))
    return [{ path: earlierPath, kind: "bring-back", id, digest }];
  const expectedDigest = recordNow.digest;
  return expectedDigest === digest
    ? []
    : [{ path: earlierPath, kind: "text-back", id: recordNow.id, digest, expect: expectedDigest }];
}

/**
 * Plans the removal of a document that the runs created. Does not remove a document that was edited
 * after the runs.
 * @param expect digest that the document had after the runs; undefined or null if the digest is
 * unknown
 */
function planRemoval({ id, localPath: path, digest }: DocumentRecord, expect: Digest | null | undefined): UndoItem {
  return digest === expect ? { path, kind: "take-away", id, expect } : makeLeftItem(path, EDITED_REASON);
}

/** Plans the undo of a restore that created a new document: the new document is removed. */
function planArrivalUndo({ path, events }: DocumentHistory, { records, disk }: UndoContext): UndoItem {
  const asNew = events.findLast(isRestore);
  if (asNew === undefined) return makeLeftItem(path, "it was deleted since");
  const record = records.get(asNew.path);
  if (record !== undefined) return planRemoval(record, asNew.after);
  const atPath = disk.look(asNew.path);
  const isUnedited = atPath.kind === "file" && atPath.digest === asNew.after;
  return makeLeftItem(asNew.path, isUnedited ? NOT_UPLOADED_REASON : "it was deleted since");
}

const NOT_UPLOADED_REASON = "it was not uploaded yet; delete the file yourself if you do not want it";

function isContentChange({ kind, before, after }: MirrorEvent): boolean {
  return TEXT_KINDS.has(kind) && before !== null && after !== null;
}

function hasChangedContent(event: MirrorEvent): boolean {
  return event.kind === "conflict" || isContentChange(event);
}

/**
 * Returns the digest of the content that an undo restores; null if the runs did not change the
 * content, or if the digest is unknown.
 * - If `to` is "run": the local content before the first run, including edits that were not
 *   uploaded. The digest is unknown if the first run found a conflict.
 * - If `to` is "moment": the content of the last sync before the runs, which is the base of the
 *   first run's merge or conflict.
 */
function findEarlierContent(events: readonly MirrorEvent[], { to }: UndoContext): Digest | null {
  const firstChange = events.find(hasChangedContent);
  if (firstChange?.kind === "conflict") return to === "moment" ? firstChange.before : null;
  return (to === "moment" ? firstChange?.merged?.base : null) ?? firstChange?.before ?? null;
}

/**
 * Plans the restore of the earlier content. Returns null if the runs did not change the content, or
 * if the earlier content is unknown.
 */
function planContentRestore(
  record: DocumentRecord,
  events: readonly MirrorEvent[],
  context: UndoContext,
): UndoItem | null {
  const { id, localPath: path } = record;
  // `create-local` counts as a change: if the local file was deleted during a conflict, this event
  // creates it with other content.
  const lastChange = events.findLast((event) => isContentChange(event) || event.kind === "create-local");
  const [digest, expect] = [findEarlierContent(events, context), lastChange?.after ?? null];
  if (digest === null || expect === null || digest === expect) return null;
  return { path, kind: "text-back", id, digest, expect };
}

/**
 * Plans to open a conflict again. Returns null if the runs ended no conflict, or if the log has no
 * versions of the conflict.
 */
function planConflictReopening(
  record: DocumentRecord,
  events: readonly MirrorEvent[],
  { changeIdOf }: UndoContext,
): UndoItem | null {
  const firstChange = events.find(hasChangedContent);
  const expect = events.findLast(isContentChange)?.after ?? null;
  if (firstChange?.kind !== "end-conflict" || firstChange.merged === null || expect === null) return null;
  const { id, localPath: path, submissions } = record;
  const { base: digest, theirs } = firstChange.merged;
  const changeId = changeIdOf(id, digest);
  if (changeId === null) return makeLeftItem(path, "a version of its conflict is no longer in the history");
  if (submissions.length > 0) return makeLeftItem(path, "a version of it is in review");
  if (record.protected && record.digest !== theirs)
    return makeLeftItem(path, "it is protected, so its earlier version would go to review");
  const base = digest === theirs ? null : { changeId, digest };
  return { path, kind: "conflict-back", id, mine: firstChange.before!, theirs, base, expect };
}

function planProtectionRestore(
  { id, localPath: path }: DocumentRecord,
  events: readonly MirrorEvent[],
): UndoItem | null {
  const changes = events.filter(({ kind }) => kind === "protect" || kind === "unprotect");
  const [firstKind, lastKind] = [changes[0]?.kind, changes.at(-1)?.kind];
  if (firstKind === undefined || firstKind !== lastKind) return null;
  return { path, kind: firstKind === "protect" ? "unprotect-back" : "protect-back", id };
}

function planMoveBack(
  record: DocumentRecord,
  events: readonly MirrorEvent[],
  { folders }: UndoContext,
): UndoItem | null {
  const { id, localPath: path } = record;
  const moves = listMoves(events);
  const [firstMove, lastMove] = [moves[0], moves.at(-1)];
  if (firstMove === undefined || lastMove === undefined) return null;
  const earlierPath = findPathBefore(firstMove.localFrom, path, folders);
  if (earlierPath === path) return null;
  return isAtTarget(record, lastMove, folders)
    ? { path, kind: "move-back", id, to: earlierPath }
    : makeLeftItem(path, "it was moved again since");
}

/** Returns true if the document is still where its last move put it, apart from folder moves. */
function isAtTarget(
  { localPath, remotePath }: DocumentRecord,
  last: RecordedMove,
  folders: readonly FolderMove[],
): boolean {
  const currentPath = last.side === "remote" ? remotePath : localPath;
  const carriedPath = folders.reduce(
    (at, one) => (isWithin(at, one.from) ? rebase(at, one.from, one.to) : at),
    last.to,
  );
  return currentPath === last.to || currentPath === carriedPath;
}
