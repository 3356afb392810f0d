import type { DirId, DocId } from "../../../contract/ids.ts";
import { type DocumentRow, type FolderRow, pathOn, type Row, samePlace, type Side, SIDES } from "../match/row.ts";
import { baseFolderOf, isInside } from "../match/forest.ts";
import { ancestorsOf, isWithin, nameOf } from "../../../contract/path.ts";
import { type PlanDraft, proposeFolderLink, rowsOf, withdraw } from "./plan-draft.ts";
import { pathOfGoal } from "./places.ts";

/**
 * Decides which records a folder's move rewrites. Base stores paths as strings. When a folder
 * moves, one statement rewrites all paths that begin with the folder's recorded path. That is wrong
 * if the plan records another entry below that path (two folders that swap, or a new folder at the
 * old path). Then only the folder's own record gets the new path, and each record below gets a step
 * of its own; a blocked one is renamed in base only. Until then the old record stays: if the plan
 * is interrupted, the folder and later saves in it are recognised by that record.
 */
export function untieRecords(draft: PlanDraft): void {
  const moved = [...draft.forest.folders].filter((folder) => folder.link !== null && draft.moveReasons.has(folder));
  if (moved.length === 0) return;
  const tied = new Set<FolderRow>();
  for (const side of SIDES) findTied(draft, side, recordedAt(draft, moved, side), tied);
  if (tied.size > 0) untie(draft, tied);
}

/** Adds the moved folders for which another entry is recorded at or below their recorded path. */
function findTied(draft: PlanDraft, side: Side, recorded: FoldersByPath, tied: Set<FolderRow>): void {
  for (const row of rowsOf(draft))
    for (const { path, parent } of placesToRecord(row, side))
      for (const folder of recordedAbove(recorded, path))
        if (folder !== row && !movesInside(parent, folder, side)) tied.add(folder);
}

/** Returns the folders above a path, and the folder at it. */
function recordedAbove(recorded: FoldersByPath, path: string): FolderRow[] {
  return [...ancestorsOf(path), path].flatMap((above) => recorded.get(above) ?? []);
}

type FoldersByPath = ReadonlyMap<string, readonly FolderRow[]>;

/**
 * Returns moved folders by their recorded paths: the path in base, and the path once the folders
 * above have been recorded.
 */
function recordedAt(draft: PlanDraft, moved: readonly FolderRow[], side: Side): FoldersByPath {
  const index = new Map<string, FolderRow[]>();
  for (const folder of moved) {
    const path = pathOn(folder.link!, side);
    const parent = baseFolderOf(draft.forest, side, folder.link!);
    for (const one of new Set([path, pathOfGoal({ parent, name: nameOf(path) }, side)])) {
      const list = index.get(one);
      if (list === undefined) index.set(one, [folder]);
      else list.push(folder);
    }
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
  const left = row.kind === "folder" && !samePlace(now, goal) ? unknownPath(row, side) : null;
  if (left !== null) recorded.push({ path: left, parent: null });
  return recorded;
}

/** Returns the current place of a linked folder, if base has another place. */
function unknownPath(folder: FolderRow, side: Side): string | null {
  const path = pathOn(folder, side);
  return folder.link === null || path === pathOn(folder.link, side) ? null : path;
}

function movesInside(start: FolderRow | null, folder: FolderRow, side: Side): boolean {
  return start !== null && isInside(start, folder, (at) => at[side].goal?.parent ?? null);
}

function untie(draft: PlanDraft, tied: ReadonlySet<FolderRow>): void {
  const carried = listCarried(draft, tied);
  for (const folder of draft.forest.folders) {
    if (!isLinkedLocally(folder) || draft.blocks.has(folder.dirId)) continue;
    if (!tied.has(folder) && !isTied(folder, tied)) continue;
    if (SIDES.some((side) => folder[side].now === null || folder[side].goal === null)) continue;
    withdraw(draft, folder, "record");
    const why = draft.moveReasons.get(folder) ?? "its folder moved";
    proposeFolderLink(draft, folder, { dirId: folder.dirId, why, carries: carried.get(folder) ?? [] });
  }
}

/** Returns true if the local folder is the folder of base's record. */
function isLinkedLocally(folder: FolderRow): folder is FolderRow & { readonly dirId: DirId } {
  return folder.link !== null && folder.dirId !== null && folder.replaced === null;
}

/** Returns true if base has a row, or will have one, below one of these folders. */
function isTied(row: Row, tied: ReadonlySet<FolderRow>): boolean {
  const parent = row.local.goal?.parent ?? null;
  return [...tied].some((folder) => movesInside(parent, folder, "local") || isBelowRecord(row, folder));
}

/**
 * Returns rows that no other step records, by their folder in base. A blocked document keeps its
 * place in base, as a folder and a name. Otherwise base would lose the document's own move, and
 * another folder at the old path would count as the document's folder.
 */
function listCarried(draft: PlanDraft, tied: ReadonlySet<FolderRow>): ReadonlyMap<FolderRow, readonly DocId[]> {
  const carried = new Map<FolderRow, DocId[]>();
  for (const document of draft.documents) {
    const { link } = document;
    if (link === null || !isTied(document, tied) || arrives(document) || recordAlone(draft, document)) continue;
    const folder = baseFolderOf(draft.forest, "local", link);
    carried.set(folder, [...(carried.get(folder) ?? []), link.id]);
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
  if (draft.blocks.has(document.link!.id)) return false;
  draft.moveReasons.set(document, "its folder moved");
  return true;
}

/** Returns true if a step creates the document on a side; it then also records the document. */
function arrives({ local, remote }: DocumentRow): boolean {
  return (local.now === null && local.goal !== null) || (remote.now === null && remote.goal !== null);
}

function isBelowRecord(row: Row, folder: FolderRow): boolean {
  const { link } = row;
  if (link === null || folder.link === null) return false;
  return isWithin(link.localPath, folder.link.localPath) || isWithin(link.remotePath, folder.link.remotePath);
}
