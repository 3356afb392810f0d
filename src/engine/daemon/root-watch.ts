import { checkRoot } from "../run/guard-facts.ts";
import type { World } from "../run/world.ts";
import type { Watching } from "./watching.ts";
import type { Work } from "./work.ts";

/**
 * Whether the folder is the one that it was: its disk may be unmounted, and mounted again. While it
 * is away no absence means anything; when it is back it is watched anew, and every grace begins
 * anew.
 */
export class RootWatch {
  readonly #world: World;
  readonly #work: Work;
  readonly #watching: Watching;
  #away = false;
  #rewatch = false;

  constructor(world: World, work: Work, watching: Watching) {
    this.#world = world;
    this.#work = work;
    this.#watching = watching;
  }

  /** As of the last look. */
  isAway(): boolean {
    return this.#away;
  }

  /** @returns whether it is there */
  look(): boolean {
    const { root } = checkRoot(this.#world);
    const away = root !== "same" && root !== "moved-or-copied";
    if (away === this.#away) return !away;
    this.#away = away;
    // Watches are on the inodes of a folder, not on its path.
    this.#rewatch = true;
    this.#work.knownTrees.forgetLocal();
    this.#work.graces.restart(this.#world.clock.monotonic());
    return !away;
  }

  /** Watches what was walked, if nothing is watched yet. */
  async watch(): Promise<void> {
    const tree = this.#work.knownTrees.local();
    if (this.#away || tree === null || tree.unseen.has("")) return;
    if (this.#rewatch) {
      this.#rewatch = false;
      await this.#watching.close();
    }
    // What changed between the walk and the first watch had no hint.
    if (await this.#watching.ensure(tree)) this.#work.dirty.note("", true, this.#world.clock.monotonic());
  }
}
