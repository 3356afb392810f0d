import type { DocId } from "../../../contract/ids.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { Link, Stamp } from "../../model/link.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { Intent } from "../../ports/state.ts";
import type { PassContext } from "../run/pass-context.ts";
import { parkingPlace } from "../run/world.ts";
import { empties } from "./emptied.ts";
import { ended, type Got, got, outcomeOfDisk, stale } from "./effect.ts";
import { madeOfBoth } from "./text-name.ts";

/**
 * A text that was written to the disk. `intentId` stays open until the caller's commit closes it.
 */
export type Landed = {
  readonly stamp: Stamp;
  readonly parked: { readonly intentId: number; readonly next: Intent } | null;
};

/** Returns whether a document would lose its text, and the safety checks did not know that. */
function isUnjudgedLoss({ notes: { mayEmpty }, world }: PassContext, id: DocId, text: string, before: Digest): boolean {
  return mayEmpty !== null && !mayEmpty.has(id) && empties(world, before, text);
}

/**
 * Replaces the text of a document's file, with a journalled intent; a file that has these bytes is
 * left alone. The caller moves base in `commit`, which turns the intent into `set-aside`: the next
 * pass looks once more at the old inode, into which an editor may have written meanwhile.
 * @param link the base before, on which such a late edit would be based; null where there was none
 * @param next the version that the commit moves base to; null where base stays
 */
export function landText(
  ctx: PassContext,
  id: DocId,
  path: LocalPath,
  text: string,
  writes: Digest,
  expect: Digest,
  link: Pick<Link, "changeId" | "digest"> | null,
  next: Pick<Link, "changeId" | "digest"> | null,
): Got<Landed> {
  const { disk, state } = ctx.world;
  if (writes === expect) {
    const look = disk.look(path);
    if (look.kind !== "file" || look.digest !== expect) return ended(stale("the file was changed after the scan"));
    return got({ stamp: look.stamp, parked: null });
  }
  if (isUnjudgedLoss(ctx, id, text, expect))
    return ended(stale("it became empty since the safety checks judged the plan"));
  state.putKnownText(writes, text, madeOfBoth(path, id, "downloaded by mdmirror"));
  const parkAt = parkingPlace(ctx.world, id);
  const base = { baseChangeId: link?.changeId ?? null, baseDigest: link?.digest ?? null };
  const becomes = next === null ? {} : { nextChangeId: next.changeId, nextDigest: next.digest };
  const row = { id, path, parkAt, expect, ...base };
  const replaced = replaceFile(ctx, { kind: "replace", writes, ...row, ...becomes }, text);
  if (replaced.kind === "end") return replaced;
  const { stamp, rowId } = replaced.value;
  return got({ stamp, parked: { intentId: rowId, next: { kind: "set-aside", ...row } } });
}

/**
 * Replaces a file under a row, which is in the store with the text before. The caller's commit ends
 * the row.
 */
export function replaceFile(
  ctx: PassContext,
  row: Extract<Intent, { kind: "replace" }>,
  text: string,
): Got<{ readonly stamp: Stamp; readonly rowId: number }> {
  const { disk, state } = ctx.world;
  const { id, path, expect, parkAt } = row;
  const rowId = state.openIntent(ctx.run, row);
  const end = disk.replace(path, text, expect, parkAt);
  if (end.kind === "done") {
    ctx.notes.toFlush.set(id, path);
    return got({ stamp: end.value.stamp, rowId });
  }
  // While the old file is still set aside, the row stays open: the next cycle puts it back before
  // it looks at the folder.
  if (!end.parked) state.closeIntent(rowId);
  return ended(outcomeOfDisk(end));
}
