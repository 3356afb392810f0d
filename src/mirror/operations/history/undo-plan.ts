import { type DocId, isDirId, isDocId } from "../../../contract/ids.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { BaseTree } from "../../model/tree.ts";
import { compareByPath } from "../../model/by-path.ts";
import { isWithin, type LocalPath } from "../../../contract/path.ts";
import type { MirrorEvent } from "../../ports/state.ts";
import { indexRecords, type StateAndDisk } from "./lookup.ts";
import {
  findSuccessor,
  undoDocument,
  isFree,
  makeLeftItem,
  describeOccupied,
  type UndoContext,
  type UndoItem,
  explainUndoObstacle,
} from "./undo-document.ts";
import { listFolderMoves, isCarried, blocksMove, type BackMove, findPathBefore } from "./undo-moves.ts";

/**
 * Plans the undo of one run, or of several runs as if they were one.
 * @param events events of these runs, oldest first
 * @param to "run" restores the local contents before the runs; "moment" restores the contents of
 * the last sync before the runs
 */
export function planUndo(
  events: readonly MirrorEvent[],
  base: BaseTree,
  { disk, state }: StateAndDisk,
  to: "run" | "moment" = "run",
): UndoItem[] {
  const completedEvents = events.filter(
    ({ outcome }) => outcome === "done" || outcome === "submitted" || outcome === "conflict",
  );
  const records = indexRecords(base);
  const folders = listFolderMoves(completedEvents, base);
  const byDocument = Map.groupBy(
    completedEvents.filter(({ id }) => isDocId(id)),
    ({ id }) => id as DocId,
  );
  const createdIds = new Set(
    completedEvents.flatMap(({ kind, id }) => (kind === "create-remote" && isDocId(id) ? [id] : [])),
  );
  const findChangeId = (id: DocId, digest: Digest) =>
    state.versions(id).find((version) => version.digest === digest)?.changeId ?? null;
  const undoContext = { base, records, folders, disk, created: createdIds, to, changeIdOf: findChangeId };
  const successors = new Set([...byDocument].flatMap(([id, own]) => findSuccessor(id, own, undoContext) ?? []));
  const items = [...byDocument]
    .flatMap(([id, own]) => undoDocument(id, own, { ...undoContext, successors }))
    .map((item) => {
      const reason = item.kind === "left" ? null : explainUndoObstacle(item, state, disk);
      return reason === null ? item : makeLeftItem(item.path, reason);
    });
  const moves = planMoves(items, undoContext);
  const otherItems = items
    .filter(({ kind }) => kind !== "move-back")
    .map((item) => checkTarget(item, undoContext, moves));
  return [...otherItems, ...moves].toSorted(compareByPath);
}

type PathFacts = Pick<UndoContext, "base" | "records" | "folders" | "disk">;

/** Returns a `left` item if the path of a deleted document is taken even after the moves. */
function checkTarget(item: UndoItem, { records, disk }: PathFacts, moves: readonly UndoItem[]): UndoItem {
  if (item.kind !== "bring-back") return item;
  const currentRecord = records.get(item.path);
  const isKnown = currentRecord !== undefined && currentRecord.id !== item.id;
  if ((!isKnown && isFree(disk, item.path)) || moves.some((move) => freesPath(move, item.path))) return item;
  return makeLeftItem(item.path, isKnown ? "another document has its path now" : describeOccupied(item.path));
}

function freesPath(move: UndoItem, path: LocalPath): boolean {
  return move.kind === "move-back" ? move.path === path : move.kind === "move-folder-back" && isWithin(path, move.path);
}

/**
 * Plans the moves of folders and documents together, because one entry may be at another's target
 * path, and documents move with their folders. If a target path stays taken, the entry does not
 * move, and its own path stays taken for other entries.
 */
function planMoves(items: readonly UndoItem[], { folders, base, records, disk }: PathFacts): UndoItem[] {
  const documents = items.flatMap((item) =>
    item.kind === "move-back" ? [{ id: item.id, at: item.path, to: item.to }] : [],
  );
  const movedFolders = folders
    .filter((one) => !one.movedSince)
    .map(({ id, from, to }) => ({ id, at: to, to: findPathBefore(from, to, folders) }));
  const dirs = new Map([...base.dirs.values()].map(({ localPath, id }) => [localPath, id]));
  const leavingIds = new Set<string>(items.flatMap((item) => (item.kind === "take-away" ? [item.id] : [])));
  const isTaken = ({ id, at, to }: BackMove) => {
    if (isFree(disk, to)) return false;
    const holderId = records.get(to)?.id ?? dirs.get(to);
    // On a disk that ignores case, the entry itself may already be at its target path.
    if (holderId === undefined) return at.toLowerCase() !== to.toLowerCase();
    return holderId !== id && !leavingIds.has(holderId);
  };
  const allMoves: readonly BackMove[] = [...movedFolders, ...documents];
  let movableEntries = allMoves;
  for (let count = -1; count !== movableEntries.length; ) {
    count = movableEntries.length;
    const previousEntries = movableEntries;
    movableEntries = previousEntries.filter(
      (one) => !isTaken(one) || previousEntries.some((other) => blocksMove(other, one)),
    );
  }
  const explainTaken = ({ id, to }: BackMove) => {
    if (!records.has(to) && !dirs.has(to)) return describeOccupied(to);
    return `another ${isDirId(id) ? "folder" : "document"} is at ${to} now`;
  };
  return [
    ...movableEntries.filter((one) => one.at !== one.to && !isCarried(one, movableEntries)).map(makeMoveItem),
    ...allMoves.filter((one) => !movableEntries.includes(one)).map((one) => makeLeftItem(one.at, explainTaken(one))),
    ...folders.filter((one) => one.movedSince).map(({ to }) => makeLeftItem(to, "the folder was moved again since")),
  ];
}

function makeMoveItem({ id, at, to }: BackMove): UndoItem {
  return isDirId(id) ? { path: at, kind: "move-folder-back", id, to } : { path: at, kind: "move-back", id, to };
}
