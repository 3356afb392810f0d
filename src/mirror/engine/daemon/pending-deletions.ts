import type { LocalPath } from "../../../contract/path.ts";
import type { DaemonTiming } from "./timing.ts";

type PendingDeletion = {
  readonly first: number;
  since: number;
  /** True if the file will be restored instead: its document is in conflict. */
  readonly inConflict: boolean;
  /** True if listeners were informed. */
  isAnnounced: boolean;
};

type ListedDeletion = { readonly path: LocalPath; readonly dueAt: number; readonly inConflict: boolean };

/**
 * Delays local deletions before they are sent. So a program that deletes and creates a file, or a
 * user who undoes a deletion, causes no request. While deletions keep arriving, each delay starts
 * again. So an `rm -rf` becomes one plan, and the safety check sees the deletion as a whole. Times
 * are monotonic.
 */
export class PendingDeletions {
  readonly #timing: DaemonTiming;
  readonly #pending = new Map<LocalPath, PendingDeletion>();
  /** Paths of announced deletions that were cancelled, and not announced as cancelled yet. */
  readonly #cancelled = new Set<LocalPath>();

  constructor(timing: DaemonTiming) {
    this.#timing = timing;
  }

  /**
   * Takes the result of a cycle. New deletions start their delay, and the delay of all others
   * again. Deletions that were sent, or whose file came back, are removed.
   * @param absent recorded paths whose files are absent, and whose deletion waits; true if the
   * document is in conflict
   * @param sent paths whose deletion the cycle was allowed to send
   * @param isUnjudged returns true for a path that the cycle did not observe; its delay starts
   * again
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
    const begun = [...absent].filter(([path]) => !this.#pending.has(path));
    if (begun.length > 0) for (const wait of this.#pending.values()) wait.since = now;
    for (const [path, inConflict] of begun)
      this.#pending.set(path, { first: now, since: now, inConflict, isAnnounced: this.#cancelled.delete(path) });
  }

  /**
   * Returns the deletions to announce, which count as announced from now on.
   * @param again true: also those that were announced before
   */
  takeChanges(again: boolean): {
    readonly begun: readonly ListedDeletion[];
    readonly cancelled: readonly LocalPath[];
  } {
    const begun = this.list().filter(({ path }) => again || !this.#pending.get(path)!.isAnnounced);
    for (const { path } of begun) this.#pending.get(path)!.isAnnounced = true;
    const cancelled = [...this.#cancelled];
    this.#cancelled.clear();
    return { begun, cancelled };
  }

  /**
   * Returns the deletions whose delay is over. They are sent if the next scan still finds the file
   * absent.
   */
  due(now: number): ReadonlySet<LocalPath> {
    return new Set([...this.#pending].flatMap(([path, wait]) => (this.#dueAt(wait) <= now ? [path] : [])));
  }

  /** Returns the due time of the first delayed deletion; null when no deletion is delayed. */
  nextAt(): number | null {
    let next: number | null = null;
    for (const wait of this.#pending.values()) next = Math.min(next ?? Number.POSITIVE_INFINITY, this.#dueAt(wait));
    return next;
  }

  /** Makes a deletion due no later than `latest`, because a caller waits for its result. */
  hasten(path: LocalPath, latest: number): void {
    const wait = this.#pending.get(path);
    if (wait !== undefined && this.#dueAt(wait) > latest) wait.since = latest - this.#timing.deleteGraceMs;
  }

  /**
   * Starts each delay again, because nobody observed the folder (the machine slept, or the folder
   * was away).
   */
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
   * Returns when a deletion is due. LIMIT: `deleteGraceMostMs`, for all delays of a deletion
   * together. Without the limit, an endless series of deletions would never be sent.
   */
  #dueAt({ since, first }: PendingDeletion): number {
    return Math.min(since + this.#timing.deleteGraceMs, first + this.#timing.deleteGraceMostMs);
  }
}
