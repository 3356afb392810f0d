import { closeSync, type Stats, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import Sqlite from "better-sqlite3";
import { createOwnFile, statOwnFile } from "./own-files.ts";
import { UnsafePathError } from "../../common/ownership.ts";

/**
 * Suffixes of the files that SQLite creates beside a database. SQLite does not follow a symbolic
 * link at such a path, and only reports that the file cannot be opened.
 */
const SIDE_FILE_ENDINGS = ["-wal", "-shm", "-journal"] as const;

/**
 * Opens a database in `.mdmirror/` (or `:memory:`). SQLite follows symbolic links, so the path is
 * checked before the file is opened, and again afterwards. Nothing is read or written before the
 * second check. A file that was swapped in between is closed.
 * RACE: a swap that is undone between the opening and the second check is not found. Such a swap
 * needs write access to `.mdmirror`, which other users do not have.
 * @param options.make true to create a missing file, which only its owner can read
 * @throws UnsafePathError; otherwise as better-sqlite3 and node:fs do
 */
export function openOwnDatabase(path: string, options: Sqlite.Options & { readonly make: boolean }): Sqlite.Database {
  const { make, ...openOptions } = options;
  if (path === ":memory:") return new Sqlite(path, openOptions);
  const [folder, name] = [dirname(path), basename(path)];
  const statBefore = statOwnFile(folder, name, "own-file") ?? (make ? makeEmpty(folder, name) : null);
  for (const ending of SIDE_FILE_ENDINGS) statOwnFile(folder, `${name}${ending}`, "own-file");
  const db = new Sqlite(path, openOptions);
  try {
    const statAfter = statOwnFile(folder, name, "own-file");
    if (statBefore !== null && (statAfter?.ino !== statBefore.ino || statAfter.dev !== statBefore.dev))
      throw new UnsafePathError(
        path,
        "was exchanged while it was opened",
        "see which program does that; run the command again",
      );
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Creates an empty file if it is missing. Does not open an existing file: closing the descriptor
 * would release the locks of this process on the file (POSIX).
 */
function makeEmpty(folder: string, name: string): Stats | null {
  try {
    closeSync(createOwnFile(folder, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return statOwnFile(folder, name, "own-file");
}

export function readWalSize(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}
