import { type FolderRow, getNameKind, type PlanRow } from "../match/row.ts";
import { findBaseFolder } from "../match/forest.ts";
import { makeNumberedName } from "../../model/names.ts";
import { ancestorsOf, joinPath, type LocalPath, nameOf, parentOf } from "../../../contract/path.ts";
import { includeArrivalAt, type PlanDraft } from "./plan-draft.ts";
import { derivePlannedPath } from "./places.ts";

/**
 * Returns the local path for the last check before a deletion on the service: no file may exist at
 * this path. Usually this is the path of the deleted file, because a restored file would be at that
 * path.
 *
 * If another file has this path now (`rm b; mv a b`) or gets it in this plan, that file proves the
 * deletion by the user. The step then checks a free path in the same folder.
 */
export function choosePathToProveAbsent(draft: PlanDraft, row: PlanRow): LocalPath {
  const finalPath = deriveFinalPath(draft, row);
  if (isFree(draft, finalPath)) return finalPath;
  const { maxNameBytes } = draft.trees.local.disk;
  for (let number = 2; ; number++) {
    const siblingPath = joinPath(
      parentOf(finalPath),
      makeNumberedName(nameOf(finalPath), getNameKind(row), number, maxNameBytes),
    );
    if (isFree(draft, siblingPath)) return siblingPath;
  }
}

function deriveFinalPath(draft: PlanDraft, row: PlanRow): LocalPath {
  const record = row.record!;
  const folder = findBaseFolder(draft.forest, "local", record);
  const name = nameOf(record.localPath);
  return folder.localPath === null ? record.localPath : derivePlannedPath({ parent: folder, name }, "local");
}

/**
 * Lists documents and folders with local steps that must come before a deletion on the service.
 * These are items that may get the deleted document's path, and the folders above that path. If the
 * deleted file is back at its path, such a step fails. mdmirror then skips the deletion, because
 * the absence is not proven (I04).
 */
export function listPathClaimants(draft: PlanDraft, row: PlanRow): readonly PlanRow[] {
  if (row.record === null) return [];
  const { folders, found } = findPathClaimants(draft, deriveFinalPath(draft, row));
  return [...folders, ...found].filter((other) => other !== row);
}

function isFree(draft: PlanDraft, path: LocalPath): boolean {
  return !isOccupied(draft, path) && !isClaimed(draft, path);
}

/** Returns true if a file or folder is at a path, in any spelling that the disk treats as equal. */
function isOccupied(draft: PlanDraft, path: LocalPath): boolean {
  return draft.occupancy.onDisk(path).kind !== "free";
}

function isClaimed(draft: PlanDraft, path: LocalPath): boolean {
  const { parents, found } = findPathClaimants(draft, path);
  const name = nameOf(path);
  return (
    found.length > 0 ||
    parents.some(
      (parent) =>
        includeArrivalAt(draft, { parent, name }) ||
        // If the parent folder moves, the unchanged documents in it move too, and one of these
        // documents may get this path.
        (parent.localPath !== null && isOccupied(draft, joinPath(parent.localPath, name))),
    )
  );
}

type PathClaimants = {
  readonly found: readonly PlanRow[];
  readonly parents: readonly FolderRow[];
  readonly folders: readonly FolderRow[];
};

/**
 * Finds the documents and folders that may have a path at some moment of this plan, and the folders
 * that may be above the path. Considers both the current and the planned place of each folder,
 * because a move may fail or be skipped.
 */
function findPathClaimants(draft: PlanDraft, path: LocalPath): PathClaimants {
  const claimants = draft.claimants();
  const findRowsNamed = (parents: readonly FolderRow[], name: string) =>
    parents.flatMap((parent) => claimants.get({ parent, name }) ?? []);
  const folders = new Set<FolderRow>();
  let parents: readonly FolderRow[] = [draft.forest.root];
  for (const name of ancestorsOf(path).map(nameOf)) {
    parents = [...new Set(findRowsNamed(parents, name).filter(isFolderRow))];
    for (const folder of parents) folders.add(folder);
  }
  return { found: findRowsNamed(parents, nameOf(path)), parents, folders: [...folders] };
}

function isFolderRow(row: PlanRow): row is FolderRow {
  return row.kind === "folder";
}
