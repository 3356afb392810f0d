import type { DocId } from "../../../contract/ids.ts";
import type { Action } from "../../model/action.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { BaseTree } from "../../model/tree.ts";
import type { Plan } from "../../planner/plan-types.ts";
import type { MirrorEvent } from "../../ports/state.ts";
import type { PassContext } from "./pass-context.ts";
import { wasInVain } from "./repeat-guard.ts";
import type { HandsOff, Settings, World } from "./world.ts";

/**
 * Nothing is written over a file that somebody has in hand: that changed a moment ago, or that an
 * editor says it has open. It delays a write for a bounded time and decides nothing about texts;
 * what an effect expects to find protects them in any case (I14). The clock is the disk's against
 * the machine's: where they differ, a write comes sooner or later by that, no more (I29).
 */

/** A file in somebody's hands. */
export type InUse = {
  /** A clause that stays the same for as long as the cause does: by it a hold keeps its time. */
  readonly why: string;
  /** Milliseconds until it has been quiet; null: an editor has it open. */
  readonly quietInMs: number | null;
};

/** The actions that write over a file, or take it away, and those that may. */
type Writing = Extract<Action, { kind: "write-local" | "merge" | "trash-local" | MayWrite }>;
type MayWrite = "settle-review" | "renew-conflict" | "end-conflict" | "meet";

const WRITING: ReadonlySet<Action["kind"]> = new Set(["write-local", "merge", "trash-local"]);
const MAY_WRITE: ReadonlySet<Action["kind"]> = new Set<MayWrite>([
  "settle-review",
  "renew-conflict",
  "end-conflict",
  "meet",
]);

/** What the log says of a write that waited for as long as it may. */
const OVER = "; an editor had the file open for longer than mdmirror waits";

/** The files of this plan that are to be left alone now. Locks are looked for here alone. */
export function filesInUse(ctx: PassContext, { steps }: Plan, base: BaseTree): ReadonlyMap<LocalPath, InUse> {
  const found = new Map<LocalPath, InUse>();
  for (const { action } of steps) {
    if (!isWriting(action) && !wouldWrite(ctx, base, action)) continue;
    const use = inUse(ctx, action);
    if (use === null) continue;
    if (hasWaited(ctx, base, action, use)) ctx.notes.waitedEnough.set(action.localPath, OVER);
    else found.set(action.localPath, use);
  }
  return found;
}

function isWriting(action: Action): action is Writing {
  return WRITING.has(action.kind);
}

/**
 * A review is most often settled by the very text that is here, an open conflict shows the new
 * version beside it, and two new texts at one path are linked or become a conflict: nothing is
 * written. Where something would be, its effect has found that out before (`leftAlone`), in this
 * run or in an earlier one; of two new texts only where the service's may take over.
 */
function wouldWrite({ notes: { tally }, settings }: PassContext, base: BaseTree, action: Action): action is Writing {
  if (!isMayWrite(action) || (action.kind === "meet" && !mayTakeOver(settings, action.localPath))) return false;
  return base.holds.get(action.id)?.reason === "in-use" || wasInVain(tally, action);
}

/**
 * Whether the service's text may take the place of a new file, where both sides are new at one path
 * with different texts: it is preferred, or policy `copy` keeps the local text beside it. No other
 * policy counts here: without a base nothing tells which text is older (I05).
 */
export function mayTakeOver({ direction, prefer, conflicts }: Settings, path: LocalPath): boolean {
  return direction !== "push-only" && (prefer === "remote" || conflicts(path) === "copy");
}

function isMayWrite(action: Action): action is Extract<Action, { kind: MayWrite }> {
  return MAY_WRITE.has(action.kind);
}

/** An editor may stay open for days: its lock is respected for a bounded time. */
function hasWaited({ world, settings }: PassContext, base: BaseTree, { id }: Writing, { quietInMs }: InUse): boolean {
  const hold = base.holds.get(id);
  if (quietInMs !== null || hold?.reason !== "in-use") return false;
  return isOver(world, hold.since, settings.handsOff?.openMs ?? 0);
}

/** Whether a wait since a time of the clock is over; it is, too, where that was set back. */
export function isOver({ clock }: World, since: number, mostMs: number): boolean {
  const waitedMs = clock.now() - since;
  return waitedMs >= mostMs || waitedMs < 0;
}

/** The subject of a write, right before it. @returns null: nobody has it in hand */
export function inUse(
  { world, settings: { handsOff }, notes }: PassContext,
  { id, localPath }: Pick<Writing, "id" | "localPath">,
): InUse | null {
  if (handsOff === undefined || isOff(handsOff) || notes.waitedEnough.has(localPath)) return null;
  const { changedMs, savedMs, openIn } = world.disk.useOf(localPath);
  if (openIn !== null && handsOff.openMs > 0)
    return { why: `open in ${openIn}: the version of the service is written once the file is closed`, quietInMs: null };
  if (changedMs === null || savedMs === null) return null;
  const quietInMs = quietIn(world, handsOff, changedMs);
  if (quietInMs <= 0) return null;
  const isSaved = quietIn(world, handsOff, savedMs) > 0;
  if (isOwnWrite(world, id, changedMs, isSaved ? savedMs : null)) return null;
  return {
    why: "changed a moment ago: the version of the service is written once the file is unchanged for a while",
    quietInMs,
  };
}

function isOff({ quietMs, openMs }: HandsOff): boolean {
  return quietMs + openMs === 0;
}

/** The disk tells parts of a millisecond, which the machine's clock leaves out. */
const ROUNDING_MS = 1;

/**
 * How long until a file has been quiet. A disk's clock may be a little ahead of the machine's; a
 * time that is far off is of another clock, and says nothing.
 */
export function quietIn({ clock }: World, { quietMs }: HandsOff, changedMs: number): number {
  const sinceMs = clock.now() - changedMs;
  return sinceMs < -quietMs ? 0 : quietMs - sinceMs + coarseness(changedMs);
}

/** Disks that keep whole seconds, or every second one (FAT), may mean any time until the next. */
function coarseness(changedMs: number): number {
  return [2_000, 1_000].find((tickMs) => changedMs % tickMs === 0) ?? 0;
}

/**
 * Whether the file has not changed since the mirror itself wrote it last, or moved it: a move gives
 * the file a new time, and its text is as young as it was.
 * @param savedMs when its bytes were written; null: long enough ago
 */
function isOwnWrite({ state, clock }: World, id: DocId, changedMs: number, savedMs: number | null): boolean {
  const own = state.events({ limit: NEWEST, id }).filter(wroteHere);
  const now = clock.now();
  if (own[0] === undefined || !isBefore(changedMs, own[0], now)) return false;
  if (savedMs === null || own[0].kind !== "move-local") return true;
  const written = own.find(({ kind }) => kind !== "move-local");
  return written !== undefined && isBefore(savedMs, written, now);
}

/** A time that lies ahead is from before the clock was set back, and says nothing of the file. */
function isBefore(fileMs: number, { at }: MirrorEvent, now: number): boolean {
  return at <= now && fileMs + coarseness(fileMs) < at + ROUNDING_MS;
}

/** LIMIT: after so many others, its own write is taken for somebody's, and waits once more. */
const NEWEST = 8;

/**
 * Whether it changed the file, or gave it another name, which changes the file's time as well. Not
 * the notes of where a document is, nor of a text that both sides have.
 */
function wroteHere({ kind, side, before, after }: MirrorEvent): boolean {
  return kind === "move-local" || (side !== "remote" && after !== null && after !== before);
}
