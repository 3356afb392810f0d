import { type Digest, digestOf } from "../../../contract/digest.ts";
import type { DocumentRecord } from "../../model/record.ts";
import { isWithin, type LocalPath, rebase } from "../../../contract/path.ts";
import type { MirrorEvent } from "../../ports/state.ts";
import { makeFailedEnd, type ManualEnd } from "../../engine/manual/run-manually.ts";
import { DONE, stale } from "../../engine/apply/effect.ts";
import * as manual from "../../engine/manual/undo.ts";
import { chooseTrashPlace, type World } from "../../engine/run/world.ts";
import type { CycleContext } from "../../engine/run/cycle-context.ts";
import { isDone, listRows, makeLeftRow, makePlannedRow, type PlanItem, runItems } from "../manual/many.ts";
import { ok, refusal, type Result } from "../../../common/trouble.ts";
import { UNDO } from "../declared/writes.ts";
import type { ResultOf } from "../define.ts";
import type { Operation } from "../run-operation.ts";
import { readPastTime } from "../results/times.ts";
import { findRuns, MAX_RUNS, type StateAndDisk } from "./lookup.ts";
import {
  describeOccupied,
  explainUndoObstacle,
  isFree,
  type LeftItem,
  UNDO_KINDS,
  type UndoItem,
} from "./undo-document.ts";
import { planUndo } from "./undo-plan.ts";
import { compareMoves, blocksMove, makeTemporaryName, movesFirst } from "./undo-moves.ts";
import { shownName, shownWords } from "../../../common/shown-words.ts";

type PlannedRun = { readonly run: number; readonly kind: string; readonly startedAt: number };

/** A newer run that changed documents but cannot be undone. `left`: reason for each document. */
type SkippedRun = PlannedRun & { readonly left: readonly LeftItem[] };

export type UndoPlan = {
  /** Runs that the plan undoes, newest first. */
  readonly runs: readonly PlannedRun[];
  readonly items: readonly UndoItem[];
  /** Newer runs that the plan skips because these runs cannot be undone, newest first. */
  readonly passed: readonly SkippedRun[];
  /** Time since which all runs are undone, in milliseconds since the epoch; null for one run. */
  readonly since: number | null;
  /** Digest of the plan. With the digest, a caller shows which plan the user saw. */
  readonly version: Digest;
};

function makePlan(plan: Omit<UndoPlan, "version">): UndoPlan {
  const runNumbers = plan.runs.map(({ run }) => run);
  return { ...plan, version: digestOf(Buffer.from(JSON.stringify([runNumbers, plan.items]))) };
}

/**
 * LIMIT: number of events in an undo. An undo with more events is refused, because a partial undo
 * would be worse than no undo.
 */
const MAX_EVENTS = 200_000;

/** @param run number of the run; null for the last run that can be undone */
export function readUndoPlan({ state, disk }: StateAndDisk, run: number | null): Result<UndoPlan> {
  const base = state.load();
  const wantedRuns = findRuns(state, run);
  if (wantedRuns.kind === "trouble") return wantedRuns;
  const passedRuns: SkippedRun[] = [];
  for (const one of wantedRuns.value) {
    const events = state.events({ limit: MAX_EVENTS, run: one.run }).toReversed();
    if (events.length === MAX_EVENTS)
      return refusal(`run ${one.run} is too large to undo in one run`, "mdmirror restore PATH@N");
    const items = planUndo(events, base, { disk, state });
    const leftItems = items.filter((item) => item.kind === "left");
    if (run !== null || leftItems.length < items.length)
      return ok(makePlan({ runs: [one], items, passed: passedRuns, since: null }));
    const changedItems = leftItems.filter(({ isDownload }) => isDownload !== true);
    if (changedItems.length > 0) passedRuns.push({ ...one, left: changedItems });
  }
  const [newest] = passedRuns;
  if (newest !== undefined) return ok(makePlan({ runs: [newest], items: newest.left, passed: [], since: null }));
  return refusal("there is no run to undo", "mdmirror log; mdmirror restore PATH@N");
}

/**
 * Plans the undo of all runs since a time, as if these runs were one run.
 * @param since milliseconds since the epoch
 */
export function readUndoPlanSince({ state, disk }: StateAndDisk, since: number): Result<UndoPlan> {
  const runs = state.runs(MAX_RUNS).filter(({ startedAt }) => startedAt >= since);
  const events: MirrorEvent[] = [];
  for (const { run } of runs.toReversed()) {
    events.push(...state.events({ limit: MAX_EVENTS, run }).toReversed());
    if (events.length >= MAX_EVENTS || runs.length === MAX_RUNS)
      return refusal("the runs since then are too large to undo in one run", "give a later time");
  }
  return ok(makePlan({ runs, items: planUndo(events, state.load(), { disk, state }, "moment"), passed: [], since }));
}

/** Returns a clause such as `run 12` or `runs 12 to 15`. */
export function formatRuns(runs: UndoPlan["runs"]): string {
  const numbers = runs.map(({ run }) => run);
  const [firstRun, lastRun] = [numbers.at(-1), numbers[0]];
  return firstRun === lastRun ? `run ${firstRun}` : `runs ${firstRun} to ${lastRun}`;
}

export const undo: Operation<typeof UNDO, UndoPlan> = {
  declared: UNDO,
  plan({ world }, { run = null, since: time }) {
    const timeResult = readPastTime(time, world.clock);
    if (timeResult.kind === "trouble") return timeResult;
    const sinceMs = timeResult.value;
    if (sinceMs === null) return readUndoPlan(world, run);
    if (run !== null) return refusal("a run and a time are given", "give a run or a time, not both");
    return readUndoPlanSince(world, sinceMs);
  },
  hasWork: ({ items }) => items.some(({ kind }) => kind !== "left"),
  seen: (_mirror, { version }) => ({ plan: version }),
  preview: (plan) => ({ ...describeRuns(plan), run: null, items: listRows({ items: listUndoItems(plan) }) }),
  async run({ world }, plan, stop) {
    const runResult = await undoRun(world, plan, stop);
    if (runResult.kind === "trouble") return runResult;
    const { run, items } = runResult.value;
    return ok({ ...describeRuns(plan), run, items });
  },
};

function describeRuns({ runs, passed, version }: UndoPlan) {
  return { runs: runs.map(({ run }) => run), passedOver: passed.map(({ run }) => run), version };
}

type UndoneItem = ResultOf<typeof UNDO>["items"][number];

/**
 * Returns the items, each with a function that undoes the item. The function does nothing if the
 * document has changed since the plan.
 */
function listUndoItems({ runs, items }: UndoPlan): readonly PlanItem<UndoneItem>[] {
  const detail = `undo of ${formatRuns(runs)}`;
  const moves = items.filter(isMove);
  let moveEnds: ReadonlyMap<UndoItem, ManualEnd> | null = null;
  return items.map((item) => {
    const { path, kind } = item;
    const row = { ...makePlannedRow(path), kind, to: "to" in item ? item.to : null };
    if (item.kind === "left") return { row: { ...row, ...makeLeftRow(path, item.why) }, act: null };
    const undoOne = (ctx: CycleContext): ManualEnd | Promise<ManualEnd> => {
      if (!isMove(item)) return undoItem(ctx, item, detail);
      // The moves depend on each other, so the first move among the items carries out all moves.
      moveEnds ??= moveBackAll(ctx, moves, detail);
      return moveEnds.get(item)!;
    };
    return { row, act: undoOne, order: UNDO_KINDS[kind].rank, isWhole: isMove(item) };
  });
}

export function undoRun(world: World, plan: UndoPlan, stop?: AbortSignal): ReturnType<typeof runItems<UndoneItem>> {
  const undoneRuns = plan.runs.map(({ run }) => run);
  return runItems(world, "undo", { isOne: false, items: listUndoItems(plan), undoes: undoneRuns }, stop);
}

type MoveItem = Extract<UndoItem, { kind: "move-back" | "move-folder-back" }>;

function isMove(item: UndoItem): item is MoveItem {
  return item.kind === "move-back" || item.kind === "move-folder-back";
}

function undoItem(
  ctx: CycleContext,
  item: Exclude<UndoItem, MoveItem | LeftItem>,
  detail: string,
): ManualEnd | Promise<ManualEnd> {
  const { world } = ctx;
  const reason = explainUndoObstacle(item, world.state, world.disk);
  if (reason !== null) return makeFailedEnd(stale(reason));
  switch (item.kind) {
    case "bring-back":
      return manual.restoreFile(ctx, { ...item, isNew: true }, item.digest, detail);
    case "text-back": {
      const record = world.state.record(item.id)!;
      return withReviewNote(record, manual.restoreText(ctx, record, item.digest, item.expect, detail));
    }
    case "conflict-back":
      return manual.reopenConflict(ctx, item, detail);
    case "take-away":
      return manual.removeCreated(
        ctx,
        world.state.record(item.id)!,
        item.expect,
        chooseTrashPlace(world, item.path),
        detail,
      );
    default:
      return manual.protect(ctx, { id: item.id, path: item.path, value: item.kind === "protect-back" }, detail);
  }
}

/** Adds a note if a change of the document is in review. The API cannot withdraw the change. */
function withReviewNote({ submissions }: DocumentRecord, end: ManualEnd): ManualEnd {
  return submissions.length > 0 && isDone(end) ? { ...end, notes: [...end.notes, STILL_IN_REVIEW] } : end;
}

const STILL_IN_REVIEW = "its upload is still in review (mdmirror reviews); if it is accepted, the document comes back";

/**
 * An entry that is being moved back.
 * - `at`: current path
 * - `homePath`: path before the entry got a temporary name; null without a temporary name
 * - `end`: null until the move has succeeded or failed
 */
type MovingEntry = Pick<MoveItem, "id" | "to"> & { at: LocalPath; homePath: LocalPath | null; end: ManualEnd | null };

/**
 * Moves entries back on the disk only. Base does not change, so the next run uploads the moves. An
 * entry gets a temporary name only if no entry can move directly, for example if two entries swap
 * their paths.
 * RACE: a kill between the two renames of an entry; the entry then keeps the temporary name. The
 * next run uploads this rename like any other, so no content is lost.
 */
function moveBackAll(ctx: CycleContext, items: readonly MoveItem[], detail: string): ReadonlyMap<UndoItem, ManualEnd> {
  const { state, disk } = ctx.world;
  const movingEntries = items.map((item): MovingEntry => {
    const reason = explainUndoObstacle(item, state, disk);
    return {
      id: item.id,
      to: item.to,
      at: item.path,
      homePath: null,
      end: reason === null ? null : makeFailedEnd(stale(reason)),
    };
  });
  for (let pendingEntries = movingEntries.toSorted(compareMoves); ; ) {
    pendingEntries = pendingEntries.filter(({ end }) => end === null);
    if (pendingEntries.length === 0) break;
    const freeEntries = pendingEntries.filter((one) => !pendingEntries.some((other) => movesFirst(other, one)));
    const blockingEntry = pendingEntries.find(
      (one) => one.homePath === null && pendingEntries.some((other) => blocksMove(one, other)),
    );
    if (freeEntries.length === 0 && blockingEntry !== undefined) freePath(ctx, movingEntries, blockingEntry, detail);
    else
      for (const one of freeEntries.length === 0 ? pendingEntries : freeEntries)
        one.end = moveToPlace(ctx, movingEntries, one, detail);
  }
  return new Map(items.map((item, index) => [item, movingEntries[index]!.end!]));
}

function freePath(ctx: CycleContext, all: readonly MovingEntry[], one: MovingEntry, detail: string): void {
  const homePath = one.at;
  const renameEnd = renameEntry(ctx, all, one, makeTemporaryName(homePath), detail);
  if (isDone(renameEnd)) one.homePath = homePath;
  else one.end = renameEnd;
}

function renameEntry(
  ctx: CycleContext,
  all: readonly MovingEntry[],
  { id, at: from }: MovingEntry,
  to: LocalPath,
  detail: string,
) {
  // On a disk that ignores case, the entry itself may be at the target path, so the rename is
  // tried.
  const isSameName = from.toLowerCase() === to.toLowerCase();
  if (!isSameName && !isFree(ctx.world.disk, to)) return makeFailedEnd(stale(describeOccupied(to)));
  const moveEnd = manual.moveBack(ctx, { id, from, to }, detail);
  if (isDone(moveEnd)) for (const one of all) if (isWithin(one.at, from)) one.at = rebase(one.at, from, to);
  return moveEnd;
}

/**
 * Moves an entry to its target path. If the move fails, an entry with a temporary name gets its old
 * name back.
 */
function moveToPlace(ctx: CycleContext, all: readonly MovingEntry[], one: MovingEntry, detail: string): ManualEnd {
  if (one.at === one.to) return { outcome: DONE, notes: [] };
  const renameEnd = renameEntry(ctx, all, one, one.to, detail);
  if (isDone(renameEnd) || one.homePath === null || isDone(renameEntry(ctx, all, one, one.homePath, detail)))
    return renameEnd;
  const reason = "detail" in renameEnd.outcome ? renameEnd.outcome.detail : renameEnd.outcome.kind;
  return makeFailedEnd(stale(`${reason}; it is at ${one.at} now`));
}

type DescribedUndo = { readonly kind: string; readonly why?: string; readonly to?: string | null };

/** Returns a clause such as `move back to a.md` or `left alone: it was edited since`. */
export function describeUndo({ kind, why = "", to = null }: DescribedUndo): string {
  const detail = kind === "left" ? `: ${shownWords(why)}` : to === null ? "" : ` to ${shownName(to)}`;
  return `${UNDO_KINDS[kind as UndoItem["kind"]].words}${detail}`;
}
