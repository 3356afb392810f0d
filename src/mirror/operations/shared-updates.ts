import type { Clock } from "../../common/clock.ts";
import type { Updating } from "./search.ts";

/**
 * Searches that follow each other, as somebody types: the folder is walked once for all of them,
 * and again when the walk is no longer fresh.
 */

/** How old a walk may be, in ms: what was saved since is found a moment later. */
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

  /** A walk that failed is nobody else's. */
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
