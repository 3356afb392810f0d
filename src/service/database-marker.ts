import { existsSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";

/**
 * A file in a data folder, which says that its documents are in a database of PostgreSQL. The
 * process that serves them holds a lock on it, which is the system's and ends with the process:
 * whoever finds an address beside it knows whether that is believed.
 */
const MARKER = "database";

/** The folder holds, or stands for, the documents of another kind of store. */
export class OtherData extends Error {
  readonly code = "other-data";
}

export function isOfDatabase(dir: string): boolean {
  return existsSync(join(dir, MARKER));
}

/**
 * Marks a folder, and holds it.
 * @returns what lets it go
 * @throws SQLITE_BUSY when another process holds it
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
