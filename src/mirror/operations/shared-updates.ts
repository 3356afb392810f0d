import type { Clock } from "../../common/clock.ts";
import type { Updating } from "./search.ts";

/**
 * Shares one walk of the folder between searches that follow each other quickly, as while a user
 * types.
 */

/** LIMIT: age of a walk in milliseconds. A file saved since is found by a search after that. */
const FRESH_MS = 2_000;

type Shared = { readonly update: ReturnType<Updating>; endedAt: number | null };

export class SharedUpdates {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #byRoot = new Map<string, Shared>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  readonly updating: Updating = (root, update) => {
    const last = this.#byRoot.get(root);
    if (last !== undefined && this.#isFresh(last)) return last.update;
    const shared: Shared = { update: update(), endedAt: null };
    this.#byRoot.set(root, shared);
    return this.#noteEnd(root, shared);
  };

  /** Removes a walk that failed, so that no later search uses its result. */
  async #noteEnd(root: string, shared: Shared): ReturnType<Updating> {
    try {
      return await shared.update;
    } catch (error) {
      this.#byRoot.delete(root);
      throw error;
    } finally {
      shared.endedAt = this.#clock.monotonic();
    }
  }

  #isFresh({ endedAt }: Shared): boolean {
    return endedAt === null || this.#clock.monotonic() - endedAt < FRESH_MS;
  }
}
