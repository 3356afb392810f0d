import { isWithin, rebase } from "../../../contract/path.ts";
import type { Block, Stamp } from "../../model/record.ts";
import type { PathState } from "../../ports/disk.ts";
import type { EventFields, Intent } from "../../ports/state.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import { STALE, DONE, withOutcome, withValue, outcomeOfDisk, leaveOpen } from "./effect.ts";
import { ensureFolders } from "./folder.ts";
import type { EffectEnd, EffectResult, LocalEffect } from "./run-effect.ts";

type LocalMoveRow = Extract<Intent, { kind: "move" | "move-folder" }>;
type FileMoveRow = Extract<LocalMoveRow, { kind: "move" }>;
/** Stamp of a moved file; null for a folder, or for a conflict copy that was moved before. */
type MovedFile = { readonly stamp: Stamp | null };

/** Moves an item locally. Base gets the new paths, unless a manual command moves the item. */
export const moveLocal: LocalEffect<LocalMoveRow, LocalMoveRow, null, MovedFile> = {
  prepare(ctx, row) {
    if (row.kind === "move" && ctx.world.state.record(row.id) === null) return withOutcome(STALE.noRecord);
    const folderFailure = ensureFolders(ctx, row.to);
    return folderFailure === null ? withValue({ row, input: null }) : withOutcome(folderFailure);
  },

  perform(ctx, row) {
    const { disk } = ctx.world;
    const { from, to } = row;
    if (row.kind === "move-folder") return moveFolder(ctx, row);
    const isCopyMoved = row.nth !== undefined && (from === to || disk.look(from).kind === "absent");
    if (isCopyMoved) return { kind: "seen", seen: { stamp: null } };
    // The content is not compared before the move. The user may have edited the file since the
    // plan, and a move does not depend on the content.
    const diskOutcome = disk.move(from, to, null);
    if (diskOutcome.kind === "done") return { kind: "seen", seen: { stamp: diskOutcome.value.stamp } };
    // The disk may have linked the file at the new path without removing the old path. Recovery
    // then completes the move.
    return { kind: diskOutcome.isSetAside ? "open" : "over", outcome: outcomeOfDisk(diskOutcome) };
  },

  observe(ctx, row) {
    const { disk } = ctx.world;
    const [fromState, toState] = [disk.look(row.from), disk.look(row.to)];
    if (fromState.kind === "unknown" || toState.kind === "unknown")
      return leaveOpen("mdmirror was interrupted during a move, and cannot read the old or the new path");
    if (isOneFile(fromState, toState)) {
      const diskOutcome = disk.move(row.from, row.to, null);
      if (diskOutcome.kind === "done") return { kind: "seen", seen: { stamp: diskOutcome.value.stamp } };
      return leaveOpen(`mdmirror was interrupted during a move, and cannot complete it: ${diskOutcome.detail}`);
    }
    if (fromState.kind === "absent" && row.kind === "move-folder" && toState.kind === "folder")
      return { kind: "seen", seen: { stamp: null } };
    if (
      fromState.kind === "absent" &&
      row.kind === "move" &&
      toState.kind === "file" &&
      findRecordedInode(ctx, row) === toState.stamp.ino
    )
      return { kind: "seen", seen: { stamp: toState.stamp } };
    return { kind: "over", outcome: DONE };
  },

  conclude(ctx, row, seen) {
    const { from, to, why, isManual } = row;
    ctx.world.links?.forms.known.recordMoved(from, to);
    const id = row.kind === "move" ? row.id : row.dirId;
    const eventFields = { side: "local", id, path: to, from } as const;
    if (isManual) return { outcome: DONE, change: { event: { ...eventFields, kind: "restore", detail: why } } };
    const event: EventFields = { ...eventFields, kind: `${row.kind}-local`, detail: `${why} (from ${from})` };
    if (row.kind === "move") return concludeFileMove(ctx, row, seen, event);
    if (!row.temporary) ctx.notes.counts.movedLocal++;
    return { outcome: DONE, change: { moved: [{ side: "local", from, to }], event } };
  },
};

function moveFolder(ctx: CycleContext, { from, to }: LocalMoveRow): EffectResult<MovedFile> {
  const diskOutcome = ctx.world.disk.moveFolder(from, to);
  if (diskOutcome.kind !== "done") return { kind: "over", outcome: outcomeOfDisk(diskOutcome) };
  // Only later steps of this plan need this list of moves. A plan after a recovery has the new
  // paths already.
  ctx.notes.movedLocally.push({ from, to });
  ctx.world.links?.forms.placesIfKnown()?.moveFolder(from, to);
  for (const [id, path] of ctx.notes.toFlush)
    if (isWithin(path, from)) ctx.notes.toFlush.set(id, rebase(path, from, to));
  return { kind: "seen", seen: { stamp: null } };
}

function findRecordedInode({ world: { state } }: CycleContext, { id, nth }: FileMoveRow): number | null {
  const inodeSource = nth === undefined ? state.record(id)?.stamp : state.conflict(id)?.shown[nth - 1];
  return inodeSource?.ino ?? null;
}

function concludeFileMove(ctx: CycleContext, row: FileMoveRow, { stamp }: MovedFile, event: EventFields): EffectEnd {
  const { state } = ctx.world;
  const { id, to, nth } = row;
  if (nth !== undefined) {
    const conflict = state.conflict(id);
    if (conflict === null) return { outcome: STALE.conflictEnded, change: null };
    return {
      outcome: DONE,
      change: nth === conflict.shown.length ? { conflict: { ...conflict, newestCopyPath: to } } : null,
    };
  }
  const record = state.record(id);
  if (record === null) return { outcome: STALE.noRecord, change: null };
  if (!row.temporary) ctx.notes.counts.movedLocal++;
  const movedRecord = { ...record, localPath: to, stamp, stampTrusted: false };
  return { outcome: DONE, change: { record: movedRecord, ...moveBlock(ctx, row), event } };
}

/**
 * Returns true if an interrupted move left the file under both names, with two hard links. The
 * number of hard links is compared because of renames that only change case. On a disk that ignores
 * case, both names then find a file with one hard link.
 */
function isOneFile(from: PathState, to: PathState): boolean {
  if (from.kind !== "file" || to.kind !== "file") return false;
  return from.stamp.ino === to.stamp.ino && from.stamp.dev === to.stamp.dev && to.stamp.nlink > 1;
}

/**
 * Returns the document's block with the new path of the document, because links to a blocked
 * document use the path in the block. Returns no block if the block's reason is a path: such a
 * block ends when the document moves.
 */
function moveBlock({ world }: CycleContext, { id, from, to }: FileMoveRow): { block?: Block } {
  const block = world.state.blocks().find(({ key, path }) => key === id && path === from);
  return block === undefined || (block.digest ?? block.changeId) === null ? {} : { block: { ...block, path: to } };
}
