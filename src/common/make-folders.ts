import * as fs from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Makes a folder and the missing ones above it. Node's `mkdir` with `recursive` never ends if the
 * system allows nothing to be made and answers ENOENT (`/proc`).
 * @param mode of each new folder
 * @returns the topmost new folder; null if all existed
 * @throws as node:fs does; EEXIST if a file is in the way
 */
export function makeFolders(path: string, mode = 0o777): string | null {
  const missing: string[] = [];
  for (let at = resolve(path); !isFolder(at); at = dirname(at)) missing.push(at);
  const made = missing.reverse().filter((at) => makeFolder(at, mode));
  return made[0] ?? null;
}

/** @throws ENOTDIR if a file is above it; EEXIST if a file is at the path */
function isFolder(path: string): boolean {
  const there = fs.statSync(path, { throwIfNoEntry: false });
  if (there !== undefined && !there.isDirectory())
    throw Object.assign(new Error(`EEXIST: file already exists, mkdir '${path}'`), { code: "EEXIST" });
  return there !== undefined;
}

/** Returns false if another process has made it meanwhile. */
function makeFolder(path: string, mode: number): boolean {
  try {
    fs.mkdirSync(path, { mode });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST" && isFolder(path)) return false;
    throw error;
  }
}
