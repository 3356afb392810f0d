import type { DirId, DocId } from "../../../contract/ids.ts";
import { type DocumentRow, type FolderRow, pathOn, type Row, samePlace, type Side, SIDES } from "../match/row.ts";
import { baseFolderOf, isInside } from "../match/forest.ts";
import { ancestorsOf, isWithin, nameOf } from "../../../contract/path.ts";
import { type PlanDraft, proposeFolderRecord, rowsOf, withdraw } from "./plan-draft.ts";
import { pathOfGoal } from "./places.ts";

/**
 * Decides which records a folder's move rewrites. Base stores paths as strings. When a folder
 * moves, one statement rewrites all paths that begin with the folder's recorded path. That is wrong
 * if the plan records another entry below that path (two folders that swap, or a new folder at the
 * old path). Such a folder is split: only its own record gets the new path, and each record below
 * gets a step of its own. Until that step, the old record stays: after an interruption, mdmirror
 * recognises the folder and later saves in it by that record. A blocked entry gets no step; base
 * renames it together with its folder.
 */
export function splitFolderRecords(draft: PlanDraft): void {
  const moved = [...draft.forest.folders].filter((folder) => folder.record !== null && draft.moveReasons.has(folder));
  if (moved.length === 0) return;
  const split = new Set<FolderRow>();
  for (const side of SIDES) addSplitFolders(draft, side, recordedAt(draft, moved, side), split);
  if (split.size > 0) splitRecords(draft, split);
}

/**
 * Adds the moved folders whose records must be split: another entry is recorded at or below their
 * recorded path.
 */
function addSplitFolders(draft: PlanDraft, side: Side, recorded: FoldersByPath, split: Set<FolderRow>): void {
  for (const row of rowsOf(draft))
    for (const { path, parent } of placesToRecord(row, side))
      for (const folder of recordedAbove(recorded, path))
        if (folder !== row && !movesInside(parent, folder, side)) split.add(folder);
}

/** Returns the folders above a path, and the folder at it. */
function recordedAbove(recorded: FoldersByPath, path: string): FolderRow[] {
  return [...ancestorsOf(path), path].flatMap((above) => recorded.get(above) ?? []);
}

type FoldersByPath = ReadonlyMap<string, readonly FolderRow[]>;

/**
 * Returns moved folders by the paths that base has for them during the plan: the present one, and
 * the one after the folders above have been recorded.
 */
function recordedAt(draft: PlanDraft, moved: readonly FolderRow[], side: Side): FoldersByPath {
  const index = new Map<string, FolderRow[]>();
  for (const folder of moved) {
    const path = pathOn(folder.record!, side);
    const parent = baseFolderOf(draft.forest, side, folder.record!);
    for (const recordedPath of new Set([path, pathOfGoal({ parent, name: nameOf(path) }, side)]))
      index.set(recordedPath, [...(index.get(recordedPath) ?? []), folder]);
  }
  return index;
}

type PlaceToRecord = { readonly path: string; readonly parent: FolderRow | null };

/** Returns all places that base will record for a row during the plan. */
function placesToRecord(row: Row, side: Side): PlaceToRecord[] {
  const { now, goal } = row[side];
  if (goal === null) return [];
  const places = [goal];
  // Between its two PATCHes, the row is at one of these places.
  if (now !== null && side === "remote")
    places.push({ parent: now.parent, name: goal.name }, { parent: goal.parent, name: now.name });
  const recorded: PlaceToRecord[] = places.map((place) => ({ path: pathOfGoal(place, side), parent: place.parent }));
  const current = row.kind === "folder" && !samePlace(now, goal) ? pathUnlikeBase(row, side) : null;
  if (current !== null) recorded.push({ path: current, parent: null });
  return recorded;
}

/** Returns the current path of a recorded folder if base has another path; otherwise null. */
function pathUnlikeBase(folder: FolderRow, side: Side): string | null {
  const path = pathOn(folder, side);
  return folder.record === null || path === pathOn(folder.record, side) ? null : path;
}

function movesInside(start: FolderRow | null, folder: FolderRow, side: Side): boolean {
  return start !== null && isInside(start, folder, (above) => above[side].goal?.parent ?? null);
}

function splitRecords(draft: PlanDraft, split: ReadonlySet<FolderRow>): void {
  const carried = listCarried(draft, split);
  for (const folder of draft.forest.folders) {
    if (!hasRecordedId(folder) || draft.blocks.has(folder.dirId)) continue;
    if (!split.has(folder) && !isInSplitFolder(folder, split)) continue;
    if (SIDES.some((side) => folder[side].now === null || folder[side].goal === null)) continue;
    withdraw(draft, folder, "record");
    const why = draft.moveReasons.get(folder) ?? "its folder moved";
    proposeFolderRecord(draft, folder, { dirId: folder.dirId, why, carries: carried.get(folder) ?? [] });
  }
}

/** Returns true if the folder has a record, and the service still has it under its recorded id. */
function hasRecordedId(folder: FolderRow): folder is FolderRow & { readonly dirId: DirId } {
  return folder.record !== null && folder.dirId !== null && folder.replaced === null;
}

/** Returns true if base has a row, or will have a row, below one of these folders. */
function isInSplitFolder(row: Row, split: ReadonlySet<FolderRow>): boolean {
  const parent = row.local.goal?.parent ?? null;
  return [...split].some((folder) => movesInside(parent, folder, "local") || isBelowRecord(row, folder));
}

/**
 * Returns the documents whose records no other step writes, by their folder in base. A blocked
 * document keeps its folder and its name in base. Otherwise base would lose the document's own
 * move, and another folder at the old path would count as the document's folder.
 */
function listCarried(draft: PlanDraft, split: ReadonlySet<FolderRow>): ReadonlyMap<FolderRow, readonly DocId[]> {
  const carried = new Map<FolderRow, DocId[]>();
  for (const document of draft.documents) {
    const { record } = document;
    if (
      record === null ||
      !isInSplitFolder(document, split) ||
      hasArrivalStep(document) ||
      recordAlone(draft, document)
    )
      continue;
    const folder = baseFolderOf(draft.forest, "local", record);
    carried.set(folder, [...(carried.get(folder) ?? []), record.id]);
  }
  return carried;
}

/**
 * Adds a step that records a document which both sides have. Returns false if the document is
 * blocked, or missing on a side.
 */
function recordAlone(draft: PlanDraft, document: DocumentRow): boolean {
  if (document.local.now === null || document.remote.now === null) return false;
  if (draft.moveReasons.has(document)) return true;
  if (draft.blocks.has(document.record!.id)) return false;
  draft.moveReasons.set(document, "its folder moved");
  return true;
}

/**
 * Returns true if a step creates the document on a side. That step then also records the document.
 */
function hasArrivalStep({ local, remote }: DocumentRow): boolean {
  return (local.now === null && local.goal !== null) || (remote.now === null && remote.goal !== null);
}

function isBelowRecord(row: Row, folder: FolderRow): boolean {
  const { record } = row;
  if (record === null || folder.record === null) return false;
  return isWithin(record.localPath, folder.record.localPath) || isWithin(record.remotePath, folder.record.remotePath);
}
