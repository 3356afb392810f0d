import type { ActionOf } from "../../model/action.ts";
import type { Block, Stamp } from "../../model/link.ts";
import { movePlace } from "../../model/settle.ts";
import type { Look } from "../../ports/disk.ts";
import type { Intent } from "../../ports/state.ts";
import type { PassContext } from "../run/pass-context.ts";
import { STALE, DONE, ended, got, outcomeOfDisk } from "./effect.ts";
import { ensureFolders } from "./parents.ts";
import type { LocalEffect } from "./run-effect.ts";
import { leaveOpen } from "./unsettled.ts";

type Row = Extract<Intent, { kind: "move" }>;
type Seen = { readonly stamp: Stamp };

/** Moves a document's file. */
export const moveFile: LocalEffect<ActionOf<"move-local">, Row, null, Seen> = {
  prepare(ctx, { id, from, to, why, temporary }) {
    if (ctx.world.state.link(id) === null) return ended(STALE.noRecord);
    const parents = ensureFolders(ctx, to);
    if (parents !== null) return ended(parents);
    return got({ row: { kind: "move", id, from, to, why, temporary }, beside: null });
  },

  perform(ctx, { from, to }) {
    // The content may have been edited since the plan: a move takes the file along, whatever its
    // content.
    const end = ctx.world.disk.move(from, to, null);
    if (end.kind === "done") return { kind: "seen", seen: { stamp: end.value.stamp } };
    // The file has both names: recovery completes the move.
    return { kind: end.isSetAside ? "open" : "over", outcome: outcomeOfDisk(end) };
  },

  observe(ctx, { id, from: old, to: now }) {
    const { disk, state } = ctx.world;
    const [from, to] = [disk.look(old), disk.look(now)];
    if (from.kind === "unknown" || to.kind === "unknown")
      return leaveOpen("mdmirror was interrupted during a move, and cannot read the old or the new path");
    if (isOneFile(from, to)) {
      const end = disk.move(old, now, null);
      if (end.kind === "done") return { kind: "seen", seen: { stamp: end.value.stamp } };
      return leaveOpen(`mdmirror was interrupted during a move, and cannot complete it: ${end.detail}`);
    }
    if (from.kind === "absent" && to.kind === "file" && state.link(id)?.stamp?.ino === to.stamp.ino)
      return { kind: "seen", seen: { stamp: to.stamp } };
    return { kind: "over", outcome: DONE };
  },

  conclude(ctx, row, { stamp }) {
    const link = ctx.world.state.link(row.id);
    if (link === null) return { outcome: STALE.noRecord, change: null };
    if (!row.temporary) ctx.notes.counts.movedLocal++;
    const { id, from, to, why } = row;
    const event = { kind: "move-local", side: "local", id, path: to, detail: `${why} (from ${from})`, from } as const;
    const moved = { ...movePlace(link, { localPath: to }), stamp, stampTrusted: false };
    return { outcome: DONE, change: { link: moved, ...blockAt(ctx, row), event } };
  },
};

/**
 * Returns whether two names are one file: the move was interrupted. On a disk that folds names, a
 * change of case that was not done looks the same, with one link.
 */
function isOneFile(from: Look, to: Look): boolean {
  if (from.kind !== "file" || to.kind !== "file") return false;
  return from.stamp.ino === to.stamp.ino && from.stamp.dev === to.stamp.dev && to.stamp.nlink > 1;
}

/**
 * Returns the document's block at its new path, because links to it lead to the path of its block.
 * A block about a place ends at another place.
 */
function blockAt({ world }: PassContext, { id, from, to }: Row): { block?: Block } {
  const block = world.state.blocks().find(({ key, path }) => key === id && path === from);
  return block === undefined || (block.digest ?? block.changeId) === null ? {} : { block: { ...block, path: to } };
}
