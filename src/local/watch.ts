import { type FSWatcher, watch } from "chokidar";
import { isAbsolute, join, relative, sep } from "node:path";
import type { LocalPath } from "../core/path.ts";
import type { Watcher, WatchHint } from "../core/ports/watch.ts";
import { errnoOf } from "./errno.ts";
import { MIRROR_FOLDER } from "./ignore.ts";

type Ignores = Parameters<Watcher["start"]>[0];

/**
 * The watcher of a folder, over chokidar. Only folders are watched: their notices name each file that changes in them, which is all that a
 * hint says; chokidar would otherwise keep every file's stat and look at each again. Its `raw` events are those notices; `addDir` and
 * `unlinkDir` tell of folders that come and go, whose contents may have changed before they were watched.
 * @param root absolute, without symbolic links in it
 */
export function createWatcher(root: string, start: typeof watch = watch): Watcher {
  if (!isAbsolute(root)) throw new TypeError("the root must be an absolute path");
  let watching: FSWatcher | null = null;

  async function close(): Promise<void> {
    const closing = watching;
    watching = null;
    await closing?.close();
  }

  return {
    close,
    async start(ignores, onHint) {
      await close();
      const mine = start(root, {
        ignored: (path, stats) => isUnwatched(root, ignores, path, stats),
        ignoreInitial: true,
        followSymlinks: false,
        // Both would hold back or join events; when a save is over is for the daemon to judge.
        atomic: false,
        awaitWriteFinish: false,
      });
      watching = mine;
      const hint = (one: WatchHint) => {
        if (watching === mine) onHint(one);
      };
      await new Promise<void>((resolve) => {
        mine.on("ready", resolve);
        mine.on("raw", (_event, name, details) => {
          const path = rawPath(root, name, details);
          hint(path === null ? { kind: "overflow", why: "a notice without a name" } : { kind: "path", path });
        });
        mine.on("addDir", (path) => hint({ kind: "folder", path: localPath(root, path) ?? "" }));
        mine.on("unlinkDir", (path) => hint({ kind: "folder", path: localPath(root, path) ?? "" }));
        mine.on("error", (error) => {
          const errno = errnoOf(error);
          const why = error instanceof Error ? error.message : String(error);
          if (errno !== "ENOSPC" && errno !== "EMFILE") return hint({ kind: "overflow", why });
          hint({ kind: "limit", code: errno, why });
          resolve();
          // ORDER: after the hint: nothing is heard once it closes. What it could not close is closed with the process.
          if (watching === mine) void close();
        });
      });
    },
  };
}

/** `raw` names a path below the folder that is watched, or, where one watch covers the whole tree, below the root. */
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

/** Judged by the name alone where that is enough: chokidar asks once without, and then does not look at the file. */
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
