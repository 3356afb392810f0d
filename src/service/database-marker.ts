import { existsSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";

/**
 * A file in a data folder that says that its documents are in a PostgreSQL database. The process
 * that serves them locks it; the lock is the system's and ends with the process. An address in the
 * same folder is reliable only while the file is locked.
 */
const MARKER = "database";

/** A folder whose documents are in another kind of store. */
export class OtherData extends Error {
  readonly code = "other-data";
}

export function isOfDatabase(dir: string): boolean {
  return existsSync(join(dir, MARKER));
}

/**
 * Marks a folder, and locks the mark.
 * @returns releases the lock
 * @throws SQLITE_BUSY if another process has locked it
 */
export function holdForDatabase(dir: string): () => void {
  const lock = new Sqlite(join(dir, MARKER), { timeout: 0 });
  try {
    lock.pragma("locking_mode = EXCLUSIVE");
    lock.exec("BEGIN EXCLUSIVE; CREATE TABLE IF NOT EXISTS held (by INTEGER); COMMIT");
    return () => lock.close();
  } catch (error) {
    lock.close();
    throw error;
  }
}
