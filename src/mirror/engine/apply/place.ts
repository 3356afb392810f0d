import type { ActionOf, Outcome } from "../../model/action.ts";
import { type Stamp, isSameInodeAndBirth } from "../../model/record.ts";
import { isWithin, type LocalPath, parentOf, type RemotePath, rebase } from "../../../contract/path.ts";
import type { ParentRef } from "../../ports/remote.ts";
import { STALE, withEnd, makeEvent, type ValueOrEnd, withValue, outcomeOfFault, stale } from "./effect.ts";
import { commit } from "./commit.ts";
import { toService } from "../run/world.ts";
import type { CycleContext } from "../run/cycle-context.ts";

/**
 * Returns the current path of a file, given its path in the plan.
 * RACE: this cycle may have moved a folder above the file since. A block with the old path would
 * end immediately, and mdmirror would repeat the refused request (I08).
 */
export function followLocalMoves(ctx: CycleContext, planned: LocalPath): LocalPath {
  let path = planned;
  for (const { from, to } of ctx.notes.movedLocally) if (isWithin(path, from)) path = rebase(path, from, to);
  return path;
}

export function findNewParent(
  ctx: CycleContext,
  { from, to }: { readonly from: RemotePath; readonly to: RemotePath },
): Promise<ValueOrEnd<ParentRef | null>> | ValueOrEnd<null> {
  return parentOf(from) === parentOf(to) ? withValue(null) : findFolderRef(ctx, parentOf(to));
}

/**
 * Returns the reference (root or id) by which a request names the folder at a path on the service.
 * An empty path is the root.
 */
async function findFolderRef(ctx: CycleContext, path: RemotePath): Promise<ValueOrEnd<ParentRef>> {
  const fullPath = toService(ctx.world, path);
  if (fullPath === "") return withValue({ kind: "root" });
  const knownId = ctx.notes.folderIds.get(path);
  if (knownId !== undefined) return withValue({ kind: "folder", id: knownId });
  const folderAnswer = await ctx.world.remote.findFolder(fullPath);
  if (!folderAnswer.ok) return withEnd(outcomeOfFault(folderAnswer.fault));
  if (folderAnswer.value === null) return withEnd(stale(`the folder ${path} does not exist on the service`));
  ctx.notes.folderIds.set(path, folderAnswer.value.id);
  return withValue({ kind: "folder", id: folderAnswer.value.id });
}

/**
 * Returns the stamp of a file that was found at another path than base's. Usually this is the stamp
 * of the scan. If this cycle has written the file since the scan, returns the stamp in the record,
 * because the file has another inode now.
 */
function chooseStamp(ctx: CycleContext, path: LocalPath, known: Stamp | null): Stamp | null {
  const scannedStamp = ctx.notes.local?.files.get(path)?.stamp ?? null;
  if (scannedStamp === null || (known !== null && isSameInodeAndBirth(known, scannedStamp)))
    return scannedStamp ?? known;
  const atPath = ctx.world.disk.look(path);
  return atPath.kind === "file" && known !== null && isSameInodeAndBirth(known, atPath.stamp) ? known : scannedStamp;
}

/** Records a document's new paths. Both sides already have the document at these paths. */
export function recordNewPaths(ctx: CycleContext, action: ActionOf<"relink">): Outcome {
  const { state } = ctx.world;
  const record = state.record(action.id);
  if (record === null) return STALE.noRecord;
  const stamp = record.localPath === action.localPath ? record.stamp : chooseStamp(ctx, action.localPath, record.stamp);
  const { localPath, remotePath } = action;
  return commit(ctx, {
    record: { ...record, localPath, remotePath, stamp, stampTrusted: false },
    event: makeEvent(action, "both", {
      detail: `${action.why} (on the service: ${action.remotePath})`,
      from: record.localPath === action.localPath ? null : record.localPath,
    }),
  });
}
