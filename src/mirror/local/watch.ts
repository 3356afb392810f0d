import { type ChokidarOptions, type FSWatcher, watch } from "chokidar";
import { isAbsolute, join, relative } from "node:path";
import type { LocalPath } from "../../contract/path.ts";
import type { Watcher, WatchHint } from "../ports/watch.ts";
import { errnoOf } from "./errno.ts";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";

type Ignores = Parameters<Watcher["start"]>[0];

/**
 * True if one watch of the system covers a whole tree. On other systems each folder needs its own
 * watch, and the watches are started in portions.
 */
const WATCHES_TREES = process.platform === "darwin";

/**
 * Creates a watcher that is not started yet.
 * @param root absolute path without symbolic links
 */
export function createWatcher(root: string, start: typeof watch = watch): Watcher {
  if (!isAbsolute(root)) throw new TypeError("the root must be an absolute path");
  let watching: RunningWatcher | null = null;
  const close = async () => {
    const closing = watching;
    watching = null;
    await closing?.close();
  };
  return {
    async start(ignores, onHint) {
      await close();
      watching = new RunningWatcher(root, start, ignores, onHint);
      await watching.begin();
    },
    close,
  };
}

type OnFolder = (path: string, hasAppeared: boolean) => void;

/**
 * Watches a folder by chokidar, from the start until it is closed.
 * - `raw` events are the system's notices. Only folders are watched, because a notice contains the
 *   name of each file that changes in a folder. If chokidar watched files, it would keep the stat
 *   of every file.
 * - `addDir` and `unlinkDir` report folders that appear and disappear. The contents of such a
 *   folder may have changed before it was watched.
 * - Where each folder needs a watch of its own, the folders of the root are watched one after the
 *   other. For all of them together, chokidar would use memory that it never frees.
 */
class RunningWatcher {
  readonly #root: string;
  readonly #watch: typeof watch;
  readonly #ignores: Ignores;
  readonly #onHint: (hint: WatchHint) => void;
  /** The watchers, by the top folder of each. */
  readonly #portions = new Map<string, FSWatcher>();
  /**
   * Resolves when the system allows no more watches. A watcher that is closed after that never
   * becomes ready.
   */
  readonly #limited = Promise.withResolvers<void>();
  #isOver = false;

  constructor(root: string, start: typeof watch, ignores: Ignores, onHint: (hint: WatchHint) => void) {
    this.#root = root;
    this.#watch = start;
    this.#ignores = ignores;
    this.#onHint = onHint;
  }

  /** Resolves when every folder is watched, or it is known that some never will be. */
  begin(): Promise<void> {
    if (WATCHES_TREES) return this.#beginPortion(this.#root, { ignoreInitial: true }, (path) => this.#report(path));
    return this.#beginInPortions();
  }

  async close(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    await Promise.all([...this.#portions.values()].map((portion) => portion.close()));
  }

  async #beginInPortions(): Promise<void> {
    const first: string[] = [];
    let begun = false;
    await this.#beginPortion(this.#root, { depth: 0 }, (path, hasAppeared) => {
      if (begun) this.#onTopFolder(path, hasAppeared);
      else if (path !== this.#root && hasAppeared) first.push(path);
    });
    begun = true;
    for (const folder of first)
      if (!this.#isOver) await this.#beginPortion(folder, { ignoreInitial: true }, (path) => this.#report(path));
  }

  /**
   * Starts or stops a watch. Called when a folder in the root, or the root itself, appeared or was
   * removed after the start.
   */
  #onTopFolder(path: string, hasAppeared: boolean): void {
    if (this.#isOver) return;
    if (path === this.#root || !hasAppeared) this.#report(path);
    if (path === this.#root) return;
    const before = this.#portions.get(path);
    this.#portions.delete(path);
    void before?.close();
    if (!hasAppeared) return;
    // ORDER: a folder is reported once it is watched, because earlier writes in it cause no notice.
    // Folders below are reported as they are found.
    void this.#beginPortion(path, { ignoreInitial: false }, (below) => {
      if (below !== path) this.#report(below);
    }).then(() => this.#report(path));
  }

  /** Resolves when the folder is watched, or it is known that it never will be. */
  #beginPortion(folder: string, options: ChokidarOptions, onFolder: OnFolder): Promise<void> {
    const portion = this.#watch(folder, {
      ...options,
      ignored: (path, stats) => isUnwatched(this.#root, this.#ignores, path, stats),
      followSymlinks: false,
      // Both options would delay or combine notices. The daemon itself decides whether a save is
      // complete.
      atomic: false,
      awaitWriteFinish: false,
    });
    this.#portions.set(folder, portion);
    const ready = new Promise<void>((resolve) => void portion.on("ready", resolve));
    portion.on("raw", (_event, name, details) => this.#onNotice(rawPath(this.#root, name, details)));
    portion.on("addDir", (path) => onFolder(path, true));
    portion.on("unlinkDir", (path) => onFolder(path, false));
    portion.on("error", (error) => this.#onError(error));
    return Promise.race([ready, this.#limited.promise]);
  }

  #onNotice(path: LocalPath | null): void {
    this.#hint(path === null ? { kind: "overflow", why: "a notice without a name" } : { kind: "path", path });
  }

  #onError(error: unknown): void {
    const errno = errnoOf(error);
    const why = error instanceof Error ? error.message : String(error);
    if (errno !== "ENOSPC" && errno !== "EMFILE") {
      this.#hint({ kind: "overflow", why });
      return;
    }
    this.#hint({ kind: "limit", code: errno, why });
    this.#limited.resolve();
    // ORDER: the limit is reported before closing: a closed watcher reports nothing. If closing
    // fails, the process ends anyway.
    void this.close();
  }

  #report(folder: string): void {
    this.#hint({ kind: "folder", path: localPath(this.#root, folder) ?? "" });
  }

  #hint(hint: WatchHint): void {
    if (!this.#isOver) this.#onHint(hint);
  }
}

/**
 * Returns the local path of a `raw` notice. Its name is relative to the watched folder or, if one
 * watch covers the whole tree, to the root.
 */
function rawPath(root: string, name: unknown, details: unknown): LocalPath | null {
  const watched = (details as { watchedPath?: unknown } | null)?.watchedPath;
  if (typeof watched !== "string" || typeof name !== "string" || name === "") return null;
  return localPath(root, isAbsolute(name) ? name : join(watched, name));
}

/** Converts an absolute path to a local path; null for a path outside the root. */
function localPath(root: string, path: string): LocalPath | null {
  const below = relative(root, path);
  if (below === ".." || below.startsWith("../")) return null;
  return below;
}

/**
 * Returns true if chokidar should ignore a path. Chokidar asks once without stats: if the name
 * alone decides, it does not read the file.
 */
function isUnwatched(
  root: string,
  ignores: Ignores,
  path: string,
  stats: { isDirectory(): boolean } | undefined,
): boolean {
  const below = localPath(root, path);
  if (below === null || below === "") return false;
  if (below === MIRROR_FOLDER || below.endsWith(".md")) return true;
  if (stats === undefined) return false;
  return !stats.isDirectory() || ignores(below, "folder");
}
