import type { LocalPath } from "../../../contract/path.ts";
import type { DaemonTiming } from "./timing.ts";

type PendingSince = { readonly first: number; since: number };

/**
 * Delays local deletions before they are sent. So a program that deletes and creates a file, or a
 * user who undoes a deletion, causes no request. While deletions keep arriving, each delay starts
 * again. So an `rm -rf` becomes one plan, and the safety check sees the deletion as a whole. Times
 * are monotonic.
 */
export class PendingDeletions {
  readonly #timing: DaemonTiming;
  readonly #pending = new Map<LocalPath, PendingSince>();

  constructor(timing: DaemonTiming) {
    this.#timing = timing;
  }

  /**
   * @param absent linked paths that the plan found absent and did not delete yet
   * @param isUnjudged returns true for a path that the plan could not decide; its delay starts now
   * @returns deletions that are new, and paths that came back or were sent
   */
  update(
    absent: ReadonlySet<LocalPath>,
    now: number,
    isUnjudged?: (path: LocalPath) => boolean,
  ): { readonly begun: LocalPath[]; readonly ended: LocalPath[] } {
    const missing = [...this.#pending.keys()].filter((path) => !absent.has(path));
    const ended = missing.filter((path) => isUnjudged?.(path) !== true);
    for (const path of missing) this.#pending.get(path)!.since = now;
    for (const path of ended) this.#pending.delete(path);
    const begun = [...absent].filter((path) => !this.#pending.has(path));
    if (begun.length > 0) for (const wait of this.#pending.values()) wait.since = now;
    for (const path of begun) this.#pending.set(path, { first: now, since: now });
    return { begun, ended };
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

  /** Makes a deletion due no later than `at`, because a caller waits for its result. */
  hasten(path: LocalPath, at: number): void {
    const wait = this.#pending.get(path);
    if (wait !== undefined && this.#dueAt(wait) > at) wait.since = at - this.#timing.deleteGraceMs;
  }

  /**
   * Starts each delay again, because nobody observed the folder (the machine slept, or the folder
   * was away).
   */
  restart(now: number): void {
    for (const path of this.#pending.keys()) this.#pending.set(path, { first: now, since: now });
  }

  list(): readonly { readonly path: LocalPath; readonly dueAt: number }[] {
    return [...this.#pending].map(([path, wait]) => ({ path, dueAt: this.#dueAt(wait) }));
  }

  /**
   * LIMIT: how often a delay may start again. Without it, an endless series of deletions would
   * never be sent.
   */
  #dueAt({ since, first }: PendingSince): number {
    return Math.min(since + this.#timing.deleteGraceMs, first + this.#timing.deleteGraceMostMs);
  }
}
