import type { State } from "../core/ports/state.ts";
import { type HandEnd, notDone, runByHand } from "../engine/by-hand.ts";
import { stale } from "../engine/effect.ts";
import { moveBack, removeCreated, restoreGone, restoreText } from "../engine/restore.ts";
import { type PassContext, trashPlace, type World } from "../engine/world.ts";
import { isDone } from "./resolve.ts";
import { ok, type Result, trouble } from "./trouble.ts";
import { planUndo, type UndoItem } from "./undo-plan.ts";

export type UndoPlan = {
  readonly run: number;
  readonly kind: string;
  readonly startedAt: number;
  readonly items: readonly UndoItem[];
};

/** LIMIT: events of a run that are read; a longer one is not taken back in part. */
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

/** Takes back what has not moved since; the rest is left, with why. Each item is guarded by what it expects to find. */
export async function undoRun(world: World, plan: UndoPlan): Promise<readonly UndoEnd[]> {
  const detail = `undo of run ${plan.run}`;
  const ends = await runByHand(world, "undo", async (ctx) => plan.items.map((item) => undoItem(ctx, item, detail)));
  // A root that is not the one it was ends all of them with one clause.
  return plan.items.map((item, index) => endOf(item, ends[index] ?? ends[0]!));
}

function endOf(item: UndoItem, end: HandEnd): UndoEnd {
  const done = isDone(end);
  const why = "detail" in end.outcome ? end.outcome.detail : "";
  return { item, done, note: done ? end.notes.join("; ") : why };
}

function undoItem(ctx: PassContext, item: UndoItem, detail: string): HandEnd {
  const { state, disk } = ctx.world;
  if (item.kind === "left") return notDone(stale(item.why));
  if (item.kind === "bring-back") return restoreGone(ctx, item.id, item.path, item.digest, detail);
  const link = state.link(item.id);
  if (link === null || link.localPath !== item.path) return notDone(stale("it was moved or deleted since"));
  if (state.conflict(item.id) !== null) return notDone(stale("it is in conflict"));
  switch (item.kind) {
    case "text-back":
      return restoreText(ctx, link, item.digest, item.expect, detail);
    case "take-away":
      return removeCreated(ctx, link, item.expect, trashPlace(ctx.world, item.path), detail);
    case "move-back":
      return disk.look(item.to).kind === "absent"
        ? moveBack(ctx, link, item.to, detail)
        : notDone(stale(`something is at ${item.to} now`));
  }
}
