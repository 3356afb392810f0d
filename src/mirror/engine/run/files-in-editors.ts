/**
 * Delays writes to a file that somebody is working on: the file has just changed, or a program
 * reports that it has the file open. The delay has a limit and decides nothing about content. Each
 * effect checks the content of the file, so that no edit is lost in any case (I14). The disk's
 * clock is compared with the machine's. If the two differ, a write comes sooner or later by the
 * difference, no more (I29).
 */

import type { DocId } from "../../../contract/ids.ts";
import type { Action } from "../../model/action.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { BaseTree } from "../../model/tree.ts";
import type { Plan } from "../../planner/plan-types.ts";
import type { MirrorEvent } from "../../ports/state.ts";
import type { CycleContext } from "./cycle-context.ts";
import { wasFutile } from "./repeat-guard.ts";
import type { EditorWait, Settings, World } from "./world.ts";

/** A file that somebody is working on. */
export type InUse = {
  /**
   * Reason as a clause. It stays the same as long as the cause does, so that a blocked change keeps
   * its time.
   */
  readonly why: string;
  /**
   * Milliseconds until the file has been unchanged for long enough; null: a program has the file
   * open.
   */
  readonly settledInMs: number | null;
};

/** Actions that overwrite or remove a file, or may do so. */
type Writing = Extract<Action, { kind: "write-local" | "merge" | "trash-local" | MayWrite }>;
type MayWrite = "settle-review" | "renew-conflict" | "end-conflict" | "meet";

const WRITING: ReadonlySet<Action["kind"]> = new Set(["write-local", "merge", "trash-local"]);
const MAY_WRITE: ReadonlySet<Action["kind"]> = new Set<MayWrite>([
  "settle-review",
  "renew-conflict",
  "end-conflict",
  "meet",
]);

/** Clause for the log about a write that waited for the longest time. */
const OPEN_TOO_LONG = "; an editor had the file open for longer than mdmirror waits";

/**
 * Returns the files of this plan that must not be written now. Notes those that waited for long
 * enough.
 */
export function filesInUse(ctx: CycleContext, { steps }: Plan, base: BaseTree): ReadonlyMap<LocalPath, InUse> {
  const found = new Map<LocalPath, InUse>();
  for (const { action } of steps) {
    if (!isWriting(action) && !wouldWrite(ctx, base, action)) continue;
    const inUse = findUse(ctx, action);
    if (inUse === null) continue;
    if (hasWaited(ctx, base, action, inUse)) ctx.notes.waitedEnough.set(action.localPath, OPEN_TOO_LONG);
    else found.set(action.localPath, inUse);
  }
  return found;
}

function isWriting(action: Action): action is Writing {
  return WRITING.has(action.kind);
}

/**
 * Returns true if an action would overwrite the file. Some actions write a file only rarely:
 * - A review most often ends with the local content.
 * - An open conflict shows the new version beside the file.
 * - Two new contents at one path are recorded as one or become a conflict. They count only if the
 *   service's content may replace the local one.
 * Such an action counts if its effect has found that it must write (`blockIfInUse`), in this run or
 * an earlier one.
 */
function wouldWrite({ notes: { tally }, settings }: CycleContext, base: BaseTree, action: Action): action is Writing {
  if (!isMayWrite(action) || (action.kind === "meet" && !mayTakeOver(settings, action.localPath))) return false;
  return base.blocks.get(action.id)?.reason === "in-use" || wasFutile(tally, action);
}

/**
 * Returns true if, of two new contents at one path, the service's may replace the local file.
 * Either the service's content is preferred, or policy `copy` keeps the local content beside it. No
 * other policy counts: without a base, it is not known which content is older (I05).
 */
export function mayTakeOver({ direction, prefer, conflicts }: Settings, path: LocalPath): boolean {
  return direction !== "push" && (prefer === "remote" || conflicts(path) === "copy");
}

function isMayWrite(action: Action): action is Extract<Action, { kind: MayWrite }> {
  return MAY_WRITE.has(action.kind);
}

/**
 * Returns true if a write has waited for the longest time. A program may have a file open for days,
 * so its lock is respected only for a limited time.
 */
function hasWaited(
  { world, settings }: CycleContext,
  base: BaseTree,
  { id }: Writing,
  { settledInMs }: InUse,
): boolean {
  const block = base.blocks.get(id);
  if (settledInMs !== null || block?.reason !== "in-use") return false;
  return isWaitOver(world, block.since, settings.handsOff?.openMs ?? 0);
}

/** Returns true if a wait is over. It is also over if the clock was set back. */
export function isWaitOver({ clock }: World, since: number, maxMs: number): boolean {
  const waitedMs = clock.now() - since;
  return waitedMs >= maxMs || waitedMs < 0;
}

/**
 * Checks the file of a write right before the write.
 * @returns null: nobody is working on the file
 */
export function findUse(
  { world, settings: { handsOff }, notes }: CycleContext,
  { id, localPath }: Pick<Writing, "id" | "localPath">,
): InUse | null {
  if (handsOff === undefined || isOff(handsOff) || notes.waitedEnough.has(localPath)) return null;
  const { changedMs, savedMs, openIn } = world.disk.useOf(localPath);
  if (openIn !== null && handsOff.openMs > 0)
    return {
      why: `open in ${openIn}: mdmirror writes the version on the service when the file is closed`,
      settledInMs: null,
    };
  if (changedMs === null || savedMs === null) return null;
  const settledInMs = timeUntilSettled(world, handsOff, changedMs);
  if (settledInMs <= 0) return null;
  const isSaved = timeUntilSettled(world, handsOff, savedMs) > 0;
  if (isOwnWrite(world, id, changedMs, isSaved ? savedMs : null)) return null;
  return {
    why: "changed a moment ago: mdmirror writes the version on the service when the file has not changed for a while",
    settledInMs,
  };
}

function isOff({ unchangedMs, openMs }: EditorWait): boolean {
  return unchangedMs + openMs === 0;
}

/** Tolerance in milliseconds: file times have fractions of a millisecond, event times do not. */
const ROUNDING_MS = 1;

/**
 * Returns the time until a file will have been unchanged for long enough. A disk's clock may be
 * slightly ahead of the machine's; a time that is far ahead comes from another clock and is
 * ignored.
 */
export function timeUntilSettled({ clock }: World, { unchangedMs }: EditorWait, changedMs: number): number {
  const sinceMs = clock.now() - changedMs;
  return sinceMs < -unchangedMs ? 0 : unchangedMs - sinceMs + clockResolution(changedMs);
}

/**
 * Returns the milliseconds by which a file's time may be too early. A disk that keeps whole
 * seconds, or every second one (FAT), may mean any time until the next.
 */
function clockResolution(changedMs: number): number {
  return [2_000, 1_000].find((tickMs) => changedMs % tickMs === 0) ?? 0;
}

/**
 * Returns true if mdmirror's own write or move was the last change of the file. A move gives the
 * file a new time, although its content is as old as before.
 * @param savedMs time when its bytes were written; null: long enough ago
 */
function isOwnWrite({ state, clock }: World, id: DocId, changedMs: number, savedMs: number | null): boolean {
  const events = state.events({ limit: MAX_NEWER_EVENTS, id }).filter(hasWrittenFile);
  const now = clock.now();
  if (events[0] === undefined || !isBefore(changedMs, events[0], now)) return false;
  if (savedMs === null || events[0].kind !== "move-local") return true;
  const written = events.find(({ kind }) => kind !== "move-local");
  return written !== undefined && isBefore(savedMs, written, now);
}

/**
 * Returns true if the file changed before the event. An event in the future was recorded before the
 * clock was set back, and proves nothing about the file.
 */
function isBefore(fileMs: number, { at }: MirrorEvent, now: number): boolean {
  return at <= now && fileMs + clockResolution(fileMs) < at + ROUNDING_MS;
}

/**
 * LIMIT: after this many other events, mdmirror's own write counts as a user's, and causes one more
 * wait.
 */
const MAX_NEWER_EVENTS = 8;

/**
 * Returns true if the event changed the file, or renamed it, which changes its time as well. Events
 * that only record a document's path, or content that both sides have, do not count.
 */
function hasWrittenFile({ kind, side, before, after }: MirrorEvent): boolean {
  return kind === "move-local" || (side !== "remote" && after !== null && after !== before);
}
