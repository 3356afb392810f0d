import { type DocId, isDirId, isDocId } from "../../contract/ids.ts";
import type { BaseTree } from "../../model/tree.ts";
import { byPath } from "../../model/by-path.ts";
import type { Disk } from "../../ports/disk.ts";
import type { MirrorEvent } from "../../ports/state.ts";
import { indexLinks, type LinkIndex } from "./find-document.ts";
import { successorOf, undoDocument } from "./undo-document.ts";
import { left, type UndoItem } from "./undo-item.ts";
import { type FolderMove, folderMoves, type MovedBack, orderMoves, pathBefore, splitTaken } from "./undo-moves.ts";

/**
 * How one run is taken back, or several as if they were one, document by document. It reads their
 * events and base as it is now, and looks at files that may not have been sent yet.
 * @param events of these runs, oldest first
 */
export function planUndo(events: readonly MirrorEvent[], base: BaseTree, disk: Pick<Disk, "look">): UndoItem[] {
  const ended = events.filter(({ outcome }) => outcome === "done" || outcome === "submitted" || outcome === "conflict");
  const linked = indexLinks(base);
  const folders = folderMoves(ended, base);
  const byDocument = Map.groupBy(
    ended.filter(({ id }) => isDocId(id)),
    ({ id }) => id as DocId,
  );
  const made = new Set(ended.flatMap(({ kind, id }) => (kind === "create-remote" && isDocId(id) ? [id] : [])));
  const known = { base, linked, folders, disk, made };
  const successors = new Set([...byDocument].flatMap(([id, own]) => successorOf(id, own, known) ?? []));
  const items = [...byDocument].flatMap(([id, own]) => undoDocument(id, own, { ...known, successors }));
  return [...items.filter(({ kind }) => kind !== "move-back"), ...planMoves(items, folders, base, linked)].toSorted(
    byPath,
  );
}

/**
 * Plans folders and documents together, because one may stand where another was, and a document
 * goes back with its folder.
 */
function planMoves(
  items: readonly UndoItem[],
  folders: readonly FolderMove[],
  base: BaseTree,
  linked: LinkIndex,
): UndoItem[] {
  const documents = items.flatMap((item) =>
    item.kind === "move-back" ? [{ id: item.id, at: item.path, to: item.to }] : [],
  );
  const moved = folders
    .filter((one) => !one.moved)
    .map(({ id, from, to }) => ({ id, at: to, to: pathBefore(from, to, folders) }));
  const dirs = new Map([...base.dirs.values()].map(({ localPath, id }) => [localPath, id]));
  const { go, stay } = splitTaken([...moved, ...documents], (path) => linked.get(path)?.id ?? dirs.get(path));
  const named = new Set(orderMoves(go).flatMap(({ id, last }) => (last ? [id] : [])));
  return [
    ...go.filter(({ id }) => named.has(id)).map(itemOfMove),
    ...stay.map(({ id, at, to }) => left(at, `another ${isDirId(id) ? "folder" : "document"} is at ${to} now`)),
    ...folders.filter((one) => one.moved).map(({ to }) => left(to, "the folder was moved again since")),
  ];
}

function itemOfMove({ id, at, to }: MovedBack): UndoItem {
  return isDirId(id) ? { path: at, kind: "move-folder-back", id, to } : { path: at, kind: "move-back", id, to };
}
