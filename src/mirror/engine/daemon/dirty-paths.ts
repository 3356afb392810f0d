import { isWithin, type LocalPath } from "../../../contract/path.ts";
import { STILL_WRITTEN, type Unread } from "../../model/seen.ts";
import type { DaemonTiming } from "./timing.ts";

/** LIMIT: paths that are noted one by one; beyond that the whole folder is looked at. */
const MAX_PATHS = 2_000;
const MANY = 500;
/**
 * From this many dirty paths on it is a bulk change (checkout, unzip, copy), which gets more time,
 * so that one plan sees all of it.
 */
const BULK = 20;

type Change = { readonly first: number; last: number; whole: boolean };

/**
 * The paths that changed, and when each has settled. An editor may make and rename several files
 * for one save, which is to be one edit. Times are monotonic.
 */
export class DirtyPaths {
  readonly #timing: DaemonTiming;
  readonly #changes = new Map<LocalPath, Change>();
  /** When the oldest change that still waits was noted; null: none waits. */
  #since: number | null = null;
  #collapsed = false;

  constructor(timing: DaemonTiming) {
    this.#timing = timing;
  }

  /**
   * @param whole whether all below the path must be walked: a folder came or went, or notices were
   * lost
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
   * Notes a path that somebody says is settled: it is looked at at once. A change that the watcher
   * has told of keeps its own time.
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

  /** When a look is due; null when nothing is dirty. */
  dueAt(): number | null {
    if (this.#since === null || this.#changes.size === 0) return null;
    let all = 0;
    for (const change of this.#changes.values()) all = Math.max(all, this.#settledAt(change));
    const isBulk = this.#changes.size > BULK || this.#changes.has("");
    // When everything has settled, but not later than the longest wait allows.
    return Math.min(all, this.#since + (isBulk ? this.#timing.bulkMostMs : this.#timing.settleMostMs));
  }

  /** Paths that are not judged yet, with all below them, and why not. */
  unsettled(now: number): ReadonlyMap<LocalPath, Unread> {
    const waiting = new Map<LocalPath, Unread>();
    for (const [path, change] of this.#changes) if (this.#settledAt(change) > now) waiting.set(path, STILL_WRITTEN);
    return waiting;
  }

  /**
   * Whether a document may be judged by itself: it has settled, and no folder above it comes or
   * goes. That something in its folder changed does not matter: what we write there ourselves does
   * that.
   */
  isSettled(path: LocalPath, now: number): boolean {
    for (const [at, change] of this.#changes)
      if (this.#settledAt(change) > now && (at === path || (change.whole && isWithin(path, at)))) return false;
    return true;
  }

  /** Whether a bulk change is under way: nothing should be judged before it has settled. */
  isBulkUnderWay(now: number): boolean {
    for (const change of this.#changes.values()) if (change.whole && this.#settledAt(change) > now) return true;
    return false;
  }

  /**
   * Takes out what has settled. `many`: so many changes at once that the system may have dropped
   * notices of others.
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
    const many = this.#collapsed || paths.length >= MANY;
    this.#collapsed = false;
    return { paths, whole, many };
  }

  /** When the changes that a path waits for have settled; null: it waits for none. */
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

  #settledAt({ first, last }: Change): number {
    return Math.min(last + this.#timing.settleMs, first + this.#timing.settleMostMs);
  }
}
