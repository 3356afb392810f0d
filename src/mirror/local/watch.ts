import { type ChokidarOptions, type FSWatcher, watch } from "chokidar";
import { isAbsolute, join, relative } from "node:path";
import type { LocalPath } from "../../contract/path.ts";
import type { Watcher, WatchHint } from "../ports/disk.ts";
import { readErrno } from "./results.ts";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";

type IgnoresPath = Parameters<Watcher["start"]>[0];

/**
 * True if one watch of the system covers a whole tree. Otherwise each folder needs its own watch,
 * and the folders of the root are watched one after the other.
 */
const WATCHES_TREES = process.platform === "darwin";

/** @param root absolute path without symbolic links */
export function createWatcher(root: string, start: typeof watch = watch): Watcher {
  if (!isAbsolute(root)) throw new TypeError("the root must be an absolute path");
  let runningWatcher: RunningWatcher | null = null;
  const close = async () => {
    const closing = runningWatcher;
    runningWatcher = null;
    await closing?.close();
  };
  return {
    async start(ignores, onHint) {
      await close();
      runningWatcher = new RunningWatcher(root, start, ignores, onHint);
      await runningWatcher.begin();
    },
    close,
  };
}

type OnFolderChange = (path: string, hasAppeared: boolean) => void;

/**
 * Watches a folder with chokidar, until the watcher is closed.
 * - Notices of the system (`raw` events) name each file that changes in a watched folder. Therefore
 *   only folders are watched: for a watched file, chokidar would also keep a stat.
 * - `addDir` and `unlinkDir` report new and removed folders. The content of a new folder may have
 *   changed before the folder was watched.
 * - If each folder needs its own watch, the folders of the root are watched one after the other.
 *   Watching all of them at the same time would need memory that chokidar never frees.
 */
class RunningWatcher {
  readonly #root: string;
  readonly #watch: typeof watch;
  readonly #ignores: IgnoresPath;
  readonly #onHint: (hint: WatchHint) => void;
  /** Watchers by folder: the root, or a folder in the root. */
  readonly #watchers = new Map<string, FSWatcher>();
  /**
   * Resolves when the system refuses more watches. Without this promise, callers would wait for
   * watchers that never become ready.
   */
  readonly #limitReached = Promise.withResolvers<void>();
  #isClosed = false;

  constructor(root: string, start: typeof watch, ignores: IgnoresPath, onHint: (hint: WatchHint) => void) {
    this.#root = root;
    this.#watch = start;
    this.#ignores = ignores;
    this.#onHint = onHint;
  }

  begin(): Promise<void> {
    if (WATCHES_TREES) return this.#watchFolder(this.#root, { ignoreInitial: true }, (path) => this.#report(path));
    return this.#watchTopFolders();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await Promise.all([...this.#watchers.values()].map((portion) => portion.close()));
  }

  async #watchTopFolders(): Promise<void> {
    const topFolders: string[] = [];
    let isBegun = false;
    await this.#watchFolder(this.#root, { depth: 0 }, (path, hasAppeared) => {
      if (isBegun) this.#onTopFolder(path, hasAppeared);
      else if (path !== this.#root && hasAppeared) topFolders.push(path);
    });
    isBegun = true;
    for (const folder of topFolders)
      if (!this.#isClosed) await this.#watchFolder(folder, { ignoreInitial: true }, (path) => this.#report(path));
  }

  #onTopFolder(path: string, hasAppeared: boolean): void {
    if (this.#isClosed) return;
    if (path === this.#root || !hasAppeared) this.#report(path);
    if (path === this.#root) return;
    const earlierWatcher = this.#watchers.get(path);
    this.#watchers.delete(path);
    void earlierWatcher?.close();
    if (!hasAppeared) return;
    // ORDER: a new folder is reported after its watch has started. Earlier writes in the folder
    // caused no notice, so only a scan after the start of the watch finds them.
    void this.#watchFolder(path, { ignoreInitial: false }, (below) => {
      if (below !== path) this.#report(below);
    }).then(() => this.#report(path));
  }

  /**
   * Watches a folder and, unless `depth` limits the watch, all folders below. Resolves when the
   * watch is ready, or when the system refuses more watches.
   */
  #watchFolder(folder: string, options: ChokidarOptions, onFolder: OnFolderChange): Promise<void> {
    const folderWatcher = this.#watch(folder, {
      ...options,
      ignored: (path, stats) => isUnwatched(this.#root, this.#ignores, path, stats),
      followSymlinks: false,
      // Chokidar must not delay or combine notices, because the daemon itself waits until a save is
      // complete.
      atomic: false,
      awaitWriteFinish: false,
    });
    this.#watchers.set(folder, folderWatcher);
    const readyPromise = new Promise<void>((resolve) => void folderWatcher.on("ready", resolve));
    folderWatcher.on("raw", (_event, name, details) => this.#onNotice(toNoticePath(this.#root, name, details)));
    folderWatcher.on("addDir", (path) => onFolder(path, true));
    folderWatcher.on("unlinkDir", (path) => onFolder(path, false));
    folderWatcher.on("error", (error) => this.#onError(error));
    return Promise.race([readyPromise, this.#limitReached.promise]);
  }

  #onNotice(path: LocalPath | null): void {
    this.#hint(path === null ? { kind: "overflow", why: "a notice without a name" } : { kind: "path", path });
  }

  #onError(error: unknown): void {
    const errno = readErrno(error);
    const why = error instanceof Error ? error.message : String(error);
    if (errno !== "ENOSPC" && errno !== "EMFILE") {
      this.#hint({ kind: "overflow", why });
      return;
    }
    this.#hint({ kind: "limit", code: errno, why });
    this.#limitReached.resolve();
    // ORDER: the limit is reported before the watcher closes, because a closed watcher reports
    // nothing. Errors of closing do not matter, because the daemon ends.
    void this.close();
  }

  #report(folder: string): void {
    this.#hint({ kind: "folder", path: toLocalPath(this.#root, folder) ?? "" });
  }

  #hint(hint: WatchHint): void {
    if (!this.#isClosed) this.#onHint(hint);
  }
}

/**
 * Returns the path in a notice of the system; null without a usable name. The name is relative to
 * the watched folder; on macOS it is absolute.
 */
function toNoticePath(root: string, name: unknown, details: unknown): LocalPath | null {
  const watchedPath = (details as { watchedPath?: unknown } | null)?.watchedPath;
  if (typeof watchedPath !== "string" || typeof name !== "string" || name === "") return null;
  return toLocalPath(root, isAbsolute(name) ? name : join(watchedPath, name));
}

function toLocalPath(root: string, path: string): LocalPath | null {
  const relativePath = relative(root, path);
  if (relativePath === ".." || relativePath.startsWith("../")) return null;
  return relativePath;
}

/**
 * Returns true if chokidar should ignore a path. Chokidar first calls this function without
 * `stats`, and reads no stat if the name alone decides.
 */
function isUnwatched(
  root: string,
  ignores: IgnoresPath,
  path: string,
  stats: { isDirectory(): boolean } | undefined,
): boolean {
  const pathBelow = toLocalPath(root, path);
  if (pathBelow === null || pathBelow === "") return false;
  if (pathBelow === MIRROR_FOLDER || pathBelow.endsWith(".md")) return true;
  if (stats === undefined) return false;
  return !stats.isDirectory() || ignores(pathBelow, "folder");
}
