import type { Signals } from "../../planner/plan-types.ts";
import { META } from "./meta.ts";
import type { World } from "./world.ts";

/**
 * Counts the documents that a side has lost lately, for the deletion limit. "Lately" is an hour of
 * the monotonic clock, and the order of runs: the wall clock may be set at any time (I29).
 */

const HOUR_MS = 3_600_000;

type Run = number;

/** All losses of the runs up to this one happened before `at`, on the monotonic clock. */
type Mark = readonly [run: Run, at: number];

type Lately = {
  /** The run after which losses count. */
  readonly after: Run;
  /** Runs since then, oldest first, whose losses may have expired. */
  readonly marks: readonly Mark[];
};

/**
 * Returns how many documents were deleted, or became empty, within the hour and since the last
 * approval.
 */
export function lossesLately(world: World): Signals["lossesDone"] {
  const { after } = readLately(world);
  const { state } = world;
  return { local: state.lossesAfter("local", after), remote: state.lossesAfter("remote", after) };
}

/**
 * Notes a run in which documents were lost, at its end. Writes nothing if there are no new losses.
 */
export function markLosses(world: World): void {
  const { state, clock } = world;
  const { after, marks } = readLately(world);
  const known = marks.at(-1)?.[0] ?? after;
  if (state.lossesAfter("local", known) + state.lossesAfter("remote", known) === 0) return;
  writeLately(world, { after, marks: [...marks, [newestRun(world), clock.monotonic()]] });
}

/** Makes no loss so far count, because the user has approved them. */
export function forgetLosses(world: World): void {
  writeLately(world, { after: newestRun(world), marks: [] });
}

function newestRun({ state }: World): Run {
  return state.runs(1)[0]?.run ?? 0;
}

/** Reads the marks. Drops those that are an hour old, with all before them. */
function readLately(world: World): Lately {
  const text = world.state.meta(META.losses);
  const { after, marks } = text === null ? { after: 0, marks: [] } : (JSON.parse(text) as Lately);
  const old = marks.findLastIndex((mark) => ageOf(world, mark) >= HOUR_MS);
  return old < 0 ? { after, marks } : { after: marks[old]![0], marks: marks.slice(old + 1) };
}

function writeLately({ state }: World, lately: Lately): void {
  state.setMeta(META.losses, JSON.stringify(lately));
}

/**
 * Returns the least time that has passed since a mark. The clock begins with the machine, so a mark
 * that lies ahead is of an earlier boot, and at least as old as this one.
 */
function ageOf({ clock }: World, [, at]: Mark): number {
  const now = clock.monotonic();
  return now >= at ? now - at : now;
}
