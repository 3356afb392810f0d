import { type DirId, type DocId, isDirId } from "../../../contract/ids.ts";
import { digestOf } from "../../../contract/digest.ts";
import { isWithin, type LocalPath, rebase } from "../../../contract/path.ts";
import type { MirrorEvent } from "../../ports/state.ts";
import type { BaseTree } from "../../model/tree.ts";

/** Finds where a run's moves began, and orders the renames that undo them. Pure. */

/** A moved document or folder: its path in base now, and its path before the run. */
export type MovedBack = { readonly id: DocId | DirId; readonly at: LocalPath; readonly to: LocalPath };

/**
 * Returns the temporary name under which an entry frees its path. A path always gets the same name,
 * so a second `undo` finds that name taken.
 */
export function spareName(path: LocalPath): LocalPath {
  const mark = `-undo-${digestOf(path).slice(0, 8)}`;
  return path.endsWith(".md") ? `${path.slice(0, -".md".length)}${mark}.md` : `${path}${mark}`;
}

/** Something that base has no record of. */
export const UNKNOWN = Symbol("unknown");

/**
 * Separates the moves that can be undone because their targets are free. An entry that cannot move
 * back stays, and may block the next one.
 * @param taken returns the present occupant of a target
 */
export function splitTaken(
  moves: readonly MovedBack[],
  taken: (move: MovedBack) => DocId | DirId | typeof UNKNOWN | undefined,
): { readonly go: readonly MovedBack[]; readonly stay: readonly MovedBack[] } {
  let go = moves;
  for (;;) {
    const going = go;
    const left = going.filter((move) => {
      const holder = taken(move);
      return holder === undefined || holder === move.id || isLeft(move.to, going);
    });
    if (left.length === go.length) return { go, stay: moves.filter((one) => !go.includes(one)) };
    go = left;
  }
}

/** Returns true if one of these moves frees a path. */
function isLeft(path: LocalPath, moves: readonly MovedBack[]): boolean {
  return moves.some(({ id, at, to }) => at !== to && (at === path || (isDirId(id) && isWithin(path, at))));
}

/**
 * One rename on the disk. `last`: the rename brings `id` to its place; otherwise `id` only frees
 * its path.
 */
export type RenameStep = {
  readonly id: DocId | DirId;
  readonly from: LocalPath;
  readonly to: LocalPath;
  readonly last: boolean;
};

/**
 * Net move of a folder in a run. `to`: its path in base now; `moved`: base and the events disagree.
 */
export type FolderMove = {
  readonly id: DirId;
  readonly from: LocalPath;
  readonly to: LocalPath;
  readonly moved: boolean;
};

const FOLDER_MOVES: ReadonlySet<string> = new Set([
  "move-folder-local",
  "rename-folder-remote",
  "reparent-folder-remote",
  // Moved back by an undo.
  "restore",
]);

const HERE: ReadonlySet<string> = new Set(["move-folder-local", "restore"]);

/** @param events completed events of one run, oldest first */
export function folderMoves(events: readonly MirrorEvent[], base: BaseTree): FolderMove[] {
  const own = events.filter(({ kind, id }) => FOLDER_MOVES.has(kind) && isDirId(id));
  return [...Map.groupBy(own, ({ id }) => id as DirId)].flatMap(([id, moves]) => {
    const dir = base.dirs.get(id);
    const from = moves.find((event) => event.from !== null)?.from ?? null;
    // The folder was removed with all its contents, and its documents have events of their own.
    if (dir === undefined || from === null) return [];
    const last = moves.at(-1)!;
    const now = HERE.has(last.kind) ? dir.localPath : dir.remotePath;
    const moved = now !== last.path;
    return from === dir.localPath && !moved ? [] : [{ id, from, to: dir.localPath, moved }];
  });
}

/**
 * Returns the path before the run for a path in one of its events. Its folder may have moved before
 * or after the event. If both are possible (two folders swapped), returns the path in its own
 * folder.
 * @param now path in base
 */
export function pathBefore(path: LocalPath, now: LocalPath, folders: readonly FolderMove[]): LocalPath {
  const nearest = folders.toSorted((a, b) => b.to.length - a.to.length);
  const own = nearest.find(({ to }) => to !== now && isWithin(now, to));
  for (const { from, to } of own === undefined ? nearest : [own, ...nearest]) {
    if (isWithin(path, from)) return path;
    if (path !== to && isWithin(path, to)) return rebase(path, to, from);
  }
  return path;
}

/**
 * Orders the moves, folders first. A move waits until its target is free. If all moves wait for
 * each other (a swap), one entry frees its path under a temporary name. A document that moves with
 * its folder gets no move of its own.
 */
export function orderMoves(moves: readonly MovedBack[]): RenameStep[] {
  let pending = moves.toSorted((a, b) => Number(isDirId(b.id)) - Number(isDirId(a.id)));
  const hops: RenameStep[] = [];
  // LIMIT: renames. Each entry takes a temporary name at most once; more renames would be a circle
  // that cannot be broken, and none exists.
  while (hops.length <= 2 * moves.length) {
    pending = pending.filter(({ at, to }) => at !== to);
    const next = nextMove(pending, hops);
    if (next === null) break;
    const { move, hop } = next;
    hops.push(hop);
    pending = pending.flatMap((one) => {
      if (one === move) return hop.last ? [] : [{ ...one, at: hop.to }];
      return isWithin(one.at, hop.from) ? [{ ...one, at: rebase(one.at, hop.from, hop.to) }] : [one];
    });
  }
  return hops;
}

/**
 * Returns the next move that is possible; in a circle, the rename to a temporary name that breaks
 * the circle.
 */
function nextMove(
  pending: readonly MovedBack[],
  hops: readonly RenameStep[],
): { readonly move: MovedBack; readonly hop: RenameStep } | null {
  const free = pending.find((one) => pending.every((other) => other === one || !isInTheWay(other, one)));
  if (free !== undefined) return { move: free, hop: { id: free.id, from: free.at, to: free.to, last: true } };
  // The first entry that had no rename yet takes a temporary name. Then fewer entries wait for a
  // path.
  const aside = pending.find(({ id }) => !hops.some((hop) => hop.id === id)) ?? pending[0];
  if (aside === undefined) return null;
  return { move: aside, hop: { id: aside.id, from: aside.at, to: spareName(aside.at), last: false } };
}

/**
 * Returns true if `other` must move before `one`: it is at the target, or the target's folder is
 * not back yet.
 */
function isInTheWay(other: MovedBack, one: MovedBack): boolean {
  if (other.at === one.to) return true;
  return isDirId(other.id) && isWithin(one.to, other.to);
}

/** A move recorded by an event, on the side that it names. `here`: local path before the move. */
export type Move = {
  readonly side: "local" | "remote";
  readonly from: string;
  readonly to: string;
  readonly here: LocalPath;
};

/** Returns null if the event moved nothing. */
export function moveOfEvent({ kind, path, from: here, remoteMove }: MirrorEvent): Move | null {
  if (here === null) return null;
  if (LOCAL_MOVES.has(kind)) return { side: "local", from: here, to: path, here };
  return remoteMove === null ? null : { side: "remote", ...remoteMove, here };
}

const LOCAL_MOVES: ReadonlySet<string> = new Set(["relink", "move-local"]);
