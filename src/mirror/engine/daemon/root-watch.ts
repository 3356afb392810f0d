import { checkRoot } from "../run/guard-facts.ts";
import type { World } from "../run/world.ts";
import type { FolderWatch } from "./folder-watch.ts";
import type { Runs } from "./runs.ts";

/**
 * Checks if the linked folder is still the same folder: its disk may be unmounted and mounted
 * again. While the folder is away no absence counts. When it is back, it is watched again, and the
 * delay of each deletion starts again.
 */
export class RootWatch {
  readonly #world: World;
  readonly #runs: Runs;
  readonly #watch: FolderWatch;
  #away = false;
  #rewatch = false;

  constructor(world: World, runs: Runs, watch: FolderWatch) {
    this.#world = world;
    this.#runs = runs;
    this.#watch = watch;
  }

  /** Returns whether the folder was away at the last check. */
  isAway(): boolean {
    return this.#away;
  }

  /** @returns `back`: the folder was away at the last check */
  look(): "there" | "away" | "back" {
    const { root } = checkRoot(this.#world);
    const away = root !== "same" && root !== "moved-or-copied";
    if (away === this.#away) return away ? "away" : "there";
    this.#away = away;
    // A watch belongs to the inode of a folder, not to its path.
    this.#rewatch = true;
    this.#runs.deletions.restart(this.#world.clock.monotonic());
    return away ? "away" : "back";
  }

  /** Watches the scanned folder if no watcher runs. */
  async watch(): Promise<void> {
    const tree = this.#runs.knownTrees.lastLocal();
    if (this.#away || tree === null || tree.unseen.has("")) return;
    if (this.#rewatch) {
      this.#rewatch = false;
      await this.#watch.close();
    }
    // Changes between the scan and the start of the watcher caused no event.
    if (await this.#watch.ensure(tree)) this.#runs.dirty.note("", true, this.#world.clock.monotonic());
  }
}
