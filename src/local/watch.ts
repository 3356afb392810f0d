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

/** The chokidar watchers of one start, by the folder that each begins at. */
type Portions = Map<string, FSWatcher>;

/**
 * The watcher of a folder, over chokidar. Only folders are watched: their notices name each file
 * that changes in them, which is all that a hint says; chokidar would otherwise keep every file's
 * stat and look at each again. Its `raw` events are those notices; `addDir` and `unlinkDir` tell of
 * folders that come and go, whose contents may have changed before they were watched. Where each
 * folder has a watch of its own, the root and each folder in it are a portion, and begin one after
 * the other: chokidar looks at all files of all folders that it is given at once, and what that
 * takes is never given back.
 * @param root absolute, without symbolic links in it
 */
export function createWatcher(root: string, start: typeof watch = watch): Watcher {
  if (!isAbsolute(root)) throw new TypeError("the root must be an absolute path");
  let watching: Portions | null = null;

  async function close(): Promise<void> {
    const closing = watching;
    watching = null;
    await Promise.all([...(closing?.values() ?? [])].map((portion) => portion.close()));
  }

  return {
    close,
    async start(ignores, onHint) {
      await close();
      const mine: Portions = new Map();
      watching = mine;
      // A watcher that is closed is never ready.
      const limited = Promise.withResolvers<void>();
      const hint = (one: WatchHint) => {
        if (watching === mine) onHint(one);
      };

      /** Resolves when it is watched, or will never be. */
      function begin(folder: string, options: ChokidarOptions, onFolder: (path: string, came: boolean) => void) {
        const ready = new Promise<void>((resolve) => {
          const portion = start(folder, {
            ...options,
            ignored: (path, stats) => isUnwatched(root, ignores, path, stats),
            followSymlinks: false,
            // Both would hold back or join events; when a save is over is for the daemon to judge.
            atomic: false,
            awaitWriteFinish: false,
          });
          mine.set(folder, portion);
          portion.on("ready", resolve);
          portion.on("raw", (_event, name, details) => {
            const path = rawPath(root, name, details);
            hint(path === null ? { kind: "overflow", why: "a notice without a name" } : { kind: "path", path });
          });
          portion.on("addDir", (path) => onFolder(path, true));
          portion.on("unlinkDir", (path) => onFolder(path, false));
          portion.on("error", (error) => {
            const errno = errnoOf(error);
            const why = error instanceof Error ? error.message : String(error);
            if (errno !== "ENOSPC" && errno !== "EMFILE") return hint({ kind: "overflow", why });
            hint({ kind: "limit", code: errno, why });
            limited.resolve();
            // ORDER: after the hint: nothing is heard once it closes. What it could not close is
            // closed with the process.
            if (watching === mine) void close();
          });
        });
        return Promise.race([ready, limited.promise]);
      }

      const tell = (path: string) => hint({ kind: "folder", path: localPath(root, path) ?? "" });
      if (WATCHES_TREES) return begin(root, { ignoreInitial: true }, tell);
      const first: string[] = [];
      let begun = false;
      await begin(root, { depth: 0 }, (path, came) => {
        if (path !== root && !begun && came) return void first.push(path);
        if (!begun || watching !== mine) return;
        if (path === root || !came) tell(path);
        if (path === root) return;
        const before = mine.get(path);
        mine.delete(path);
        void before?.close();
        if (!came) return;
        // ORDER: told when it is watched, for nobody tells what was written into it before. What is
        // below is told as it is found.
        const tellBelow = (below: string) => (below === path ? undefined : tell(below));
        void begin(path, { ignoreInitial: false }, tellBelow).then(() => tell(path));
      });
      begun = true;
      for (const folder of first) if (watching === mine) await begin(folder, { ignoreInitial: true }, tell);
    },
  };
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
