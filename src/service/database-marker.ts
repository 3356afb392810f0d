import { existsSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";

/**
 * Name of a file in the data folder. The file says that the documents are in PostgreSQL. The
 * process that serves the documents locks the file, and the operating system ends the lock with the
 * process. So an address in the folder is valid only while this file is locked.
 */
const MARKER_FILE = "database";

export class WrongStoreError extends Error {
  readonly code = "other-data";
}

export function isDatabaseFolder(dir: string): boolean {
  return existsSync(join(dir, MARKER_FILE));
}

/**
 * Marks a data folder as one whose documents are in PostgreSQL, and locks the marker file.
 * @returns a function that releases the lock
 * @throws SQLITE_BUSY if another process has locked the file
 */
export function lockMarker(dir: string): () => void {
  const lock = new Sqlite(join(dir, MARKER_FILE), { timeout: 0 });
  try {
    lock.pragma("locking_mode = EXCLUSIVE");
    lock.exec("BEGIN EXCLUSIVE; CREATE TABLE IF NOT EXISTS held (by INTEGER); COMMIT");
    return () => lock.close();
  } catch (error) {
    lock.close();
    throw error;
  }
}
