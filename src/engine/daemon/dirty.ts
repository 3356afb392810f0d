import type { LocalPath } from "../../model/path.ts";
import type { DaemonTiming } from "./timing.ts";

/**
 * Which paths had events, and when each has settled: an editor's save is one edit, whatever dance
 * it does. Times are monotonic.
 */
export type DirtyBook = {
  /**
   * @param whole a folder came or went, or notices were lost: what is at and below the path cannot
   * be looked at file by file
   */
  note(path: LocalPath, whole: boolean, now: number): void;
  /** When a look is due; null when nothing is dirty. */
  dueAt(): number | null;
  /** Paths that are not to be judged yet, with all below them, and why. */
  unsettled(now: number): ReadonlyMap<LocalPath, string>;
  /** Whether a bulk change is under way: better not judge anything before it has settled. */
  isBulkUnderWay(now: number): boolean;
  /**
   * Takes out what has settled. `many`: so much at once that the system may have dropped notices
   * without a word.
   */
  take(now: number): { readonly paths: readonly LocalPath[]; readonly whole: boolean; readonly many: boolean };
  count(): number;
  paths(limit: number): LocalPath[];
};

/** LIMIT: paths kept apart; more are one whole look. */
const MAX_PATHS = 2_000;
const MANY = 500;
/**
 * So many dirty paths are a bulk change (checkout, unzip, copy): waited for longer, to be seen in
 * one plan.
 */
const BULK = 20;
export const STILL_WRITTEN = "still-being-written";

type Spot = { first: number; last: number; whole: boolean };

export function createDirtyBook(timing: DaemonTiming): DirtyBook {
  const spots = new Map<LocalPath, Spot>();
  /** Since when something is waited for. */
  let since: number | null = null;
  let collapsed = false;

  const settledAt = (spot: Spot): number => Math.min(spot.last + timing.settleMs, spot.first + timing.settleMostMs);

  function put(path: LocalPath, whole: boolean, now: number): void {
    const spot = spots.get(path);
    if (spot === undefined) spots.set(path, { first: now, last: now, whole });
    else {
      spot.last = now;
      spot.whole ||= whole;
    }
  }

  return {
    note(path, whole, now) {
      since ??= now;
      if (spots.size < MAX_PATHS || spots.has(path)) put(path, whole, now);
      else {
        const firsts = [...spots.values()].reduce((first, spot) => Math.min(first, spot.first), now);
        spots.clear();
        collapsed = true;
        spots.set("", { first: firsts, last: now, whole: true });
      }
    },
    dueAt() {
      if (since === null || spots.size === 0) return null;
      let all = 0;
      for (const spot of spots.values()) all = Math.max(all, settledAt(spot));
      // Everything has settled; or something waits so long already that it goes alone.
      return Math.min(all, since + (spots.size > BULK || spots.has("") ? timing.bulkMostMs : timing.settleMostMs));
    },
    unsettled(now) {
      const waiting = new Map<LocalPath, string>();
      for (const [path, spot] of spots) if (settledAt(spot) > now) waiting.set(path, STILL_WRITTEN);
      return waiting;
    },
    isBulkUnderWay(now) {
      for (const spot of spots.values()) if (spot.whole && settledAt(spot) > now) return true;
      return false;
    },
    take(now) {
      const paths: LocalPath[] = [];
      let whole = false;
      for (const [path, spot] of spots) {
        if (settledAt(spot) > now) continue;
        paths.push(path);
        whole ||= spot.whole;
        spots.delete(path);
      }
      since = spots.size === 0 ? null : now;
      const many = collapsed || paths.length >= MANY;
      collapsed = false;
      return { paths, whole, many };
    },
    count: () => spots.size,
    paths: (limit) => [...spots.keys()].slice(0, limit),
  };
}
