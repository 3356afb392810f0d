import * as fs from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Makes a folder and the missing folders above it. Node's `mkdir` with `recursive` never ends if
 * the system allows no new folder and answers ENOENT (`/proc`).
 * @param mode mode of each new folder
 * @returns the topmost new folder; null if all folders existed
 * @throws as node:fs does; EEXIST if a file is at one of the paths
 */
export function makeFolders(path: string, mode = 0o777): string | null {
  const missing: string[] = [];
  for (let folder = resolve(path); !isFolder(folder); folder = dirname(folder)) missing.push(folder);
  const created = missing.reverse().filter((folder) => makeFolder(folder, mode));
  return created[0] ?? null;
}

/** @throws ENOTDIR if a file is above the path; EEXIST if a file is at the path */
function isFolder(path: string): boolean {
  const existing = fs.statSync(path, { throwIfNoEntry: false });
  if (existing !== undefined && !existing.isDirectory())
    throw Object.assign(new Error(`EEXIST: file already exists, mkdir '${path}'`), { code: "EEXIST" });
  return existing !== undefined;
}

/** Makes one folder. Returns false if another process has made the folder meanwhile. */
function makeFolder(path: string, mode: number): boolean {
  try {
    fs.mkdirSync(path, { mode });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST" && isFolder(path)) return false;
    throw error;
  }
}
