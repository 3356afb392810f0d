import { isWithin, type LocalPath } from "../../../contract/path.ts";
import { STILL_WRITTEN, type Unread } from "../../model/seen.ts";
import type { DaemonTiming } from "./timing.ts";

/** LIMIT: paths that are remembered one by one; beyond it, the whole folder is scanned. */
const MAX_PATHS = 2_000;
const MANY_PATHS = 500;
/**
 * From this many dirty paths on, the change is a bulk change (checkout, unzip, copy). It gets more
 * time, so that one plan sees all of it.
 */
const BULK_PATHS = 20;

type PathChange = { readonly first: number; last: number; whole: boolean };

/**
 * The paths that changed, and the time when each will have been unchanged for long enough. An
 * editor may create and rename several files for one save, which must be one edit. Times are
 * monotonic.
 */
export class DirtyPaths {
  readonly #timing: DaemonTiming;
  readonly #changes = new Map<LocalPath, PathChange>();
  /** Time of the oldest change that is not scanned yet; null if there is none. */
  #since: number | null = null;
  #collapsed = false;

  constructor(timing: DaemonTiming) {
    this.#timing = timing;
  }

  /**
   * @param whole true if everything below the path must be scanned: a folder was created or
   * removed, or events were lost
   */
  note(path: LocalPath, whole: boolean, now: number): void {
    this.#since ??= now;
    const known = this.#changes.get(path);
    if (known !== undefined) {
      known.last = now;
      known.whole ||= whole;
    } else if (this.#changes.size < MAX_PATHS) this.#changes.set(path, { first: now, last: now, whole });
    else this.#collapse(now);
  }

  /**
   * Remembers a path whose writer reports that it has finished, so that no delay is needed. A
   * change that the watcher reported keeps its own time.
   */
  noteSettled(path: LocalPath, whole: boolean, now: number): void {
    const known = this.#changes.get(path);
    if (known !== undefined && (known.whole || !whole)) return;
    this.#since ??= now;
    const at = now - this.#timing.settleMs;
    this.#changes.set(path, { first: at, last: at, whole });
  }

  #collapse(now: number): void {
    let first = now;
    for (const change of this.#changes.values()) first = Math.min(first, change.first);
    this.#changes.clear();
    this.#collapsed = true;
    this.#changes.set("", { first, last: now, whole: true });
  }

  /** Returns the time of the next scan; null when no path is dirty. */
  dueAt(): number | null {
    if (this.#since === null || this.#changes.size === 0) return null;
    let all = 0;
    for (const change of this.#changes.values()) all = Math.max(all, this.#settledAt(change));
    const isBulk = this.#changes.size > BULK_PATHS || this.#changes.has("");
    // The scan is due when no path has changed for long enough, or when the longest wait is over.
    return Math.min(all, this.#since + (isBulk ? this.#timing.bulkMostMs : this.#timing.settleMostMs));
  }

  /** Returns the paths that must not be planned yet, with everything below them, and the reason. */
  unsettled(now: number): ReadonlyMap<LocalPath, Unread> {
    const waiting = new Map<LocalPath, Unread>();
    for (const [path, change] of this.#changes) if (this.#settledAt(change) > now) waiting.set(path, STILL_WRITTEN);
    return waiting;
  }

  /**
   * Returns true if a document may be planned alone. Its file has been unchanged for long enough,
   * and no folder above it is being created or removed. Other changes in its folder do not matter;
   * writes by mdmirror cause such changes too.
   */
  isSettled(path: LocalPath, now: number): boolean {
    return (this.settlesAt(path) ?? now) <= now;
  }

  /** Returns true if a bulk change is in progress. No document is planned until it is over. */
  isBulkUnderWay(now: number): boolean {
    for (const change of this.#changes.values()) if (change.whole && this.#settledAt(change) > now) return true;
    return false;
  }

  /**
   * Removes and returns the paths that have been unchanged for long enough. `many`: true if so many
   * changes came together that the system may have dropped events.
   */
  take(now: number): { readonly paths: readonly LocalPath[]; readonly whole: boolean; readonly many: boolean } {
    const paths: LocalPath[] = [];
    let whole = false;
    for (const [path, change] of this.#changes) {
      if (this.#settledAt(change) > now) continue;
      paths.push(path);
      whole ||= change.whole;
      this.#changes.delete(path);
    }
    this.#since = this.#changes.size === 0 ? null : now;
    const many = this.#collapsed || paths.length >= MANY_PATHS;
    this.#collapsed = false;
    return { paths, whole, many };
  }

  /** Returns the time at which a path will have been unchanged for long enough; null if it has no
   * changes. */
  settlesAt(path: LocalPath): number | null {
    let latest: number | null = null;
    for (const [at, change] of this.#changes)
      if (at === path || (change.whole && isWithin(path, at))) latest = Math.max(latest ?? 0, this.#settledAt(change));
    return latest;
  }

  count(): number {
    return this.#changes.size;
  }

  paths(limit: number): LocalPath[] {
    return [...this.#changes.keys()].slice(0, limit);
  }

  #settledAt({ first, last }: PathChange): number {
    return Math.min(last + this.#timing.settleMs, first + this.#timing.settleMostMs);
  }
}
