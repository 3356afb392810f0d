import type { DirId, DocId } from "../../../contract/ids.ts";
import { HOLD_REASONS, type HoldReason } from "../../model/hold.ts";
import { depthOf, isWithin, type LocalPath, rebase } from "../../../contract/path.ts";
import { isAway } from "../../model/link.ts";
import type { BaseTree } from "../../model/tree.ts";

/**
 * Returns where documents and folders are locally: where base has them, or, if the service refuses
 * a local move, where its hold has them. A file that got a name which is not mirrored has no place,
 * because another document may have its path. A folder that was removed locally and stays on the
 * service has no place either, because another folder may have its path.
 */
export function* standingPlaces(base: BaseTree): Generator<readonly [DocId | DirId, LocalPath]> {
  const moved = movedFolders(base);
  for (const { id, localPath } of base.dirs.values())
    if (!isRemoved(base.holds.get(id)?.reason)) yield [id, standsAt(base, moved, id, localPath)];
  for (const link of base.links.values())
    if (!isAway(link) && base.holds.get(link.id)?.reason !== "renamed-out-of-mirror")
      yield [link.id, standsAt(base, moved, link.id, link.localPath)];
}

type Moved = { readonly from: LocalPath; readonly to: LocalPath };

/** Whether a folder's hold forbids its removal alone: the user has removed it. */
function isRemoved(reason: HoldReason | undefined): boolean {
  const forbids = reason === undefined ? [] : (HOLD_REASONS[reason].stopsFolder ?? []);
  return forbids.length > 0 && forbids.every((one) => one === "remove");
}

/** Folders that stand elsewhere than base has them, the deepest first. */
function movedFolders({ dirs, holds }: BaseTree): readonly Moved[] {
  const moved: Moved[] = [];
  for (const { key, path, reason } of holds.values()) {
    const dir = dirs.get(key as DirId);
    if (dir !== undefined && dir.localPath !== path && !isRemoved(reason))
      moved.push({ from: dir.localPath, to: path });
  }
  return moved.sort((a, b) => depthOf(b.from) - depthOf(a.from));
}

function standsAt({ holds }: BaseTree, moved: readonly Moved[], id: DocId | DirId, localPath: LocalPath): LocalPath {
  const held = holds.size === 0 ? undefined : holds.get(id);
  if (held !== undefined && held.path !== localPath) return held.path;
  const above = moved.find(({ from }) => isWithin(localPath, from));
  return above === undefined ? localPath : rebase(localPath, above.from, above.to);
}
