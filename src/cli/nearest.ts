import { realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { MIRROR_FOLDER } from "../mirror/model/mirror-folder.ts";
import { ownershipOf } from "../mirror/trust/owner.ts";
import type { Io } from "./command.ts";

export type Nearest = {
  readonly root: string | null;
  /** Folder of another user that was skipped on the way up; null if there was none. */
  readonly foreign: string | null;
};

/**
 * Finds the nearest folder at or above `from` that has a `.mdmirror/` of this user. A folder of
 * another user is skipped.
 */
export function nearest(io: Pick<Io, "env">, from: string): Nearest {
  let foreign: string | null = null;
  for (let folder = realFolder(from); ; folder = dirname(folder)) {
    if (holdsMirror(folder)) {
      if (ownershipOf(folder, io.env).kind !== "foreign") return { root: folder, foreign };
      foreign ??= folder;
    }
    if (dirname(folder) === folder) return { root: null, foreign };
  }
}

function realFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

export function holdsMirror(folder: string): boolean {
  return statSync(join(folder, MIRROR_FOLDER), { throwIfNoEntry: false })?.isDirectory() === true;
}
