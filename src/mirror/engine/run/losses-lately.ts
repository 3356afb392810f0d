/**
 * Counts the documents that a side lost within the last hour, for the limit of deletions. The hour
 * is measured by the monotonic clock and the order of runs, because a user may change the wall
 * clock at any time (I29).
 */

import type { SafetySignals } from "../../planner/plan-types.ts";
import { META } from "./meta.ts";
import type { World } from "./world.ts";

const HOUR_MS = 3_600_000;

type RunNumber = number;

/**
 * A run and a monotonic time. All losses in this run and in earlier runs happened before this time.
 */
type LossMark = readonly [run: RunNumber, before: number];

type RecentLosses = {
  /** Last run whose losses no longer count, because they are an hour old or approved. */
  readonly after: RunNumber;
  /** Marks of the runs after `after`, the oldest first. Some may be over an hour old by now. */
  readonly marks: readonly LossMark[];
};

/** Returns how many documents each side lost in the last hour and after the last approval. */
export function countRecentLosses(world: World): SafetySignals["lossesDone"] {
  const { after } = readRecentLosses(world);
  const { state } = world;
  return { local: state.lossesAfter("local", after), remote: state.lossesAfter("remote", after) };
}

/** Stores a mark at the end of a run in which documents were lost. */
export function markLosses(world: World): void {
  const { state, clock } = world;
  const { after, marks } = readRecentLosses(world);
  const lastMarkedRun = marks.at(-1)?.[0] ?? after;
  if (state.lossesAfter("local", lastMarkedRun) + state.lossesAfter("remote", lastMarkedRun) === 0) return;
  writeRecentLosses(world, { after, marks: [...marks, [readNewestRun(world), clock.monotonic()]] });
}

/** Forgets the losses so far, because the user has approved them. */
export function forgetLosses(world: World): void {
  writeRecentLosses(world, { after: readNewestRun(world), marks: [] });
}

function readNewestRun({ state }: World): RunNumber {
  return state.runs(1)[0]?.run ?? 0;
}

/** Returns the stored losses. Leaves out marks that are at least an hour old. */
function readRecentLosses(world: World): RecentLosses {
  const text = world.state.meta(META.losses);
  const { after, marks } = text === null ? { after: 0, marks: [] } : (JSON.parse(text) as RecentLosses);
  const lastOldIndex = marks.findLastIndex((mark) => computeMinimumAge(world, mark) >= HOUR_MS);
  return lastOldIndex < 0 ? { after, marks } : { after: marks[lastOldIndex]![0], marks: marks.slice(lastOldIndex + 1) };
}

function writeRecentLosses({ state }: World, lately: RecentLosses): void {
  state.setMeta(META.losses, JSON.stringify(lately));
}

/**
 * Returns the number of milliseconds that have certainly passed since a mark. The monotonic clock
 * starts when the machine boots. So a mark in the future comes from an earlier boot. The result is
 * then the time since the current boot.
 */
function computeMinimumAge({ clock }: World, [, before]: LossMark): number {
  const now = clock.monotonic();
  return now >= before ? now - before : now;
}
