import type { LocalPath } from "../../../contract/path.ts";
import { type HandEnd, notDone } from "../../engine/by-hand/by-hand.ts";
import { stale } from "../../engine/apply/effect.ts";
import { moveBack } from "../../engine/by-hand/restore.ts";
import type { PassContext } from "../../engine/run/pass-context.ts";
import { isDone } from "../manual/resolve.ts";
import { type Hop, orderMoves } from "./undo-moves.ts";
import { isFree, noFileAt, somethingAt } from "./undo-here.ts";
import type { UndoItem } from "./undo-item.ts";

export type MoveItem = Extract<UndoItem, { kind: "move-back" | "move-folder-back" }>;

export function isMoveItem(item: UndoItem): item is MoveItem {
  return item.kind === "move-back" || item.kind === "move-folder-back";
}

/**
 * Takes the moves of a run back on the disk alone: base stays, and the next run sends them.
 * RACE: killed between the two renames of one that made way, it keeps the temporary name, which the
 * next run sends as any rename; its text is whole.
 */
export function undoMoves(ctx: PassContext, items: readonly MoveItem[], detail: string): Map<MoveItem, HandEnd> {
  const ends = new Map<MoveItem, HandEnd>();
  for (const item of items) {
    const why = whyNot(ctx, item);
    if (why !== null) ends.set(item, notDone(stale(why)));
  }
  const going = items.filter((item) => !ends.has(item));
  const waiting = new Map<Hop["id"], LocalPath>();
  for (const hop of orderMoves(going.map(({ id, path, to }) => ({ id, at: path, to })))) {
    const item = going.find(({ id }) => id === hop.id)!;
    if (ends.has(item)) continue;
    const end = moveOne(ctx, hop, detail);
    if (!isDone(end)) ends.set(item, comeHome(ctx, hop, waiting.get(hop.id), detail, end));
    else if (hop.last) ends.set(item, end);
    else waiting.set(hop.id, hop.from);
  }
  // It has no move of its own, because its folder brought it along.
  for (const item of going) if (!ends.has(item)) ends.set(item, { outcome: { kind: "done" }, notes: [] });
  return ends;
}

/** What has changed since the run, in base or on the disk; null: it is where the run put it. */
function whyNot(ctx: PassContext, item: MoveItem): string | null {
  return item.kind === "move-folder-back" ? whyNotFolder(ctx, item) : whyNotDocument(ctx, item);
}

function whyNotFolder(
  { world: { state, disk } }: PassContext,
  { id, path }: Extract<MoveItem, { kind: "move-folder-back" }>,
): string | null {
  const dir = state.dir(id);
  if (dir === null || dir.localPath !== path) return "the folder was moved or deleted since";
  const look = disk.look(path);
  const same = look.kind === "folder" && look.ino === dir.ino && look.dev === dir.dev;
  return same ? null : "the folder does not exist any more";
}

function whyNotDocument(
  { world: { state, disk } }: PassContext,
  { id, path }: Extract<MoveItem, { kind: "move-back" }>,
): string | null {
  const link = state.link(id);
  if (link === null || link.localPath !== path) return "it was moved or deleted since";
  if (state.conflict(id) !== null) return "it is in conflict";
  return disk.look(path).kind === "file" ? null : noFileAt(path);
}

function moveOne(ctx: PassContext, { id, from, to }: Hop, detail: string): HandEnd {
  // On a disk that folds case, a case-only rename finds the file itself; the disk tells them apart.
  const sameName = from.toLowerCase() === to.toLowerCase();
  if (!sameName && !isFree(ctx.world.disk, to)) return notDone(stale(somethingAt(to)));
  return moveBack(ctx, { id, from, to }, detail);
}

/** @param home where it was before it made way; undefined: it did not make way */
function comeHome(ctx: PassContext, hop: Hop, home: LocalPath | undefined, detail: string, end: HandEnd): HandEnd {
  if (home === undefined || isDone(moveOne(ctx, { ...hop, to: home }, detail))) return end;
  const why = "detail" in end.outcome ? end.outcome.detail : end.outcome.kind;
  return notDone(stale(`${why}; it is at ${hop.from} now`));
}
