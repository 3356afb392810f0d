import type { Clock } from "../common/clock.ts";
import type { Jobs } from "./jobs.ts";

/** LIMIT: milliseconds that a page waits for a search. */
const WAIT_MS = 1_000;

/**
 * Searches of pages. The first search of a folder reads all documents, which takes longer than a
 * page waits. The search then continues, and a later request finds the index up to date.
 */
export class Searches {
  readonly #clock: Clock;
  readonly #jobs: Jobs;
  /** Ends of the running searches, by root path of the folder. */
  readonly #running = new Map<string, Promise<void>>();

  constructor({ clock, jobs }: { readonly clock: Clock; readonly jobs: Jobs }) {
    this.#clock = clock;
    this.#jobs = jobs;
  }

  /** Returns the result of a search; null if this search, or one before it, takes too long. */
  async answer<T>(root: string, search: () => Promise<T>): Promise<T | null> {
    const answered = new AbortController();
    const late = this.#clock.sleep(WAIT_MS, answered.signal).then(() => null);
    try {
      const before = this.#running.get(root);
      if (before !== undefined && (await Promise.race([before, late])) === null) return null;
      const found = search();
      this.#keep(root, found);
      return await Promise.race([found, late]);
    } finally {
      answered.abort();
    }
  }

  #keep(root: string, found: Promise<unknown>): void {
    const ended = found.then(
      () => undefined,
      () => undefined,
    );
    this.#running.set(root, ended);
    this.#jobs.track(
      ended.then(() => {
        if (this.#running.get(root) === ended) this.#running.delete(root);
      }),
    );
  }
}
