import type { Digest } from "../../../contract/digest.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { BaseTree } from "../../model/tree.ts";
import type { Disk } from "../../ports/disk.ts";
import { leftItem, type UndoItem } from "./undo-item.ts";

/** Checks an undo against the present folder, so that the plan shows only what the undo can do. */

type LookingDisk = Pick<Disk, "look">;

export const EDITED_SINCE = "it was edited since";

/**
 * Returns the item if it can be done. Otherwise returns a `left` item: the folder has changes that
 * are not uploaded.
 */
export function checkedLocally(item: UndoItem, base: BaseTree, disk: LookingDisk): UndoItem {
  const why = whyNotHere(item, base, disk);
  return why === null ? item : leftItem(item.path, why);
}

function whyNotHere(item: UndoItem, base: BaseTree, disk: LookingDisk): string | null {
  switch (item.kind) {
    case "text-back":
    case "take-away":
      return whyInConflict(item, base) ?? whyOtherText(disk, item.path, item.expect);
    case "move-back":
      return whyInConflict(item, base) ?? (disk.look(item.path).kind === "file" ? null : missingFileReason(item.path));
    default:
      return null;
  }
}

function whyInConflict({ id }: Extract<UndoItem, { kind: "text-back" | "take-away" | "move-back" }>, base: BaseTree) {
  return base.conflicts.has(id) ? "it is in conflict" : null;
}

function whyOtherText(disk: LookingDisk, path: LocalPath, digest: Digest): string | null {
  const look = disk.look(path);
  if (look.kind !== "file") return missingFileReason(path);
  return look.digest === digest ? null : EDITED_SINCE;
}

export function missingFileReason(path: LocalPath): string {
  return `no file is at ${path}`;
}

export function isFree(disk: LookingDisk, path: LocalPath): boolean {
  return disk.look(path).kind === "absent";
}

/**
 * Returns the reason not to undo a move or a deletion, as a clause.
 * @param path a place that must be free, and is not
 */
export function occupiedReason(path: LocalPath): string {
  return `${path} is taken now`;
}
