import type { DocId } from "../../contract/ids.ts";
import type { Link } from "../../model/link.ts";
import type { LocalPath } from "../../model/path.ts";
import type { State } from "../../ports/state.ts";
import { type HandEnd, notDone, runByHand } from "../../engine/by-hand/by-hand.ts";
import { stale } from "../../engine/apply/effect.ts";
import { removeCreated, restoreGone, restoreText } from "../../engine/by-hand/restore.ts";
import { trashPlace, type World } from "../../engine/run/world.ts";
import type { PassContext } from "../../engine/run/pass-context.ts";
import { isDone } from "../by-hand/resolve.ts";
import { isMoveItem, type MoveItem, undoMoves } from "./undo-places.ts";
import { ok, type Result, trouble } from "../mirror/trouble.ts";
import { planUndo, type UndoItem } from "./undo-plan.ts";

export type UndoPlan = {
  readonly run: number;
  readonly kind: string;
  readonly startedAt: number;
  readonly items: readonly UndoItem[];
};

/** LIMIT: events of a run that are read; a longer run is not taken back in part. */
const EVENTS = 200_000;
const RUNS = 10_000;

/** @param run null: the last one that can be taken back at all */
export function readUndo(state: State, run: number | null): Result<UndoPlan> {
  const base = state.load();
  const runs = state.runs(RUNS);
  const wanted = run === null ? runs : runs.filter((one) => one.run === run);
  if (wanted.length === 0)
    return trouble(
      "usage",
      run === null ? "there was no run yet" : `there is no run ${run}`,
      "mdmirror log names the runs",
    );
  for (const one of wanted) {
    const events = state.events({ limit: EVENTS, run: one.run }).toReversed();
    if (events.length === EVENTS)
      return trouble("usage", `run ${one.run} did too much to be taken back at once`, "mdmirror restore PATH@N");
    const items = planUndo(events, base);
    if (run === null && !items.some(({ kind }) => kind !== "left")) continue;
    return ok({ run: one.run, kind: one.kind, startedAt: one.startedAt, items });
  }
  return trouble("usage", "no run is left that could be taken back", "mdmirror log; mdmirror restore PATH@N");
}

export type UndoEnd = { readonly item: UndoItem; readonly done: boolean; readonly note: string };

/**
 * Takes back what has not changed since, and says why it leaves the rest. Each item is guarded by
 * what it expects to find.
 * ORDER: texts and new files where they are now, then the moves, then what was deleted, because its
 * folder is back by then.
 */
export async function undoRun(world: World, plan: UndoPlan): Promise<readonly UndoEnd[]> {
  const detail = `undo of run ${plan.run}`;
  const ends = await runByHand(world, "undo", async (ctx) => {
    const done = new Map<UndoItem, HandEnd>();
    const others = plan.items.filter((item) => !isMoveItem(item));
    const deleted = others.filter(({ kind }) => kind === "bring-back");
    const present = others.filter(({ kind }) => kind !== "bring-back");
    for (const item of present) done.set(item, undoItem(ctx, item, detail));
    for (const [item, end] of undoMoves(ctx, plan.items.filter(isMoveItem), detail)) done.set(item, end);
    for (const item of deleted) done.set(item, undoItem(ctx, item, detail));
    return plan.items.map((item) => done.get(item)!);
  });
  // If the root folder is another one now, all items end with the same clause.
  return plan.items.map((item, index) => endOf(item, ends[index] ?? ends[0]!));
}

function endOf(item: UndoItem, end: HandEnd): UndoEnd {
  const done = isDone(end);
  const why = "detail" in end.outcome ? end.outcome.detail : "";
  return { item, done, note: done ? end.notes.join("; ") : why };
}

function undoItem(ctx: PassContext, item: Exclude<UndoItem, MoveItem>, detail: string): HandEnd {
  if (item.kind === "left") return notDone(stale(item.why));
  if (item.kind === "bring-back") return restoreGone(ctx, item.id, item.path, item.digest, detail);
  const link = findStill(ctx, item);
  if (typeof link === "string") return notDone(stale(link));
  return item.kind === "text-back"
    ? restoreText(ctx, link, item.digest, item.expect, detail)
    : removeCreated(ctx, link, item.expect, trashPlace(ctx.world, item.path), detail);
}

/** @returns its link, if it is where the plan saw it; or why not */
function findStill(ctx: PassContext, { id, path }: { readonly id: DocId; readonly path: LocalPath }): Link | string {
  const { state } = ctx.world;
  const link = state.link(id);
  if (link === null || link.localPath !== path) return "it was moved or deleted since";
  return state.conflict(id) === null ? link : "it is in conflict";
}
