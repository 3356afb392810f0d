import { isConflictCopyName, type LocalPath, nameOf } from "../../../contract/path.ts";
import { isRuleFile } from "../../model/mirror-folder.ts";
import { checkRoot } from "../run/guard-facts.ts";
import type { World } from "../run/world.ts";
import type { LocalTree } from "../../model/tree.ts";
import type { Watcher, WatchHint } from "../../ports/disk.ts";
import type { DaemonStatus } from "./daemon-types.ts";

export interface WatchListener {
  /**
   * Called when something at the path may have changed.
   * @param whole true if everything below the path must be scanned
   */
  onHint(path: LocalPath, whole: boolean): void;
  /** Called when the system allows no more watches; at most once. */
  onLimit(limit: { readonly code: string; readonly why: string }): void;
}

/**
 * Runs the watcher of the linked folder. Restarts the watcher after the ignore rules changed, or
 * after the folder was missing. If the system allows no more watches, the daemon polls the folder
 * instead. Also checks that the linked folder is still at its path, because its disk may be
 * unmounted.
 */
export class FolderWatch {
  readonly #world: World;
  readonly #watcher: Watcher;
  readonly #listener: WatchListener;
  #state: DaemonStatus["watching"] = "starting";
  #limit: DaemonStatus["limit"] = null;
  #rulesChanged = false;
  #isAway = false;
  /**
   * True if the watcher must restart because the folder was missing: a watch belongs to an inode.
   */
  #isOutdated = false;
  readonly #lastLocal: () => LocalTree | null;

  /** @param lastLocal returns the ignore rules of the last scan; null before the first scan */
  constructor(world: World, watcher: Watcher, listener: WatchListener, lastLocal: () => LocalTree | null) {
    this.#world = world;
    this.#watcher = watcher;
    this.#listener = listener;
    this.#lastLocal = lastLocal;
  }

  state(): DaemonStatus["watching"] {
    return this.#state;
  }

  limit(): DaemonStatus["limit"] {
    return this.#limit;
  }

  isAway(): boolean {
    return this.#isAway;
  }

  /**
   * Checks whether the linked folder is at its path.
   * @returns `lost` or `back` if the result has changed since the last check; otherwise `away` or
   * `there`
   */
  checkFolder(): "there" | "away" | "lost" | "back" {
    const { root } = checkRoot(this.#world);
    const isAway = root !== "same" && root !== "moved-or-copied";
    if (isAway === this.#isAway) return isAway ? "away" : "there";
    this.#isAway = isAway;
    this.#isOutdated = true;
    return isAway ? "lost" : "back";
  }

  /** Starts the watcher, unless the folder is missing or the system allows no more watches. */
  async ensure(): Promise<void> {
    if (this.#isAway) return;
    if (this.#isOutdated) await this.close();
    this.#isOutdated = false;
    if (this.#state === "polling" || (this.#state === "events" && !this.#rulesChanged)) return;
    this.#rulesChanged = false;
    await this.#watcher.start(
      (path, kind) => this.#isIgnored(path, kind),
      (hint) => this.#take(hint),
    );
    if (this.#limit === null) this.#state = "events";
    // Changes between the last scan and the start of the watcher caused no event.
    this.#listener.onHint("", true);
  }

  async close(): Promise<void> {
    if (this.#state === "events") this.#state = "starting";
    await this.#watcher.close();
  }

  #take(hint: WatchHint): void {
    if (hint.kind === "path") this.#takePath(hint.path);
    else if (hint.kind === "overflow") this.#listener.onHint("", true);
    else if (hint.kind === "limit") this.#takeLimit(hint);
    else if (!this.#isIgnored(hint.path, "folder")) this.#listener.onHint(hint.path, true);
  }

  #takePath(path: LocalPath): void {
    if (isRuleFile(nameOf(path))) {
      this.#rulesChanged = true;
      this.#listener.onHint("", true);
    } else if (!this.#isIrrelevant(path)) this.#listener.onHint(path, false);
  }

  #takeLimit({ code, why }: Extract<WatchHint, { kind: "limit" }>): void {
    if (this.#limit !== null) return;
    this.#state = "polling";
    this.#limit = { code, why };
    this.#listener.onLimit(this.#limit);
    this.#listener.onHint("", true);
  }

  /**
   * Returns true if a change at a path does not concern the daemon. A change of a conflict copy
   * always concerns it, although the ignore rules exclude the copy: removing a copy ends the
   * conflict.
   */
  #isIrrelevant(path: LocalPath): boolean {
    if (path === ".mdmirror" || path.startsWith(".mdmirror/")) return true;
    return this.#isIgnored(path, "file") && !isConflictCopyName(nameOf(path));
  }

  #isIgnored(path: LocalPath, kind: "file" | "folder"): boolean {
    return this.#lastLocal()?.ignores(path, kind) ?? false;
  }
}
