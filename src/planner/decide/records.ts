import type { DocId } from "../../contract/ids.ts";
import type { Row, DocumentRow, FolderRow, Side } from "../match/row.ts";
import { baseFolderAt, baseRemoteFolderAt } from "../match/forest.ts";
import { ancestorsOf, isWithin, nameOf, parentOf } from "../../model/path.ts";
import { type PlanDraft, proposeFolderLink, withdraw } from "./plan-draft.ts";
import { pathOfGoal, samePlace } from "./places.ts";

/**
 * Base's paths are strings. A folder's move rewrites what begins with its recorded path, in one
 * statement; that is right as long as nothing else is recorded below that path in the same plan.
 * Where something is (two folders that change places, a new folder at the old path of a renamed
 * one), the folder's link learns its place by itself, and what is below it is recorded one by one,
 * or, where it is held, carried along by name. Until then the link stays: a plan that is cut off
 * leaves it as the evidence by which the folder, and what was saved in it, is known.
 */
export function untieRecords(draft: PlanDraft): void {
  const moved = [...draft.forest.folders].filter((folder) => folder.link !== null && draft.whys.has(folder));
  if (moved.length === 0) return;
  const recorded = { local: recordedAt(draft, moved, "local"), remote: recordedAt(draft, moved, "remote") };
  const tied = new Set<FolderRow>();
  for (const row of [...draft.forest.folders, ...draft.documents])
    for (const side of ["local", "remote"] as const)
      for (const { path, parent } of placesToRecord(row, side))
        for (const above of [...ancestorsOf(path), path])
          for (const folder of recorded[side].get(above) ?? [])
            if (folder !== row && !isGoingInside(parent, folder, side)) tied.add(folder);
  if (tied.size > 0) untie(draft, tied);
}

/**
 * Moved folders by their recorded path: as base has it, and as it is once the folders above it are
 * recorded anew.
 */
function recordedAt(
  draft: PlanDraft,
  moved: readonly FolderRow[],
  side: Side,
): ReadonlyMap<string, readonly FolderRow[]> {
  const index = new Map<string, FolderRow[]>();
  for (const folder of moved) {
    const { localPath, remotePath } = folder.link!;
    const [path, other] = side === "local" ? [localPath, remotePath] : [remotePath, localPath];
    const parent =
      side === "local"
        ? baseFolderAt(draft.forest, parentOf(path), parentOf(other))
        : baseRemoteFolderAt(draft.forest, parentOf(path), parentOf(other));
    for (const one of new Set([path, pathOfGoal({ parent, name: nameOf(path) }, side)])) {
      const list = index.get(one);
      if (list === undefined) index.set(one, [folder]);
      else list.push(folder);
    }
  }
  return index;
}

type Recorded = { readonly path: string; readonly parent: FolderRow | null };

/** Where base will say that a row is, in the end or on the way there. */
function placesToRecord(row: Row, side: Side): Recorded[] {
  const { now, goal } = row[side];
  if (goal === null) return [];
  const places = [goal];
  // Between its two PATCHes it stands at one of these.
  if (now !== null && side === "remote")
    places.push({ parent: now.parent, name: goal.name }, { parent: goal.parent, name: now.name });
  const recorded: Recorded[] = places.map((place) => ({ path: pathOfGoal(place, side), parent: place.parent }));
  if (row.kind !== "folder" || row.link === null) return recorded;
  // A folder that is moved from a place that base does not know.
  const path = side === "local" ? row.localPath : row.remotePath;
  const known = side === "local" ? row.link.localPath : row.link.remotePath;
  if (path !== null && path !== known && !samePlace(now, goal)) recorded.push({ path, parent: null });
  return recorded;
}

function isGoingInside(start: FolderRow | null | undefined, folder: FolderRow, side: Side): boolean {
  const seen = new Set<FolderRow>();
  for (let at = start ?? undefined; at !== undefined && !seen.has(at); at = at[side].goal?.parent) {
    if (at === folder) return true;
    seen.add(at);
  }
  return false;
}

function untie(draft: PlanDraft, tied: ReadonlySet<FolderRow>): void {
  const isTied = (row: Row): boolean =>
    [...tied].some((folder) => isGoingInside(row.local.goal?.parent, folder, "local") || isBelowRecord(row, folder));
  const carried = listCarried(draft, isTied);
  for (const folder of draft.forest.folders) {
    const { link, dirId } = folder;
    if (link === null || dirId === null || folder.replaced !== null || draft.holds.has(dirId)) continue;
    if (!tied.has(folder) && !isTied(folder)) continue;
    const stands = [folder.local.now, folder.remote.now, folder.local.goal, folder.remote.goal];
    if (stands.includes(null)) continue;
    withdraw(draft, folder, "record");
    const why = draft.whys.get(folder) ?? "its folder moved";
    proposeFolderLink(draft, folder, { dirId, why, carries: carried.get(folder) ?? [] });
  }
}

/**
 * Those that nothing else records, by the folder in which base has them. Held, a document keeps its
 * place in base, which is a folder and a name: else its own move would be forgotten, and what base
 * has at the folder's old path by then would be taken for its folder.
 */
function listCarried(
  draft: PlanDraft,
  isTied: (document: DocumentRow) => boolean,
): ReadonlyMap<FolderRow, readonly DocId[]> {
  const carried = new Map<FolderRow, DocId[]>();
  for (const document of draft.documents) {
    const { link } = document;
    if (link === null || !isTied(document) || arrives(document)) continue;
    const isOnBoth = document.local.now !== null && document.remote.now !== null;
    if (isOnBoth && !draft.holds.has(link.id)) {
      if (!draft.whys.has(document)) draft.whys.set(document, "its folder moved");
      continue;
    }
    if (isOnBoth && draft.whys.has(document)) continue;
    const folder = baseFolderAt(draft.forest, parentOf(link.localPath), parentOf(link.remotePath));
    carried.set(folder, [...(carried.get(folder) ?? []), link.id]);
  }
  return carried;
}

/** Its arrival links it. */
function arrives({ local, remote }: DocumentRow): boolean {
  return (local.now === null && local.goal !== null) || (remote.now === null && remote.goal !== null);
}

function isBelowRecord(row: Row, folder: FolderRow): boolean {
  const { link } = row;
  if (link === null || folder.link === null) return false;
  return isWithin(link.localPath, folder.link.localPath) || isWithin(link.remotePath, folder.link.remotePath);
}
