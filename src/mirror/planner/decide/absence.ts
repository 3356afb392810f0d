import { type FolderRow, nameKindOf, type Row } from "../match/row.ts";
import { baseFolderOf } from "../match/forest.ts";
import { numberedName } from "../../model/local-name.ts";
import { ancestorsOf, joinPath, type LocalPath, nameOf, parentOf } from "../../../contract/path.ts";
import { includeArrivalAt, type PlanDraft } from "./plan-draft.ts";
import { pathOfGoal } from "./places.ts";

/**
 * Returns the path that must be empty right before a document or folder is deleted on the service.
 * If the file comes back, it appears at this path, below its folder, which this plan may move. If
 * another entry is at the path (`rm b; mv a b`), or the plan puts one at the path before the
 * deletion, the absence is already proven. Then returns a free name beside the path.
 */
export function absentPath(draft: PlanDraft, row: Row): LocalPath {
  const path = ownPath(draft, row);
  if (isFree(draft, path)) return path;
  const { maxNameBytes } = draft.trees.local.disk;
  for (let number = 2; ; number++) {
    const beside = joinPath(parentOf(path), numberedName(nameOf(path), nameKindOf(row), number, maxNameBytes));
    if (isFree(draft, beside)) return beside;
  }
}

/** Returns the path that a row without a local file would have at the end of this plan. */
function ownPath(draft: PlanDraft, row: Row): LocalPath {
  const record = row.record!;
  const folder = baseFolderOf(draft.forest, "local", record);
  const name = nameOf(record.localPath);
  return folder.localPath === null ? record.localPath : pathOfGoal({ parent: folder, name }, "local");
}

/**
 * Returns the rows whose local steps must come before a deletion on the service: rows that may take
 * the deleted document's path, and the folders above it. These steps fail if the file is back at
 * that path; the deletion is then skipped, because nothing is deleted without proof (I04).
 */
export function claimantsOf(draft: PlanDraft, row: Row): readonly Row[] {
  if (row.record === null) return [];
  const { folders, found } = findClaimants(draft, ownPath(draft, row));
  return [...folders, ...found].filter((other) => other !== row);
}

function isFree(draft: PlanDraft, path: LocalPath): boolean {
  return !isOccupied(draft, path) && !isClaimed(draft, path);
}

/**
 * Returns true if an entry is at a path on disk, in any spelling that the disk folds to this path.
 */
function isOccupied(draft: PlanDraft, path: LocalPath): boolean {
  return draft.occupancy.onDisk(path).kind !== "free";
}

/** Returns true if an entry may be at a local path at any moment of this plan. */
function isClaimed(draft: PlanDraft, path: LocalPath): boolean {
  const { parents, found } = findClaimants(draft, path);
  const name = nameOf(path);
  return (
    found.length > 0 ||
    parents.some(
      (parent) =>
        includeArrivalAt(draft, { parent, name }) ||
        // A document without a row moves with its folder, so it may be below the current path of
        // the folder.
        (parent.localPath !== null && isOccupied(draft, joinPath(parent.localPath, name))),
    )
  );
}

type Claimants = {
  /** Rows that may have the path at some moment of the plan. */
  readonly found: readonly Row[];
  /** Folders that may directly contain the path. */
  readonly parents: readonly FolderRow[];
  /** All folders that may be above the path. */
  readonly folders: readonly FolderRow[];
};

/**
 * Lists the rows that may occupy a path, and the paths above it, at some moment of this plan. A
 * step may fail, and the steps that need it are then skipped. So each folder above may be at its
 * current place or at its planned one.
 */
function findClaimants(draft: PlanDraft, path: LocalPath): Claimants {
  const claimants = draft.claimants();
  const rowsNamed = (parents: readonly FolderRow[], name: string) =>
    parents.flatMap((parent) => claimants.get({ parent, name }) ?? []);
  const folders = new Set<FolderRow>();
  let parents: readonly FolderRow[] = [draft.forest.root];
  for (const name of ancestorsOf(path).map(nameOf)) {
    parents = [...new Set(rowsNamed(parents, name).filter(isFolder))];
    for (const folder of parents) folders.add(folder);
  }
  return { found: rowsNamed(parents, nameOf(path)), parents, folders: [...folders] };
}

function isFolder(row: Row): row is FolderRow {
  return row.kind === "folder";
}
