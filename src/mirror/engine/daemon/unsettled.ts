/** Finds files that programs may still be changing, so that no plan depends on them yet. */
import { once } from "../../../common/once.ts";
import { EMPTY_DIGEST } from "../../../contract/digest.ts";
import { ancestorsOf, isWithin, type LocalPath } from "../../../contract/path.ts";
import {
  type BaseTree,
  type LocalFile,
  type LocalTree,
  STILL_WRITTEN_REASON,
  type UnreadReason,
} from "../../model/tree.ts";
import { toInodeKey } from "../../planner/match/evidence.ts";
import type { DaemonTiming } from "./interface.ts";

/**
 * LIMIT: number of paths that are remembered singly, because one scan of the folder is faster than
 * many single scans.
 */
const MAX_PATHS = 2_000;
/** Number of changed paths at the same time that makes dropped events likely. */
const MIN_MANY_PATHS = 500;
/**
 * Number of changed paths above which the changes are a bulk change (a checkout, a copied folder).
 * A bulk change has a longer delay, so that all of it becomes one plan.
 */
const BULK_PATHS = 20;

type PathChange = { readonly first: number; last: number; whole: boolean };

/**
 * Keeps the changed paths, and the time at which each path will have been unchanged for long
 * enough. Until then, an editor may still create and rename files for one save, and these changes
 * must become one edit. Times are monotonic.
 */
export class DirtyPaths {
  readonly #timing: DaemonTiming;
  readonly #changes = new Map<LocalPath, PathChange>();
  /**
   * Time of the first change since the last call of `take`, or of the call itself if it left
   * changes. Null without changes.
   */
  #since: number | null = null;
  #collapsed = false;

  constructor(timing: DaemonTiming) {
    this.#timing = timing;
  }

  /**
   * @param whole true to scan everything below the path, because a folder changed or events were
   * lost
   */
  note(path: LocalPath, whole: boolean, now: number): void {
    this.#since ??= now;
    const knownChange = this.#changes.get(path);
    if (knownChange !== undefined) {
      knownChange.last = now;
      knownChange.whole ||= whole;
    } else if (this.#changes.size < MAX_PATHS) this.#changes.set(path, { first: now, last: now, whole });
    else this.#collapse(now);
  }

  /**
   * Records a path whose writer has finished. If the watcher reported a change of the path before,
   * the delay of that change stays.
   */
  noteSettled(path: LocalPath, whole: boolean, now: number): void {
    const knownChange = this.#changes.get(path);
    if (knownChange !== undefined && (knownChange.whole || !whole)) return;
    this.#since ??= now;
    const changedAt = now - this.#timing.settleMs;
    this.#changes.set(path, { first: changedAt, last: changedAt, whole });
  }

  #collapse(now: number): void {
    let firstChangeAt = now;
    for (const change of this.#changes.values()) firstChangeAt = Math.min(firstChangeAt, change.first);
    this.#changes.clear();
    this.#collapsed = true;
    this.#changes.set("", { first: firstChangeAt, last: now, whole: true });
  }

  /** Returns the time of the next scan; null if no path has changed. */
  dueAt(): number | null {
    if (this.#since === null || this.#changes.size === 0) return null;
    let latestSettledAt = 0;
    for (const change of this.#changes.values()) latestSettledAt = Math.max(latestSettledAt, this.#settledAt(change));
    const isBulk = this.#changes.size > BULK_PATHS || this.#changes.has("");
    // The scan is due when all paths have been unchanged for long enough, at the latest after the
    // longest delay.
    return Math.min(latestSettledAt, this.#since + (isBulk ? this.#timing.bulkMostMs : this.#timing.settleMostMs));
  }

  /** Returns the paths that must not be planned yet. Each path stands for everything below it. */
  unsettled(now: number): ReadonlyMap<LocalPath, UnreadReason> {
    const unsettledPaths = new Map<LocalPath, UnreadReason>();
    for (const [path, change] of this.#changes)
      if (this.#settledAt(change) > now) unsettledPaths.set(path, STILL_WRITTEN_REASON);
    return unsettledPaths;
  }

  /**
   * Returns true if a document may be planned while other paths are still changing. The document's
   * file must have been unchanged for long enough, and no folder above the file may be changing.
   * Changes of other files do not matter, because they may be mdmirror's own writes.
   */
  isSettled(path: LocalPath, now: number): boolean {
    return (this.settlesAt(path) ?? now) <= now;
  }

  /** Returns true while a whole folder is still changing. Other work waits meanwhile. */
  isBulkUnderWay(now: number): boolean {
    for (const change of this.#changes.values()) if (change.whole && this.#settledAt(change) > now) return true;
    return false;
  }

  /**
   * Removes and returns the paths that have been unchanged for long enough.
   * - `whole`: true if everything below a path must be scanned.
   * - `many`: true after so many changes at the same time that the system may have dropped events.
   */
  take(now: number): { readonly paths: readonly LocalPath[]; readonly whole: boolean; readonly many: boolean } {
    const settledPaths: LocalPath[] = [];
    let needsWholeScan = false;
    for (const [path, change] of this.#changes) {
      if (this.#settledAt(change) > now) continue;
      settledPaths.push(path);
      needsWholeScan ||= change.whole;
      this.#changes.delete(path);
    }
    this.#since = this.#changes.size === 0 ? null : now;
    const hasManyChanges = this.#collapsed || settledPaths.length >= MIN_MANY_PATHS;
    this.#collapsed = false;
    return { paths: settledPaths, whole: needsWholeScan, many: hasManyChanges };
  }

  /**
   * Returns the time at which a path will have been unchanged for long enough. Returns null if
   * neither the path nor a folder above it is changing.
   */
  settlesAt(path: LocalPath): number | null {
    let latestSettledAt: number | null = null;
    for (const [dirty, change] of this.#changes)
      if (dirty === path || (change.whole && isWithin(path, dirty)))
        latestSettledAt = Math.max(latestSettledAt ?? 0, this.#settledAt(change));
    return latestSettledAt;
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

/**
 * Remembers since when each value has been unchanged, and finds values that were unchanged for a
 * period. A value is content that waits for review, or a document that became empty. Times are
 * monotonic.
 */
export class UnchangedValues<Key, Value> {
  readonly #periodMs: number;
  readonly #since = new Map<Key, { readonly value: Value; readonly since: number }>();

  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  /** Replaces all values. The period of a new or changed value starts now. */
  update(now: number, values: ReadonlyMap<Key, Value>): void {
    for (const key of this.#since.keys()) if (!values.has(key)) this.#since.delete(key);
    for (const [key, value] of values)
      if (this.#since.get(key)?.value !== value) this.#since.set(key, { value, since: now });
  }

  /**
   * Ends the period of a value now, because a caller waits for the value.
   * @returns true if the period was not over before the call
   */
  end(key: Key, now: number): boolean {
    const knownValue = this.#since.get(key);
    if (knownValue === undefined || knownValue.since + this.#periodMs <= now) return false;
    // An infinitely early start ends the period for certain. Rounding could let a start computed
    // from `now` end the period slightly after `now`.
    this.#since.set(key, { ...knownValue, since: Number.NEGATIVE_INFINITY });
    return true;
  }

  settled(now: number): ReadonlyMap<Key, Value> {
    const values = new Map<Key, Value>();
    for (const [key, { value, since }] of this.#since) if (since + this.#periodMs <= now) values.set(key, value);
    return values;
  }

  /** Returns the end of the next period that is not over; null if all are over. */
  nextAt(now: number): number | null {
    let nextEnd: number | null = null;
    for (const { since } of this.#since.values())
      if (since + this.#periodMs > now) nextEnd = Math.min(nextEnd ?? Number.POSITIVE_INFINITY, since + this.#periodMs);
    return nextEnd;
  }
}

/**
 * Marks paths of a local tree as unread, so that no plan depends on the files at these paths.
 * During a bulk change, the path "" (the linked folder) is marked. Files in the tree are then still
 * planned, but no file counts as absent.
 */
export function hidePaths(tree: LocalTree, waiting: ReadonlyMap<LocalPath, UnreadReason>): LocalTree {
  if (waiting.size === 0) return tree;
  const files = new Map<LocalPath, LocalFile>();
  for (const [path, file] of tree.files) if (!isHidden(path, waiting)) files.set(path, file);
  return { ...tree, files, unseen: new Map([...waiting, ...tree.unseen]) };
}

export function isHidden(path: LocalPath, waiting: ReadonlyMap<LocalPath, unknown>): boolean {
  return waiting.has(path) || ancestorsOf(path).some((folder) => waiting.has(folder));
}

/**
 * Returns the recorded documents that had content and whose file is empty now. A program may have
 * emptied the file, and crashed before it wrote the new content. Leaves out a moved file whose
 * document was already empty.
 */
export function findEmptiedFiles(tree: LocalTree, base: BaseTree): ReadonlyMap<LocalPath, UnreadReason> {
  const emptyPaths = new Set<LocalPath>();
  for (const file of tree.files.values()) if (file.empty) emptyPaths.add(file.path);
  const emptiedFiles = new Map<LocalPath, UnreadReason>();
  if (emptyPaths.size === 0) return emptiedFiles;
  const inodes = once(() => findEmptyInodes(tree, base));
  for (const record of base.records.values()) {
    const file = emptyPaths.has(record.localPath) ? tree.files.get(record.localPath) : undefined;
    if (file === undefined || file.digest === record.localDigest || inodes().has(toInodeKey(file.stamp))) continue;
    emptiedFiles.set(file.path, STILL_WRITTEN_REASON);
  }
  return emptiedFiles;
}

/** Returns the inodes of empty files; none if inodes are not reliable on this disk. */
function findEmptyInodes({ inodesTrusted }: LocalTree, { records }: BaseTree): ReadonlySet<string> {
  const inodes = new Set<string>();
  if (!inodesTrusted) return inodes;
  for (const { stamp, localDigest } of records.values())
    if (localDigest === EMPTY_DIGEST && stamp !== null) inodes.add(toInodeKey(stamp));
  return inodes;
}

type PendingDeletion = {
  readonly first: number;
  since: number;
  /**
   * True if the document is in conflict. mdmirror will then restore the file, and not delete the
   * document.
   */
  inConflict: boolean;
  isAnnounced: boolean;
};

type ListedDeletion = { readonly path: LocalPath; readonly dueAt: number; readonly inConflict: boolean };

/**
 * Delays local deletions before mdmirror sends them. If a program deletes a file and creates it
 * again, or if a user undoes a deletion, nothing is sent. Each new deletion restarts all delays. A
 * recursive deletion thus becomes one plan, and the safety check sees all of it. Times are
 * monotonic.
 */
export class PendingDeletions {
  readonly #timing: DaemonTiming;
  readonly #pending = new Map<LocalPath, PendingDeletion>();
  /**
   * Deletions that were published as pending, but whose file came back since. Not published yet.
   */
  readonly #cancelled = new Set<LocalPath>();

  constructor(timing: DaemonTiming) {
    this.#timing = timing;
  }

  /**
   * Handles the result of a cycle. A new deletion starts its delay, and restarts all other delays.
   * A deletion is removed if mdmirror sent it, or if its file came back.
   * @param absent recorded paths without a file, whose deletions wait; the value is true if the
   * document is in conflict
   * @param sent paths whose deletion the cycle was allowed to send
   * @param isUnjudged returns true for a path that the cycle could not scan; the delay of its
   * deletion starts again
   */
  update(
    absent: ReadonlyMap<LocalPath, boolean>,
    sent: ReadonlySet<LocalPath>,
    now: number,
    isUnjudged: (path: LocalPath) => boolean,
  ): void {
    for (const [path, wait] of this.#pending) {
      const inConflict = absent.get(path);
      if (inConflict !== undefined) {
        wait.inConflict = inConflict;
        continue;
      }
      wait.since = now;
      if (isUnjudged(path)) continue;
      this.#pending.delete(path);
      if (wait.isAnnounced && !sent.has(path)) this.#cancelled.add(path);
    }
    const newDeletions = [...absent].filter(([path]) => !this.#pending.has(path));
    if (newDeletions.length > 0) for (const deletion of this.#pending.values()) deletion.since = now;
    for (const [path, inConflict] of newDeletions)
      this.#pending.set(path, { first: now, since: now, inConflict, isAnnounced: this.#cancelled.delete(path) });
  }

  /**
   * Returns the deletions to publish, and marks these deletions as published.
   * @param again true to include deletions that were published before
   */
  takeChanges(again: boolean): {
    readonly begun: readonly ListedDeletion[];
    readonly cancelled: readonly LocalPath[];
  } {
    const newDeletions = this.list().filter(({ path }) => again || !this.#pending.get(path)!.isAnnounced);
    for (const { path } of newDeletions) this.#pending.get(path)!.isAnnounced = true;
    const cancelledPaths = [...this.#cancelled];
    this.#cancelled.clear();
    return { begun: newDeletions, cancelled: cancelledPaths };
  }

  /**
   * Returns the paths of the deletions that are no longer delayed. mdmirror sends such a deletion
   * if the next scan finds no file.
   */
  due(now: number): ReadonlySet<LocalPath> {
    return new Set([...this.#pending].flatMap(([path, wait]) => (this.#dueAt(wait) <= now ? [path] : [])));
  }

  /** Returns the time at which the next deletion is due; null without delayed deletions. */
  nextAt(): number | null {
    let nextDueAt: number | null = null;
    for (const deletion of this.#pending.values())
      nextDueAt = Math.min(nextDueAt ?? Number.POSITIVE_INFINITY, this.#dueAt(deletion));
    return nextDueAt;
  }

  /** Makes a deletion due at `latest` or earlier, because a caller waits for the deletion. */
  hasten(path: LocalPath, latest: number): void {
    const deletion = this.#pending.get(path);
    if (deletion !== undefined && this.#dueAt(deletion) > latest) deletion.since = latest - this.#timing.deleteGraceMs;
  }

  /** Starts all delays again, because the folder was not watched or not scanned for some time. */
  restart(now: number): void {
    for (const [path, wait] of this.#pending) this.#pending.set(path, { ...wait, first: now, since: now });
  }

  list(): readonly ListedDeletion[] {
    return [...this.#pending].map(([path, wait]) => ({
      path,
      dueAt: this.#dueAt(wait),
      inConflict: wait.inConflict,
    }));
  }

  /**
   * Returns the time at which a deletion is due.
   * LIMIT: at most `deleteGraceMostMs` after the first scan without the file. Otherwise new
   * deletions could delay an earlier deletion forever.
   */
  #dueAt({ since, first }: PendingDeletion): number {
    return Math.min(since + this.#timing.deleteGraceMs, first + this.#timing.deleteGraceMostMs);
  }
}
