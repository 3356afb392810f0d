import type { LocalPath } from "../../../contract/path.ts";
import type { DaemonTiming } from "./timing.ts";

type PendingDeletion = {
  readonly first: number;
  since: number;
  /** True if the document is in conflict, so that its file will be restored instead. */
  readonly inConflict: boolean;
  isAnnounced: boolean;
};

type ListedDeletion = { readonly path: LocalPath; readonly dueAt: number; readonly inConflict: boolean };

/**
 * Delays local deletions before they are sent. If a program deletes a file and creates it again, or
 * if a user undoes a deletion, nothing is sent. Each new deletion restarts all delays. A recursive
 * deletion thus becomes one plan, and the safety check sees all of it. Times are monotonic.
 */
export class PendingDeletions {
  readonly #timing: DaemonTiming;
  readonly #pending = new Map<LocalPath, PendingDeletion>();
  /**
   * Deletions that were published as pending, but whose file came back. Listeners do not know yet
   * that these deletions were called off.
   */
  readonly #cancelled = new Set<LocalPath>();

  constructor(timing: DaemonTiming) {
    this.#timing = timing;
  }

  /**
   * Handles the result of a cycle. A new deletion starts its delay, and restarts all other delays.
   * A deletion is removed if it was sent, or if its file came back.
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
      if (absent.has(path)) continue;
      wait.since = now;
      if (isUnjudged(path)) continue;
      this.#pending.delete(path);
      if (wait.isAnnounced && !sent.has(path)) this.#cancelled.add(path);
    }
    const newDeletions = [...absent].filter(([path]) => !this.#pending.has(path));
    if (newDeletions.length > 0) for (const wait of this.#pending.values()) wait.since = now;
    for (const [path, inConflict] of newDeletions)
      this.#pending.set(path, { first: now, since: now, inConflict, isAnnounced: this.#cancelled.delete(path) });
  }

  /**
   * Returns the deletions to publish, and marks them as published.
   * @param again true to also return deletions that were already published
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
   * Returns the deletions whose delay is over. They are sent if the next scan still finds no file.
   */
  due(now: number): ReadonlySet<LocalPath> {
    return new Set([...this.#pending].flatMap(([path, wait]) => (this.#dueAt(wait) <= now ? [path] : [])));
  }

  /** Returns the time when the next deletion is due; null if no deletion is delayed. */
  nextAt(): number | null {
    let nextDueAt: number | null = null;
    for (const wait of this.#pending.values())
      nextDueAt = Math.min(nextDueAt ?? Number.POSITIVE_INFINITY, this.#dueAt(wait));
    return nextDueAt;
  }

  /** Makes a deletion due at `latest` or earlier, because a caller waits for it. */
  hasten(path: LocalPath, latest: number): void {
    const wait = this.#pending.get(path);
    if (wait !== undefined && this.#dueAt(wait) > latest) wait.since = latest - this.#timing.deleteGraceMs;
  }

  /** Starts all delays again, because the folder was not watched, or could not be scanned. */
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

  /** LIMIT: longest delay (`deleteGraceMostMs`). Otherwise new deletions could delay it forever. */
  #dueAt({ since, first }: PendingDeletion): number {
    return Math.min(since + this.#timing.deleteGraceMs, first + this.#timing.deleteGraceMostMs);
  }
}
