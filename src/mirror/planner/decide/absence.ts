import { type FolderRow, nameKindOf, type Row } from "../match/row.ts";
import { baseFolderAt } from "../match/forest.ts";
import { numberedName } from "../../model/local-name.ts";
import { ancestorsOf, joinPath, type LocalPath, nameOf, parentOf } from "../../../contract/path.ts";
import type { PlanDraft } from "./plan-draft.ts";
import { pathOfGoal } from "./places.ts";

/**
 * The path that must still be empty right before a document is deleted on the service, and to which
 * its file would come back: below its folder, which this plan may move. If something else is there
 * now (`rm b; mv a b`), the absence is already proven by that, and a free name beside it is given.
 */
export function absentPath(draft: PlanDraft, row: Row): LocalPath {
  const link = row.link!;
  const folder = baseFolderAt(draft.forest, parentOf(link.localPath), parentOf(link.remotePath));
  const name = nameOf(link.localPath);
  const path = folder.localPath === null ? link.localPath : pathOfGoal({ parent: folder, name }, "local");
  if (isFree(draft, path)) return path;
  const { maxNameBytes } = draft.trees.local.disk;
  for (let number = 2; ; number++) {
    const beside = joinPath(parentOf(path), numberedName(nameOf(path), nameKindOf(row), number, maxNameBytes));
    if (isFree(draft, beside)) return beside;
  }
}

function isFree(draft: PlanDraft, path: LocalPath): boolean {
  return !isOccupied(draft, path) && !isClaimed(draft, path);
}

/** Whether something is at a path on disk now, in any spelling that the disk takes for the same. */
export function isOccupied(draft: PlanDraft, path: LocalPath): boolean {
  return draft.occupancy.onDisk(path).kind !== "free";
}

/**
 * Whether something may be at a path on disk at some moment of this plan. A step may fail, and
 * those that need it are then skipped, so each folder above may be at its present place or at its
 * goal.
 */
function isClaimed(draft: PlanDraft, path: LocalPath): boolean {
  const claimants = draft.claimants();
  const above = ancestorsOf(path).map(nameOf);
  let folders: FolderRow[] = [draft.forest.root];
  for (const name of above)
    folders = [...new Set(folders.flatMap((parent) => (claimants.get({ parent, name }) ?? []).filter(isFolder)))];
  const name = nameOf(path);
  return folders.some(
    (parent) =>
      (claimants.get({ parent, name })?.length ?? 0) > 0 ||
      draft.arrivals.at({ parent, name }) !== undefined ||
      // A document without a row moves along with its folder.
      (parent.localPath !== null && isOccupied(draft, joinPath(parent.localPath, name))),
  );
}

function isFolder(row: Row): row is FolderRow {
  return row.kind === "folder";
}
