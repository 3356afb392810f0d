import { type DocId, isDirId, isDocId } from "../../../contract/ids.ts";
import type { BaseTree } from "../../model/tree.ts";
import { byPath } from "../../model/by-path.ts";
import { isWithin, type LocalPath } from "../../../contract/path.ts";
import type { Disk } from "../../ports/disk.ts";
import type { MirrorEvent } from "../../ports/state.ts";
import { indexLinks, type LinkIndex } from "./find-document.ts";
import { successorOf, undoDocument } from "./undo-document.ts";
import { checkedLocally, isFree, occupiedReason } from "./undo-check.ts";
import { leftItem, type UndoItem } from "./undo-item.ts";
import {
  type FolderMove,
  folderMoves,
  type MovedBack,
  orderMoves,
  pathBefore,
  splitTaken,
  UNKNOWN,
} from "./undo-moves.ts";

/**
 * Plans the undo of one run, or of several runs as if they were one. Reads their events, the
 * present base, and files that may have edits.
 * @param events of these runs, oldest first
 * @param to the state to restore: the one that the run found, or the one that was in sync before
 * the runs
 */
export function planUndo(
  events: readonly MirrorEvent[],
  base: BaseTree,
  disk: Pick<Disk, "look">,
  to: "run" | "moment" = "run",
): UndoItem[] {
  const ended = events.filter(({ outcome }) => outcome === "done" || outcome === "submitted" || outcome === "conflict");
  const linked = indexLinks(base);
  const folders = folderMoves(ended, base);
  const byDocument = Map.groupBy(
    ended.filter(({ id }) => isDocId(id)),
    ({ id }) => id as DocId,
  );
  const made = new Set(ended.flatMap(({ kind, id }) => (kind === "create-remote" && isDocId(id) ? [id] : [])));
  const known = { base, linked, folders, disk, made, to };
  const successors = new Set([...byDocument].flatMap(([id, own]) => successorOf(id, own, known) ?? []));
  const items = [...byDocument]
    .flatMap(([id, own]) => undoDocument(id, own, { ...known, successors }))
    .map((item) => checkedLocally(item, base, disk));
  const moves = planMoves(items, known);
  const others = items.filter(({ kind }) => kind !== "move-back").map((item) => unlessTaken(item, known, moves));
  return [...others, ...moves].toSorted(byPath);
}

type Known = {
  readonly base: BaseTree;
  readonly linked: LinkIndex;
  readonly folders: readonly FolderMove[];
  readonly disk: Pick<Disk, "look">;
};

/**
 * Returns the item, or a `left` item if the path of a deleted document is not free after the moves.
 */
function unlessTaken(item: UndoItem, { linked, disk }: Known, moves: readonly UndoItem[]): UndoItem {
  if (item.kind !== "bring-back") return item;
  const there = linked.get(item.path);
  const isKnown = there !== undefined && there.id !== item.id;
  if ((!isKnown && isFree(disk, item.path)) || moves.some((move) => takesAlong(move, item.path))) return item;
  return leftItem(item.path, isKnown ? "another document has its path now" : occupiedReason(item.path));
}

/** Returns true if a move frees a path. */
function takesAlong(move: UndoItem, path: LocalPath): boolean {
  return move.kind === "move-back" ? move.path === path : move.kind === "move-folder-back" && isWithin(path, move.path);
}

/**
 * Plans folders and documents together, because one may be at the path of another, and documents
 * move with their folders.
 */
function planMoves(items: readonly UndoItem[], { folders, base, linked, disk }: Known): UndoItem[] {
  const documents = items.flatMap((item) =>
    item.kind === "move-back" ? [{ id: item.id, at: item.path, to: item.to }] : [],
  );
  const moved = folders
    .filter((one) => !one.moved)
    .map(({ id, from, to }) => ({ id, at: to, to: pathBefore(from, to, folders) }));
  const dirs = new Map([...base.dirs.values()].map(({ localPath, id }) => [localPath, id]));
  const goes = new Set(items.flatMap((item) => (item.kind === "take-away" ? [item.id] : [])));
  const { go, stay } = splitTaken([...moved, ...documents], ({ at, to }) => {
    if (isFree(disk, to)) return undefined;
    const id = linked.get(to)?.id;
    if (id !== undefined && goes.has(id)) return dirs.get(to);
    // On a disk that ignores case, a rename that only changes case finds the entry itself at its
    // target.
    const isItself = at.toLowerCase() === to.toLowerCase();
    return id ?? dirs.get(to) ?? (isItself ? undefined : UNKNOWN);
  });
  const named = new Set(orderMoves(go).flatMap(({ id, last }) => (last ? [id] : [])));
  const whyTaken = ({ id, to }: MovedBack) => {
    if (!linked.has(to) && !dirs.has(to)) return occupiedReason(to);
    return `another ${isDirId(id) ? "folder" : "document"} is at ${to} now`;
  };
  return [
    ...go.filter(({ id }) => named.has(id)).map(itemOfMove),
    ...stay.map((one) => leftItem(one.at, whyTaken(one))),
    ...folders.filter((one) => one.moved).map(({ to }) => leftItem(to, "the folder was moved again since")),
  ];
}

function itemOfMove({ id, at, to }: MovedBack): UndoItem {
  return isDirId(id) ? { path: at, kind: "move-folder-back", id, to } : { path: at, kind: "move-back", id, to };
}
