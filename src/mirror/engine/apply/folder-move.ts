import type { ActionOf } from "../../model/action.ts";
import type { FolderRecord } from "../../model/record.ts";
import { isPathPair } from "../../model/names.ts";
import { isWithin, type LocalPath, nameOf, parentOf, rebase, type RemotePath } from "../../../contract/path.ts";
import type { Intent } from "../../ports/state.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import { fromServicePath } from "../run/world.ts";
import type { FolderMove } from "./commit.ts";
import { DONE, withValue, outcomeOfUndoneWrite } from "./effect.ts";
import { findFolder } from "./folder.ts";
import { isMovedBack, type MoveRequest, prepareMove, refuseMove } from "./in-the-way.ts";
import type { Effect } from "./run-effect.ts";

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
    const preparedOrEnd = await prepareMove(ctx, { ...action, id: dirId });
    if (preparedOrEnd.kind === "end") return preparedOrEnd;
    const { currentPath, ...sent } = preparedOrEnd.value;
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
    const to = fromServicePath(ctx.world, answer.value.path) ?? row.to;
    return { kind: "seen", seen: { to, isBack: false }, requestId: answer.requestId };
  },

  refuse: refuseMove,

  async observe(ctx, row) {
    const foundFolder = await findFolder(ctx, row.to);
    if (foundFolder.kind === "open") return foundFolder;
    const to = foundFolder.folder?.id === row.dirId ? row.to : null;
    return { kind: "seen", seen: { to, isBack: isMovedBack(ctx.world, row) } };
  },

  conclude(ctx, row, { to, isBack }, source) {
    const { state } = ctx.world;
    const dir = state.dir(row.dirId);
    const correction = isBack && dir !== null ? findLocalCorrection(dir, to ?? dir.remotePath, row.lastLocalPath) : [];
    if (to === null) {
      const fault = source.from === "observation" ? source.fault : null;
      return { outcome: outcomeOfUndoneWrite("move", fault), change: { moved: correction } };
    }
    if (!row.temporary) ctx.notes.counts.movedRemote++;
    moveFolderIds(ctx, row.from, to);
    const event = {
      kind: parentOf(row.from) === parentOf(row.to) ? "rename-folder-remote" : "reparent-folder-remote",
      side: "remote",
      id: row.dirId,
      path: row.to,
      detail: `${row.why} (${row.from} → ${to})`,
      from: dir?.localPath ?? null,
      requestId: source.from === "answer" ? source.requestId : null,
    } as const;
    return { outcome: DONE, change: { moved: [{ side: "remote", from: row.from, to }, ...correction], event } };
  },
};

/**
 * Returns the correction of a folder's record after the user moved the folder back; empty if none
 * is needed. The recorded local path becomes the path at the time of the request. The next plan
 * then sees that the user moved the folder from that path.
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
