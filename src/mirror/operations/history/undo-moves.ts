/** Finds where a run's moves began, and which of them depend on others. Pure. */

import { type DirId, type DocId, isDirId } from "../../../contract/ids.ts";
import { digestOf } from "../../../contract/digest.ts";
import { depthOf, isBelow, isWithin, type LocalPath, rebase } from "../../../contract/path.ts";
import type { MirrorEvent } from "../../ports/state.ts";
import type { BaseTree } from "../../model/tree.ts";

/** A moved document or folder: its current path in base, and its path before the run. */
export type MovedBack = { readonly id: DocId | DirId; readonly at: LocalPath; readonly to: LocalPath };

/**
 * Returns the temporary name under which an entry frees its path. A path always gets the same name,
 * so a second `undo` finds that name taken.
 */
export function spareName(path: LocalPath): LocalPath {
  const mark = `-undo-${digestOf(path).slice(0, 8)}`;
  return path.endsWith(".md") ? `${path.slice(0, -".md".length)}${mark}.md` : `${path}${mark}`;
}

/**
 * Returns true if `other` cannot reach its path before this entry has left it: this entry is at
 * that path, or is a folder above it.
 */
export function isInTheWay({ id, at }: MovedBack, other: MovedBack): boolean {
  return id !== other.id && (at === other.to || (isDirId(id) && isWithin(other.to, at)));
}

/**
 * Returns true if `other` must move before `move`: it is at the target path of `move`, or restores
 * a folder above that path.
 */
export function movesFirst(other: MovedBack, move: MovedBack): boolean {
  return isInTheWay(other, move) || (isDirId(other.id) && isBelow(move.to, other.to));
}

/**
 * Net move of a folder in a run. `to`: its current path in base. `movedSince`: true if base has
 * another path than the last event, so the folder was moved again later.
 */
export type FolderMove = {
  readonly id: DirId;
  readonly from: LocalPath;
  readonly to: LocalPath;
  readonly movedSince: boolean;
};

const FOLDER_MOVES: ReadonlySet<string> = new Set([
  "move-folder-local",
  "rename-folder-remote",
  "reparent-folder-remote",
  // An earlier undo moved the folder back; its event has the kind `restore`.
  "restore",
]);

const MOVES_LOCALLY: ReadonlySet<string> = new Set(["move-folder-local", "restore"]);

/**
 * Returns the moves of folders in one run, several moves of a folder as one.
 * @param events completed events of the run, oldest first
 */
export function folderMoves(events: readonly MirrorEvent[], base: BaseTree): FolderMove[] {
  const own = events.filter(({ kind, id }) => FOLDER_MOVES.has(kind) && isDirId(id));
  return [...Map.groupBy(own, ({ id }) => id as DirId)].flatMap(([id, moves]) => {
    const dir = base.dirs.get(id);
    const from = moves.find((event) => event.from !== null)?.from ?? null;
    // The folder was removed with all its contents, and its documents have events of their own.
    if (dir === undefined || from === null) return [];
    const last = moves.at(-1)!;
    const currentPath = MOVES_LOCALLY.has(last.kind) ? dir.localPath : dir.remotePath;
    const movedSince = currentPath !== last.path;
    return from === dir.localPath && !movedSince ? [] : [{ id, from, to: dir.localPath, movedSince }];
  });
}

/**
 * Returns the path before the run for a path in one of its events. The folder of that path may have
 * moved before or after the event. If both are possible (two folders swapped), returns the path in
 * the document's own folder.
 * @param currentPath path in base
 */
export function pathBefore(path: LocalPath, currentPath: LocalPath, folders: readonly FolderMove[]): LocalPath {
  const nearest = folders.toSorted((a, b) => b.to.length - a.to.length);
  const own = nearest.find(({ to }) => to !== currentPath && isWithin(currentPath, to));
  for (const { from, to } of own === undefined ? nearest : [own, ...nearest]) {
    if (isWithin(path, from)) return path;
    if (path !== to && isWithin(path, to)) return rebase(path, to, from);
  }
  return path;
}

/**
 * Returns true if an entry also reaches its target when the nearest moved folder above it moves.
 */
export function isCarried({ id, at, to }: MovedBack, moves: readonly MovedBack[]): boolean {
  const above = moves.filter((one) => one.id !== id && isDirId(one.id) && at !== one.at && isWithin(at, one.at));
  const nearest = above.toSorted((a, b) => b.at.length - a.at.length)[0];
  return nearest !== undefined && rebase(at, nearest.at, nearest.to) === to;
}

/**
 * Orders moves: folders first, then by the depth of the targets. So the folder of each target
 * exists first.
 */
export function byPlace(one: Pick<MovedBack, "id" | "to">, other: Pick<MovedBack, "id" | "to">): number {
  return Number(isDirId(other.id)) - Number(isDirId(one.id)) || depthOf(one.to) - depthOf(other.to);
}

/** A move that an event recorded, on one side. `localFrom`: local path before the move. */
export type Move = {
  readonly side: "local" | "remote";
  readonly from: string;
  readonly to: string;
  readonly localFrom: LocalPath;
};

/** Returns the move that an event recorded; null if the event moved nothing. */
export function moveOfEvent({ kind, path, from: localFrom, remoteMove }: MirrorEvent): Move | null {
  if (localFrom === null) return null;
  if (LOCAL_MOVES.has(kind)) return { side: "local", from: localFrom, to: path, localFrom };
  return remoteMove === null ? null : { side: "remote", ...remoteMove, localFrom };
}

const LOCAL_MOVES: ReadonlySet<string> = new Set(["relink", "move-local"]);
