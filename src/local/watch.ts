import { type ChokidarOptions, type FSWatcher, watch } from "chokidar";
import { isAbsolute, join, relative, sep } from "node:path";
import type { LocalPath } from "../model/path.ts";
import type { Watcher, WatchHint } from "../ports/watch.ts";
import { errnoOf } from "./errno.ts";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";

type Ignores = Parameters<Watcher["start"]>[0];

/**
 * Where one watch of the system covers a whole tree, it is one; elsewhere each folder has its own,
 * and they are begun in portions.
 */
const WATCHES_TREES = process.platform === "darwin" || process.platform === "win32";

/** @param root absolute, without symbolic links in it */
export function createWatcher(root: string, start: typeof watch = watch): Watcher {
  if (!isAbsolute(root)) throw new TypeError("the root must be an absolute path");
  return new FolderWatcher(root, start);
}

class FolderWatcher implements Watcher {
  readonly #root: string;
  readonly #watch: typeof watch;
  #watching: Watching | null = null;

  constructor(root: string, start: typeof watch) {
    this.#root = root;
    this.#watch = start;
  }

  async start(ignores: Ignores, onHint: (hint: WatchHint) => void): Promise<void> {
    await this.close();
    this.#watching = new Watching(this.#root, this.#watch, ignores, onHint);
    await this.#watching.begin();
  }

  async close(): Promise<void> {
    const closing = this.#watching;
    this.#watching = null;
    await closing?.close();
  }
}

type OnFolder = (path: string, came: boolean) => void;

/**
 * One start of a watcher, over chokidar, until it is closed. Only folders are watched: their
 * notices name each file that changes in them, which is all that a hint says; chokidar would
 * otherwise keep every file's stat and look at each again. Its `raw` events are those notices;
 * `addDir` and `unlinkDir` tell of folders that come and go, whose contents may have changed
 * before they were watched. Where each folder has a watch of its own, the root and each folder in
 * it are a portion, and begin one after the other: chokidar looks at all files of all folders that
 * it is given at once, and what that takes is never given back.
 */
class Watching {
  readonly #root: string;
  readonly #watch: typeof watch;
  readonly #ignores: Ignores;
  readonly #onHint: (hint: WatchHint) => void;
  /** By the folder that each begins at. */
  readonly #portions = new Map<string, FSWatcher>();
  /** Resolves when the system gives no more: a watcher that is closed is never ready. */
  readonly #limited = Promise.withResolvers<void>();
  #isOver = false;

  constructor(root: string, start: typeof watch, ignores: Ignores, onHint: (hint: WatchHint) => void) {
    this.#root = root;
    this.#watch = start;
    this.#ignores = ignores;
    this.#onHint = onHint;
  }

  /** Resolves when every folder is watched, or will never be. */
  begin(): Promise<void> {
    if (WATCHES_TREES) return this.#beginPortion(this.#root, { ignoreInitial: true }, (path) => this.#tell(path));
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
    await this.#beginPortion(this.#root, { depth: 0 }, (path, came) => {
      if (begun) this.#onTopFolder(path, came);
      else if (path !== this.#root && came) first.push(path);
    });
    begun = true;
    for (const folder of first)
      if (!this.#isOver) await this.#beginPortion(folder, { ignoreInitial: true }, (path) => this.#tell(path));
  }

  /** A folder of the root came or went, or the root itself did, after all was begun. */
  #onTopFolder(path: string, came: boolean): void {
    if (this.#isOver) return;
    if (path === this.#root || !came) this.#tell(path);
    if (path === this.#root) return;
    const before = this.#portions.get(path);
    this.#portions.delete(path);
    void before?.close();
    if (!came) return;
    // ORDER: told when it is watched, for nobody tells what was written into it before. What is
    // below is told as it is found.
    void this.#beginPortion(path, { ignoreInitial: false }, (below) => {
      if (below !== path) this.#tell(below);
    }).then(() => this.#tell(path));
  }

  /** Resolves when it is watched, or will never be. */
  #beginPortion(folder: string, options: ChokidarOptions, onFolder: OnFolder): Promise<void> {
    const portion = this.#watch(folder, {
      ...options,
      ignored: (path, stats) => isUnwatched(this.#root, this.#ignores, path, stats),
      followSymlinks: false,
      // Both would hold back or join events; when a save is over is for the daemon to judge.
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
    // ORDER: after the hint: nothing is heard once it closes. What it could not close is closed
    // with the process.
    void this.close();
  }

  #tell(folder: string): void {
    this.#hint({ kind: "folder", path: localPath(this.#root, folder) ?? "" });
  }

  #hint(hint: WatchHint): void {
    if (!this.#isOver) this.#onHint(hint);
  }
}

/**
 * `raw` names a path below the folder that is watched, or, where one watch covers the whole tree,
 * below the root.
 */
function rawPath(root: string, name: unknown, details: unknown): LocalPath | null {
  const watched = (details as { watchedPath?: unknown } | null)?.watchedPath;
  if (typeof watched !== "string" || typeof name !== "string" || name === "") return null;
  return localPath(root, isAbsolute(name) ? name : join(watched, name));
}

/** null for what is not below the root: the folder above tells of the root's own removal. */
function localPath(root: string, path: string): LocalPath | null {
  const below = relative(root, path);
  if (below === ".." || below.startsWith(`..${sep}`)) return null;
  return sep === "/" ? below : below.replaceAll(sep, "/");
}

/**
 * Judged by the name alone where that is enough: chokidar asks once without, and then does not look
 * at the file.
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
