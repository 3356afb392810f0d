import type { DocId } from "../../../contract/ids.ts";
import type { Link } from "../../model/link.ts";
import { NOT_BEGUN } from "../../model/not-begun.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { MirrorEvent } from "../../ports/state.ts";
import { type ManualEnd, isStopped, notDone, runManually } from "../../engine/manual/run-manually.ts";
import { stale } from "../../engine/apply/effect.ts";
import { protect } from "../../engine/manual/protect.ts";
import { removeCreated, restoreFile, restoreText, moveBack } from "../../engine/manual/restore.ts";
import { trashPlace, type World } from "../../engine/run/world.ts";
import type { PassContext } from "../../engine/run/pass-context.ts";
import { isDone } from "../manual/many.ts";
import { ok, type Result, trouble } from "../../../common/trouble.ts";
import { findRuns, RUNS } from "./events.ts";
import type { LeftItem, UndoItem } from "./undo-item.ts";
import { planUndo } from "./undo-plan.ts";
import { type RenameStep, orderMoves } from "./undo-moves.ts";
import { isFree, missingFileReason, occupiedReason } from "./undo-check.ts";

type RunOfPlan = { readonly run: number; readonly kind: string; readonly startedAt: number };

/** A newer run that changed something and cannot be undone, with the reasons. */
type PassedRun = RunOfPlan & { readonly left: readonly LeftItem[] };

export type UndoPlan = {
  /** Newest first; for the undo of one run, that run. */
  readonly runs: readonly RunOfPlan[];
  readonly items: readonly UndoItem[];
  /** Newest first; empty if a run or a time was named. */
  readonly passed: readonly PassedRun[];
};

/** LIMIT: events that are read; a larger undo is refused, not done in part. */
const EVENTS = 200_000;

type StateAndDisk = Pick<World, "state" | "disk">;

/**
 * Plans the undo of one run.
 * @param run null means the last run that can be undone
 */
export function readUndo({ state, disk }: StateAndDisk, run: number | null): Result<UndoPlan> {
  const base = state.load();
  const wanted = findRuns(state, run);
  if (wanted.kind === "trouble") return wanted;
  const passed: PassedRun[] = [];
  for (const one of wanted.value) {
    const events = state.events({ limit: EVENTS, run: one.run }).toReversed();
    if (events.length === EVENTS)
      return trouble("usage", `run ${one.run} is too large to undo in one run`, "mdmirror restore PATH@N");
    const items = planUndo(events, base, disk);
    const leftAlone = items.filter((item) => item.kind === "left");
    if (run !== null || leftAlone.length < items.length) return ok({ runs: [one], items, passed });
    // A download is a change of the service, so a run that only downloaded is not worth reporting.
    const changed = leftAlone.filter(({ isBrought }) => isBrought !== true);
    if (changed.length > 0) passed.push({ ...one, left: changed });
  }
  const [newest] = passed;
  if (newest !== undefined) return ok({ runs: [newest], items: newest.left, passed: [] });
  return trouble("usage", "there is no run to undo", "mdmirror log; mdmirror restore PATH@N");
}

/**
 * Plans the undo of all runs that began at that time or later, as if they were one.
 * @param since milliseconds since the epoch
 */
export function readUndoSince({ state, disk }: StateAndDisk, since: number): Result<UndoPlan> {
  const runs = state.runs(RUNS).filter(({ startedAt }) => startedAt >= since);
  const events: MirrorEvent[] = [];
  for (const { run } of runs.toReversed()) {
    events.push(...state.events({ limit: EVENTS, run }).toReversed());
    if (events.length >= EVENTS || runs.length === RUNS)
      return trouble("usage", "the runs since then are too large to undo in one run", "give a later time");
  }
  return ok({ runs, items: planUndo(events, state.load(), disk, "moment"), passed: [] });
}

/** Returns `run 12` or `runs 12 to 15`. */
export function runsClause(runs: UndoPlan["runs"]): string {
  const numbers = runs.map(({ run }) => run);
  const [first, last] = [numbers.at(-1), numbers[0]];
  return first === last ? `run ${first}` : `runs ${first} to ${last}`;
}

type UndoEnd = { readonly item: UndoItem; readonly done: boolean; readonly note: string };

export type Undone = { readonly run: number | null; readonly ends: readonly UndoEnd[] };

/**
 * Undoes every item that has not changed since, and says why it leaves the rest. Each item is
 * written only in its expected state. ORDER: contents and new files at their present places, then
 * the moves, then deleted documents, because their folders exist again by then.
 * @param stop when aborted, no further item is started
 */
export async function undoRun(world: World, plan: UndoPlan, stop?: AbortSignal): Promise<Undone> {
  const detail = `undo of ${runsClause(plan.runs)}`;
  let run: number | null = null;
  const ends = await runManually(world, "undo", async (ctx) => {
    run = ctx.run;
    const done = new Map<UndoItem, ManualEnd>();
    const texts = plan.items.filter(isTextItem);
    const isDeleted = ({ kind }: UndoItem) => kind === "bring-back";
    const each = async (items: readonly TextItem[]) => {
      for (const item of items) {
        if (await isStopped(world, stop)) return;
        done.set(item, undoItem(ctx, item, detail));
      }
    };
    await each(texts.filter((item) => !isDeleted(item)));
    if (await isStopped(world, stop)) return endsOf(plan, done);
    for (const [item, end] of undoMoves(ctx, plan.items.filter(isMoveItem), detail)) done.set(item, end);
    await each(texts.filter(isDeleted));
    if (await isStopped(world, stop)) return endsOf(plan, done);
    const protections = await undoProtections(ctx, plan.items.filter(isProtectionItem), detail);
    for (const [item, end] of protections) done.set(item, end);
    return endsOf(plan, done);
  });
  // If another folder is at the root's path now, `ends` has one entry, which applies to all items.
  return { run, ends: plan.items.map((item, index) => endOf(item, ends[index] ?? ends[0]!)) };
}

function endsOf({ items }: UndoPlan, done: ReadonlyMap<UndoItem, ManualEnd>): ManualEnd[] {
  return items.map((item) => done.get(item) ?? notDone(stale(NOT_BEGUN)));
}

type ProtectionItem = Extract<UndoItem, { kind: "protect-back" | "unprotect-back" }>;
type TextItem = Exclude<UndoItem, MoveItem | ProtectionItem>;

function isProtectionItem(item: UndoItem): item is ProtectionItem {
  return item.kind === "protect-back" || item.kind === "unprotect-back";
}

function isTextItem(item: UndoItem): item is TextItem {
  return !isProtectionItem(item) && !isMoveItem(item);
}

async function undoProtections(
  ctx: PassContext,
  items: readonly ProtectionItem[],
  detail: string,
): Promise<readonly (readonly [UndoItem, ManualEnd])[]> {
  return Promise.all(
    items.map(async (item) => {
      const { id, path, kind } = item;
      return [item, await protect(ctx, { id, path, value: kind === "protect-back" }, detail)] as const;
    }),
  );
}

function endOf(item: UndoItem, end: ManualEnd): UndoEnd {
  const done = isDone(end);
  const why = "detail" in end.outcome ? end.outcome.detail : "";
  return { item, done, note: done ? end.notes.join("; ") : why };
}

function undoItem(ctx: PassContext, item: TextItem, detail: string): ManualEnd {
  if (item.kind === "left") return notDone(stale(item.why));
  if (item.kind === "bring-back") return restoreFile(ctx, { ...item, isNew: true }, item.digest, detail);
  const link = findStill(ctx, item);
  if (typeof link === "string") return notDone(stale(link));
  return item.kind === "text-back"
    ? withReview(link, restoreText(ctx, link, item.digest, item.expect, detail))
    : removeCreated(ctx, link, item.expect, trashPlace(ctx.world, item.path), detail);
}

/**
 * Adds a note to the result if a change of the document is in review: the API has no call that
 * withdraws a review.
 */
function withReview({ submissions }: Link, end: ManualEnd): ManualEnd {
  return submissions.length > 0 && isDone(end) ? { ...end, notes: [...end.notes, STILL_IN_REVIEW] } : end;
}

const STILL_IN_REVIEW = "its upload is still in review (mdmirror reviews); if it is accepted, the document comes back";

/** Returns the record if the document is where the plan saw it, else the reason. */
function findStill(ctx: PassContext, { id, path }: { readonly id: DocId; readonly path: LocalPath }): Link | string {
  const { state } = ctx.world;
  const link = state.link(id);
  if (link === null || link.localPath !== path) return "it was moved or deleted since";
  return state.conflict(id) === null ? link : "it is in conflict";
}

type MoveItem = Extract<UndoItem, { kind: "move-back" | "move-folder-back" }>;

function isMoveItem(item: UndoItem): item is MoveItem {
  return item.kind === "move-back" || item.kind === "move-folder-back";
}

/**
 * Undoes the moves of a run on the disk alone: base stays, and the next run uploads the moves.
 * RACE: a kill between the two renames of an entry leaves it under its temporary name. The next run
 * uploads that name as any rename; the content is whole.
 */
function undoMoves(ctx: PassContext, items: readonly MoveItem[], detail: string): Map<MoveItem, ManualEnd> {
  const ends = new Map<MoveItem, ManualEnd>();
  for (const item of items) {
    const why = whyNot(ctx, item);
    if (why !== null) ends.set(item, notDone(stale(why)));
  }
  const going = items.filter((item) => !ends.has(item));
  const waiting = new Map<RenameStep["id"], LocalPath>();
  for (const hop of orderMoves(going.map(({ id, path, to }) => ({ id, at: path, to })))) {
    const item = going.find(({ id }) => id === hop.id)!;
    if (ends.has(item)) continue;
    const end = moveOne(ctx, hop, detail);
    if (!isDone(end)) ends.set(item, comeHome(ctx, hop, waiting.get(hop.id), detail, end));
    else if (hop.last) ends.set(item, end);
    else waiting.set(hop.id, hop.from);
  }
  // The item has no rename of its own, because it moved with its folder.
  for (const item of going) if (!ends.has(item)) ends.set(item, { outcome: { kind: "done" }, notes: [] });
  return ends;
}

/** Returns the change since the run, in base or on the disk; null if there is none. */
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
  return disk.look(path).kind === "file" ? null : missingFileReason(path);
}

function moveOne(ctx: PassContext, { id, from, to }: RenameStep, detail: string): ManualEnd {
  // On a disk that ignores case, a rename that only changes case finds the file itself; the disk
  // distinguishes the two.
  const sameName = from.toLowerCase() === to.toLowerCase();
  if (!sameName && !isFree(ctx.world.disk, to)) return notDone(stale(occupiedReason(to)));
  return moveBack(ctx, { id, from, to }, detail);
}

/**
 * Moves an entry to its place.
 * @param home its path before it took a temporary name; undefined if it took none
 */
function comeHome(
  ctx: PassContext,
  hop: RenameStep,
  home: LocalPath | undefined,
  detail: string,
  end: ManualEnd,
): ManualEnd {
  if (home === undefined || isDone(moveOne(ctx, { ...hop, to: home }, detail))) return end;
  const why = "detail" in end.outcome ? end.outcome.detail : end.outcome.kind;
  return notDone(stale(`${why}; it is at ${hop.from} now`));
}
