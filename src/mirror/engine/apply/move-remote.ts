import { digestOf } from "../../../contract/digest.ts";
import type { ChangeId } from "../../../contract/ids.ts";
import type { FileResource, FileWithContent } from "../../../contract/resources.ts";
import type { ActionOf, Outcome } from "../../model/action.ts";
import type { DocumentRecord, FolderRecord } from "../../model/record.ts";
import { isPathPair } from "../../model/names.ts";
import { isWithin, type LocalPath, nameOf, parentOf, rebase, type RemotePath } from "../../../contract/path.ts";
import type { Intent } from "../../ports/state.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import { fromServicePath } from "../run/world.ts";
import {
  DONE,
  isNotFound,
  outcomeOfFailedRead,
  outcomeOfUndoneWrite,
  readDocument,
  refuseWithBlock,
  STALE,
  stale,
  withOutcome,
  withValue,
} from "./effect.ts";
import { followLocalMoves, isMovedBack, type MoveRequest, prepareMove, refuseMove } from "./place.ts";
import type { Effect, EffectEnd, ResultSource } from "./run-effect.ts";
import type { FolderMove } from "./commit.ts";
import { findFolder } from "./folder.ts";

type DocumentMoveAction = ActionOf<"rename-remote" | "reparent-remote">;
type DocumentMoveRow = Extract<Intent, { kind: "patch" }>;
type ObservedPlace = {
  /** Current path and version on the service; null if the document is still at its old path. */
  readonly observed: (KnownVersion & { readonly path: RemotePath }) | null;
  /**
   * Current local path of the file if the service answered; otherwise the local path when the
   * request was sent.
   */
  readonly lastLocalPath: LocalPath;
  /** True if the user moved the local file back after the request was sent. */
  readonly isBack: boolean;
};
type KnownVersion = {
  /** Change id of base's content on the service; null if the service has other content. */
  readonly contentId: ChangeId | null;
  /** Change id in the document's record before mdmirror read the content on the service. */
  readonly earlierBaseId: ChangeId;
};

export const moveDocument: Effect<DocumentMoveAction, DocumentMoveRow, MoveRequest, ObservedPlace> = {
  async prepare(ctx, action) {
    const { id, from, to, why, temporary } = action;
    if (ctx.world.state.record(id) === null) return withOutcome(STALE.noRecord);
    const preparation = await prepareMove(ctx, action);
    if (preparation.kind === "end") return preparation;
    const { currentPath, ...sent } = preparation.value;
    return withValue({ row: { kind: "patch", id, from, to, lastLocalPath: currentPath, why, temporary }, ...sent });
  },

  async perform(ctx, row, { parent, lastLocalPath }) {
    const { remote, state } = ctx.world;
    const answer =
      parent === null ? await remote.renameFile(row.id, nameOf(row.to)) : await remote.moveFile(row.id, parent);
    if (!answer.ok) return { kind: "failed", fault: answer.fault };
    const record = state.record(row.id);
    if (record === null) return { kind: "over", outcome: STALE.noRecord };
    const path = fromServicePath(ctx.world, answer.value.path) ?? row.to;
    const observation = { path, ...(await readMovedVersion(ctx, record, answer.value)) };
    const observedPlace = { observed: observation, lastLocalPath: followLocalMoves(ctx, lastLocalPath), isBack: false };
    return { kind: "seen", seen: observedPlace, requestId: answer.requestId };
  },

  refuse: refuseMove,

  async observe(ctx, row, fault) {
    const record = ctx.world.state.record(row.id);
    const answer = await readDocument(ctx, row.id, record?.localPath ?? row.to);
    if (!answer.ok && !isNotFound(answer)) return { kind: "open", outcome: outcomeOfFailedRead(answer.fault) };
    // If the document is neither at `from` nor at `to`, the service may have changed the name, or
    // another user may have moved the document.
    const isMoved = answer.ok && fromServicePath(ctx.world, answer.value.path) === row.to;
    if (record === null) {
      const outcome = isMoved ? STALE.noRecord : outcomeOfUndoneWrite("move", fault);
      return { kind: "over", outcome };
    }
    const observation = isMoved ? { path: row.to, ...(await readMovedVersion(ctx, record, answer.value)) } : null;
    const isBack = isMovedBack(ctx.world, row);
    return { kind: "seen", seen: { observed: observation, lastLocalPath: row.lastLocalPath, isBack } };
  },

  conclude(ctx, row, seen, source) {
    const record = ctx.world.state.record(row.id);
    if (record === null) return { outcome: STALE.noRecord, change: null };
    if (seen.observed === null) {
      const change = seen.isBack ? { record: correctMovedBack(record, seen.lastLocalPath) } : null;
      return { outcome: outcomeOfUndoneWrite("move", source.fault), change };
    }
    return concludeMoved(ctx, row, record, { ...seen, observed: seen.observed }, source);
  },
};

async function readMovedVersion(
  ctx: CycleContext,
  { id, changeId: earlierBaseId, digest, localPath }: DocumentRecord,
  file: FileResource | FileWithContent,
): Promise<KnownVersion> {
  if (file.lastChangeId === earlierBaseId) return { contentId: earlierBaseId, earlierBaseId };
  // The answer to a move has no content, so the document is read.
  const answer = "content" in file ? { ok: true, value: file } : await readDocument(ctx, id, localPath);
  const hasBaseContent = answer.ok && digestOf(answer.value.content) === digest;
  return { contentId: hasBaseContent ? answer.value.lastChangeId : null, earlierBaseId };
}

function concludeMoved(
  ctx: CycleContext,
  row: DocumentMoveRow,
  record: DocumentRecord,
  { observed, lastLocalPath, isBack }: ObservedPlace & { readonly observed: NonNullable<ObservedPlace["observed"]> },
  { requestId }: ResultSource,
): EffectEnd {
  const { path, contentId, earlierBaseId } = observed;
  // The request changed only the folder. If the document also has a new name, another user renamed
  // the document. Base then gets the new folder and the old name, so that the next cycle notices
  // the rename.
  const isRenamed = isReparent(row) && nameOf(path) !== nameOf(row.to);
  const movedRecord = { ...record, remotePath: isRenamed ? row.to : path };
  // Some services assign a new change id to unchanged content when a document is renamed. Base gets
  // this id (`contentId`) only if mdmirror read the content and found base's content. The id in the
  // answer to the move proves nothing: another PUT may have saved new content before the move.
  const newBase =
    contentId !== null && record.changeId === earlierBaseId ? { ...movedRecord, changeId: contentId } : movedRecord;
  if (!row.temporary) ctx.notes.counts.movedRemote++;
  const { id, changeId, digest } = newBase;
  const event = {
    kind: isReparent(row) ? "reparent-remote" : "rename-remote",
    side: "remote",
    id,
    path: record.localPath,
    detail: `${row.why} (${row.from} → ${path})`,
    from: record.localPath,
    remoteMove: { from: row.from, to: path },
    requestId,
  } as const;
  const version = changeId === record.changeId ? {} : { version: { id, changeId, digest } };
  // After the version was read, another step may have changed the content and moved base.
  const isKnown = contentId !== null && (contentId === earlierBaseId || contentId === changeId);
  return {
    outcome: outcomeOfMove(ctx, row, path, lastLocalPath, isKnown, requestId),
    change: { record: isBack ? correctMovedBack(newBase, lastLocalPath) : newBase, ...version, event },
  };
}

function isReparent({ from, to }: DocumentMoveRow): boolean {
  return parentOf(from) !== parentOf(to);
}

/**
 * Corrects the record of a file that the user moved back. If the record's two paths do not
 * correspond, the local path becomes the path at the time of the request. The next plan then sees
 * that the user moved the file from that path.
 */
function correctMovedBack(record: DocumentRecord, lastLocalPath: LocalPath): DocumentRecord {
  return isPathPair(record.localPath, record.remotePath, record.id) ? record : { ...record, localPath: lastLocalPath };
}

function outcomeOfMove(
  ctx: CycleContext,
  row: DocumentMoveRow,
  path: RemotePath,
  lastLocalPath: LocalPath,
  isKnown: boolean,
  requestId: string | null,
): Outcome {
  if (nameOf(path) === nameOf(row.to))
    // The move happened. The service may also have newer content, which the next cycle reads.
    return isKnown ? { kind: "done" } : stale("the service has a newer version of it");
  if (isReparent(row)) return stale("it was renamed on the service meanwhile");
  // The service would change the requested name in the same way each time, so the request is not
  // repeated (I08).
  const [requestedName, savedName] = [nameOf(row.to), nameOf(path)].map((name) => JSON.stringify(name));
  const detail = `the service changed the requested name ${requestedName} to ${savedName}`;
  const block = { key: row.id, path: lastLocalPath, reason: "refused", code: null } as const;
  return refuseWithBlock(ctx, { code: "renamed-otherwise", detail, requestId }, block);
}

type FolderMoveAction = ActionOf<"rename-folder-remote" | "reparent-folder-remote">;
type FolderMoveRow = Extract<Intent, { kind: "patch-folder" }>;
type ObservedFolder = {
  /** Current path of the folder on the service; null if the folder is still at its old path. */
  readonly to: RemotePath | null;
  /** True if the user moved the local folder back after the request was sent. */
  readonly isBack: boolean;
};

/**
 * Moves a folder on the service. If the service has no route to move folders, the next plan moves
 * the documents one by one.
 */
export const moveFolderRemote: Effect<FolderMoveAction, FolderMoveRow, MoveRequest, ObservedFolder> = {
  async prepare(ctx, action) {
    const { dirId, from, to, why, temporary } = action;
    const preparation = await prepareMove(ctx, { ...action, id: dirId });
    if (preparation.kind === "end") return preparation;
    const { currentPath, ...sent } = preparation.value;
    return withValue({
      row: { kind: "patch-folder", dirId, from, to, lastLocalPath: currentPath, why, temporary },
      ...sent,
    });
  },

  async perform(ctx, row, { parent }) {
    const { remote } = ctx.world;
    const answer =
      parent === null
        ? await remote.renameFolder(row.dirId, nameOf(row.to))
        : await remote.moveFolder(row.dirId, parent);
    if (!answer.ok) return { kind: "failed", fault: answer.fault };
    const currentPath = fromServicePath(ctx.world, answer.value.path) ?? row.to;
    return { kind: "seen", seen: { to: currentPath, isBack: false }, requestId: answer.requestId };
  },

  refuse: refuseMove,

  async observe(ctx, row) {
    const foundFolder = await findFolder(ctx, row.to);
    if (foundFolder.kind === "open") return foundFolder;
    const currentPath = foundFolder.folder?.id === row.dirId ? row.to : null;
    return { kind: "seen", seen: { to: currentPath, isBack: isMovedBack(ctx.world, row) } };
  },

  conclude(ctx, row, { to, isBack }, source) {
    const { state } = ctx.world;
    const dir = state.dir(row.dirId);
    const correction = isBack && dir !== null ? findLocalCorrection(dir, to ?? dir.remotePath, row.lastLocalPath) : [];
    if (to === null) return { outcome: outcomeOfUndoneWrite("move", source.fault), change: { moved: correction } };
    if (!row.temporary) ctx.notes.counts.movedRemote++;
    moveFolderIds(ctx, row.from, to);
    const event = {
      kind: parentOf(row.from) === parentOf(row.to) ? "rename-folder-remote" : "reparent-folder-remote",
      side: "remote",
      id: row.dirId,
      path: row.to,
      detail: `${row.why} (${row.from} → ${to})`,
      from: dir?.localPath ?? null,
      requestId: source.requestId,
    } as const;
    return { outcome: DONE, change: { moved: [{ side: "remote", from: row.from, to }, ...correction], event } };
  },
};

/**
 * Returns the correction of a folder's record after the user moved the folder back; empty if no
 * correction is needed. The recorded local path becomes the path at the time of the request. The
 * next plan then sees that the user moved the folder from that path.
 */
function findLocalCorrection(
  { id, localPath }: FolderRecord,
  remotePath: RemotePath,
  lastLocalPath: LocalPath,
): readonly FolderMove[] {
  return isPathPair(localPath, remotePath, id, "folder") ? [] : [{ side: "local", from: localPath, to: lastLocalPath }];
}

function moveFolderIds(ctx: CycleContext, from: RemotePath, to: RemotePath): void {
  const movedFolders = [...ctx.notes.folderIds].filter(([path]) => isWithin(path, from));
  for (const [path] of movedFolders) ctx.notes.folderIds.delete(path);
  for (const [path, id] of movedFolders) ctx.notes.folderIds.set(rebase(path, from, to), id);
}
