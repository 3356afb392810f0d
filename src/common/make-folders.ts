import * as fs from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Makes a folder and those above it that are missing. In place of `mkdir` with `recursive`, which
 * in Node never ends where the system lets nothing be made and calls it ENOENT (`/proc`).
 * @param mode of each folder that is made
 * @returns the topmost folder that was made; null where all were there
 * @throws as node:fs does; EEXIST where a file is in the way
 */
export function makeFolders(path: string, mode = 0o777): string | null {
  const missing: string[] = [];
  for (let at = resolve(path); !isFolder(at); at = dirname(at)) missing.push(at);
  const made = missing.reverse().filter((at) => makeFolder(at, mode));
  return made[0] ?? null;
}

/** @throws ENOTDIR where a file stands above it; EEXIST where one stands there */
function isFolder(path: string): boolean {
  const there = fs.statSync(path, { throwIfNoEntry: false });
  if (there !== undefined && !there.isDirectory())
    throw Object.assign(new Error(`EEXIST: file already exists, mkdir '${path}'`), { code: "EEXIST" });
  return there !== undefined;
}

/** @returns false where another process has made it meanwhile */
function makeFolder(path: string, mode: number): boolean {
  try {
    fs.mkdirSync(path, { mode });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST" && isFolder(path)) return false;
    throw error;
  }
}
