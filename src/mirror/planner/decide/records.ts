import type { DirId, DocId } from "../../../contract/ids.ts";
import {
  type DocumentRow,
  type FolderRow,
  getPathOnSide,
  type PlanRow,
  isSamePlace,
  type Side,
  SIDES,
} from "../match/row.ts";
import { findBaseFolder, isInside } from "../match/forest.ts";
import { ancestorsOf, isWithin, nameOf } from "../../../contract/path.ts";
import { type PlanDraft, proposeFolderRecord, listRows, withdrawProposals } from "./plan-draft.ts";
import { derivePlannedPath } from "./places.ts";

/**
 * Decides which records get new paths when a folder moves. Usually one SQL statement rewrites every
 * recorded path below the folder's old path.
 *
 * That statement would be wrong if the plan records another document or folder below the old path,
 * for example when two folders swap. The step of such a split folder changes only the folder's own
 * record, and each record below gets a step of its own. Until that step, the old record stays, so
 * that mdmirror recognises the document after an interruption.
 *
 * A blocked document gets no step of its own; its path is rewritten with that of its folder.
 */
export function splitFolderRecords(draft: PlanDraft): void {
  const movedFolders = [...draft.forest.folders].filter(
    (folder) => folder.record !== null && draft.moveReasons.has(folder),
  );
  if (movedFolders.length === 0) return;
  const splitFolders = new Set<FolderRow>();
  for (const side of SIDES) addSplitFolders(draft, side, indexByRecordedPath(draft, movedFolders, side), splitFolders);
  if (splitFolders.size > 0) splitRecords(draft, splitFolders);
}

/**
 * Adds each moved folder that must be split, because the plan records another document or folder at
 * or below the folder's recorded path.
 */
function addSplitFolders(draft: PlanDraft, side: Side, recorded: FoldersByPath, split: Set<FolderRow>): void {
  for (const row of listRows(draft))
    for (const { path, parent } of listPlacesToRecord(row, side))
      for (const folder of findFoldersAbove(recorded, path))
        if (folder !== row && !isPlannedInside(parent, folder, side)) split.add(folder);
}

function findFoldersAbove(recorded: FoldersByPath, path: string): FolderRow[] {
  return [...ancestorsOf(path), path].flatMap((above) => recorded.get(above) ?? []);
}

type FoldersByPath = ReadonlyMap<string, readonly FolderRow[]>;

/**
 * Indexes the moved folders by their paths in base during the plan. A folder has up to two such
 * paths. These are the path in base now, and the path after base has recorded the moves of the
 * folders above.
 */
function indexByRecordedPath(draft: PlanDraft, moved: readonly FolderRow[], side: Side): FoldersByPath {
  const foldersByPath = new Map<string, FolderRow[]>();
  for (const folder of moved) {
    const path = getPathOnSide(folder.record!, side);
    const parent = findBaseFolder(draft.forest, side, folder.record!);
    for (const recordedPath of new Set([path, derivePlannedPath({ parent, name: nameOf(path) }, side)]))
      foldersByPath.set(recordedPath, [...(foldersByPath.get(recordedPath) ?? []), folder]);
  }
  return foldersByPath;
}

type PlaceToRecord = { readonly path: string; readonly parent: FolderRow | null };

function listPlacesToRecord(row: PlanRow, side: Side): PlaceToRecord[] {
  const { now, goal } = row[side];
  if (goal === null) return [];
  const places = [goal];
  // A move that changes folder and name takes two PATCHes. Between the two, the document is at one
  // of these places.
  if (now !== null && side === "remote")
    places.push({ parent: now.parent, name: goal.name }, { parent: goal.parent, name: now.name });
  const recordedPlaces: PlaceToRecord[] = places.map((place) => ({
    path: derivePlannedPath(place, side),
    parent: place.parent,
  }));
  const currentPath = row.kind === "folder" && !isSamePlace(now, goal) ? findPathUnlikeBase(row, side) : null;
  if (currentPath !== null) recordedPlaces.push({ path: currentPath, parent: null });
  return recordedPlaces;
}

function findPathUnlikeBase(folder: FolderRow, side: Side): string | null {
  const path = getPathOnSide(folder, side);
  return folder.record === null || path === getPathOnSide(folder.record, side) ? null : path;
}

function isPlannedInside(start: FolderRow | null, folder: FolderRow, side: Side): boolean {
  return start !== null && isInside(start, folder, (above) => above[side].goal?.parent ?? null);
}

function splitRecords(draft: PlanDraft, split: ReadonlySet<FolderRow>): void {
  const carriedDocuments = listCarriedDocuments(draft, split);
  for (const folder of draft.forest.folders) {
    if (!hasRecordedId(folder) || draft.blocks.has(folder.dirId)) continue;
    if (!split.has(folder) && !isInSplitFolder(folder, split)) continue;
    if (SIDES.some((side) => folder[side].now === null || folder[side].goal === null)) continue;
    withdrawProposals(draft, folder, "record");
    const reasonClause = draft.moveReasons.get(folder) ?? "its folder moved";
    proposeFolderRecord(draft, folder, {
      dirId: folder.dirId,
      why: reasonClause,
      carries: carriedDocuments.get(folder) ?? [],
    });
  }
}

function hasRecordedId(folder: FolderRow): folder is FolderRow & { readonly dirId: DirId } {
  return folder.record !== null && folder.dirId !== null && folder.replaced === null;
}

function isInSplitFolder(row: PlanRow, split: ReadonlySet<FolderRow>): boolean {
  const parent = row.local.goal?.parent ?? null;
  return [...split].some((folder) => isPlannedInside(parent, folder, "local") || isBelowRecord(row, folder));
}

/**
 * Lists documents below split folders that get no step of their own, grouped by their folder in
 * base. The step of that folder rewrites their paths. A blocked document thus keeps its name and
 * folder in base, and its pending move is not lost.
 */
function listCarriedDocuments(
  draft: PlanDraft,
  split: ReadonlySet<FolderRow>,
): ReadonlyMap<FolderRow, readonly DocId[]> {
  const carriedByFolder = new Map<FolderRow, DocId[]>();
  for (const document of draft.documents) {
    const { record } = document;
    if (
      record === null ||
      !isInSplitFolder(document, split) ||
      hasArrivalStep(document) ||
      proposeOwnRecord(draft, document)
    )
      continue;
    const folder = findBaseFolder(draft.forest, "local", record);
    carriedByFolder.set(folder, [...(carriedByFolder.get(folder) ?? []), record.id]);
  }
  return carriedByFolder;
}

/**
 * Plans a step that records a document's new path. Returns false without a step, if the document is
 * blocked or missing on a side.
 */
function proposeOwnRecord(draft: PlanDraft, document: DocumentRow): boolean {
  if (document.local.now === null || document.remote.now === null) return false;
  if (draft.moveReasons.has(document)) return true;
  if (draft.blocks.has(document.record!.id)) return false;
  draft.moveReasons.set(document, "its folder moved");
  return true;
}

/**
 * Returns true if a step creates the document, because that step also writes the document's record.
 */
function hasArrivalStep({ local, remote }: DocumentRow): boolean {
  return (local.now === null && local.goal !== null) || (remote.now === null && remote.goal !== null);
}

function isBelowRecord(row: PlanRow, folder: FolderRow): boolean {
  const { record } = row;
  if (record === null || folder.record === null) return false;
  return isWithin(record.localPath, folder.record.localPath) || isWithin(record.remotePath, folder.record.remotePath);
}
