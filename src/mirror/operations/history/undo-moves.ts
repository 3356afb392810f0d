/** Finds where the moves of a run began, and the order in which they can be undone. Pure. */

import { type DirId, type DocId, isDirId } from "../../../contract/ids.ts";
import { digestOf } from "../../../contract/digest.ts";
import { depthOf, isBelow, isWithin, type LocalPath, rebase } from "../../../contract/path.ts";
import type { MirrorEvent } from "../../ports/state.ts";
import type { BaseTree } from "../../model/tree.ts";

/** A move back, from the path `at` in base to `to`, the path before the runs. */
export type BackMove = { readonly id: DocId | DirId; readonly at: LocalPath; readonly to: LocalPath };

/**
 * Returns a temporary name that depends only on the path. If the process was killed during an undo,
 * an entry may still have this name. The next undo then finds the name taken, and moves no other
 * entry to it.
 */
export function makeTemporaryName(path: LocalPath): LocalPath {
  const mark = `-undo-${digestOf(path).slice(0, 8)}`;
  return path.endsWith(".md") ? `${path.slice(0, -".md".length)}${mark}.md` : `${path}${mark}`;
}

/** Returns true if the first entry is at the other's target path, or a folder above that path. */
export function blocksMove({ id, at }: BackMove, other: BackMove): boolean {
  return id !== other.id && (at === other.to || (isDirId(id) && isWithin(other.to, at)));
}

/**
 * Returns true if the other entry has to move first: that entry is at the target path of `move`, or
 * will be a folder above the target path.
 */
export function movesFirst(other: BackMove, move: BackMove): boolean {
  return blocksMove(other, move) || (isDirId(other.id) && isBelow(move.to, other.to));
}

/**
 * All moves of one folder, as a single move to the path `to` in base. `movedSince`: true if the
 * folder was moved again after the run.
 */
export type FolderMove = {
  readonly id: DirId;
  readonly from: LocalPath;
  readonly to: LocalPath;
  readonly movedSince: boolean;
};

const FOLDER_MOVE_KINDS: ReadonlySet<string> = new Set([
  "move-folder-local",
  "rename-folder-remote",
  "reparent-folder-remote",
  // Kind of the event that an earlier undo logged for a folder that it moved back.
  "restore",
]);

const LOCAL_FOLDER_MOVE_KINDS: ReadonlySet<string> = new Set(["move-folder-local", "restore"]);

/** @param events completed events of the run, oldest first */
export function listFolderMoves(events: readonly MirrorEvent[], base: BaseTree): FolderMove[] {
  const ownEvents = events.filter(({ kind, id }) => FOLDER_MOVE_KINDS.has(kind) && isDirId(id));
  return [...Map.groupBy(ownEvents, ({ id }) => id as DirId)].flatMap(([id, moves]) => {
    const dir = base.dirs.get(id);
    const earlierPath = moves.find((event) => event.from !== null)?.from ?? null;
    // A removed folder does not move back. Documents from the folder have events of their own.
    if (dir === undefined || earlierPath === null) return [];
    const lastMoveEvent = moves.at(-1)!;
    const currentPath = LOCAL_FOLDER_MOVE_KINDS.has(lastMoveEvent.kind) ? dir.localPath : dir.remotePath;
    const hasMovedSince = currentPath !== lastMoveEvent.path;
    return earlierPath === dir.localPath && !hasMovedSince
      ? []
      : [{ id, from: earlierPath, to: dir.localPath, movedSince: hasMovedSince }];
  });
}

/**
 * Returns the path that an entry had before the run, for the path in one of the run's events. The
 * run may have moved a folder above this path before or after the event. If two folders were
 * swapped, the moves of both folders fit the path; the function then uses the move of the folder
 * that contains the entry now.
 * @param currentPath path of the entry in base
 */
export function findPathBefore(path: LocalPath, currentPath: LocalPath, folders: readonly FolderMove[]): LocalPath {
  const deepestFirst = folders.toSorted((a, b) => b.to.length - a.to.length);
  const ownFolderMove = deepestFirst.find(({ to }) => to !== currentPath && isWithin(currentPath, to));
  for (const { from, to } of ownFolderMove === undefined ? deepestFirst : [ownFolderMove, ...deepestFirst]) {
    if (isWithin(path, from)) return path;
    if (path !== to && isWithin(path, to)) return rebase(path, to, from);
  }
  return path;
}

/** Returns true if an entry reaches its target path by the move of the nearest folder above it. */
export function isCarried({ id, at, to }: BackMove, moves: readonly BackMove[]): boolean {
  const movesAbove = moves.filter((one) => one.id !== id && isDirId(one.id) && at !== one.at && isWithin(at, one.at));
  const nearestMove = movesAbove.toSorted((a, b) => b.at.length - a.at.length)[0];
  return nearestMove !== undefined && rebase(at, nearestMove.at, nearestMove.to) === to;
}

/** Orders moves: folders first, then by depth of the target, so that target folders exist. */
export function compareMoves(one: Pick<BackMove, "id" | "to">, other: Pick<BackMove, "id" | "to">): number {
  return Number(isDirId(other.id)) - Number(isDirId(one.id)) || depthOf(one.to) - depthOf(other.to);
}

export type RecordedMove = {
  readonly side: "local" | "remote";
  readonly from: string;
  readonly to: string;
  readonly localFrom: LocalPath;
};

export function readMove({ kind, path, from: localFrom, remoteMove }: MirrorEvent): RecordedMove | null {
  if (localFrom === null) return null;
  if (LOCAL_FILE_MOVE_KINDS.has(kind)) return { side: "local", from: localFrom, to: path, localFrom };
  return remoteMove === null ? null : { side: "remote", ...remoteMove, localFrom };
}

const LOCAL_FILE_MOVE_KINDS: ReadonlySet<string> = new Set(["relink", "move-local"]);
