import * as fs from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Creates a folder and the missing folders above it. Node's `mkdir` with `recursive` is not used:
 * it never ends if the system refuses a new folder with ENOENT, as in `/proc`.
 * @returns the topmost new folder; null if all folders existed
 * @throws errors of node:fs; EEXIST if there is a file at one of the paths
 */
export function makeFolders(path: string, mode = 0o777): string | null {
  const missingFolders: string[] = [];
  for (let folder = resolve(path); !isFolder(folder); folder = dirname(folder)) missingFolders.push(folder);
  const createdFolders = missingFolders.reverse().filter((folder) => makeFolder(folder, mode));
  return createdFolders[0] ?? null;
}

/**
 * Returns true if the path is a folder; false if nothing is at the path.
 * @throws ENOTDIR if there is a file above the path; EEXIST if there is a file at the path
 */
function isFolder(path: string): boolean {
  const stats = fs.statSync(path, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isDirectory())
    throw Object.assign(new Error(`EEXIST: file already exists, mkdir '${path}'`), { code: "EEXIST" });
  return stats !== undefined;
}

/** Creates one folder. Returns false if another process has created the folder meanwhile. */
function makeFolder(path: string, mode: number): boolean {
  try {
    fs.mkdirSync(path, { mode });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST" && isFolder(path)) return false;
    throw error;
  }
}
