import { join } from "node:path";
import { hasMembers } from "../../contract/json.ts";
import type { SqliteDatabase } from "./database.ts";
import { openOwnDatabase } from "./own-database.ts";
import { emptyOwnFile, readOwnFile, removeOwnFile, replaceOwnFile, withOwnFolderOpen } from "./own-files.ts";

const LOCK_FILE_NAME = "lock.db";
const HOLDER_FILE = "lock.json";

/**
 * The process that has the lock, for messages only. `since`: time when the process started its
 * work, in milliseconds since the epoch. `what`: command of the process.
 */
export type LockHolder = { readonly pid: number; readonly since: number; readonly what: string };

export type AcquiredLock =
  | { readonly kind: "locked"; release(): void }
  /**
   * Another process has the lock. `holder`: null if the file with the description of this process
   * is missing or unreadable.
   */
  | { readonly kind: "busy"; readonly holder: LockHolder | null };

/**
 * Takes the lock of a folder: an exclusive SQLite lock, so that only one process at a time works in
 * the folder. The system releases the lock at the end of the process, even after a crash.
 * RACE: a process takes the lock, then writes the holder file, which describes the process. Between
 * the two, other processes may read the description of the previous holder.
 * ASSUMES: no other code of this process opens `lock.db`, because closing any descriptor of the
 * file would release the lock (POSIX). Therefore the description is in another file.
 * @throws if the folder cannot be written, or its disk has no locks
 */
export function acquireLock(folder: string, holder: Omit<LockHolder, "pid">): AcquiredLock {
  return withOwnFolderOpen(folder, () => tryToAcquire(folder, holder));
}

function tryToAcquire(folder: string, holder: Omit<LockHolder, "pid">): AcquiredLock {
  let db = tryToLock(folder);
  if (db === null) {
    // RACE: when SQLite reported damage, no process had the lock; otherwise SQLite would have
    // reported the lock. Since then, another process may have emptied the file and taken the lock.
    // A second emptying is harmless: the lock belongs to the inode, which stays.
    emptyOwnFile(folder, LOCK_FILE_NAME);
    db = tryToLock(folder);
  }
  if (db === null) throw new Error("the lock file is damaged again immediately");
  if (db === "busy") return { kind: "busy", holder: readHolder(folder) };
  try {
    // A rename replaces the holder file, so that other processes never read an incomplete
    // description.
    replaceOwnFile(folder, HOLDER_FILE, JSON.stringify({ pid: process.pid, ...holder }));
  } catch (error) {
    db.close();
    throw error;
  }
  return { kind: "locked", release: () => releaseFolderLock(db, folder) };
}

/** Takes the lock; returns null if the lock file is damaged. */
function tryToLock(folder: string): SqliteDatabase | "busy" | null {
  const db = openOwnDatabase(join(folder, LOCK_FILE_NAME), { make: true, timeout: 0 });
  try {
    // An exclusive transaction without writes leaves the file empty and creates no journal.
    db.exec("BEGIN EXCLUSIVE");
    return db;
  } catch (error) {
    db.close();
    if (hasErrorCode(error, "SQLITE_BUSY")) return "busy";
    if (hasErrorCode(error, "SQLITE_NOTADB") || hasErrorCode(error, "SQLITE_CORRUPT")) return null;
    throw error;
  }
}

/**
 * Releases the lock. A second call does nothing.
 * ORDER: the holder file is removed before the release, because after the release the file may
 * already describe the next process.
 */
function releaseFolderLock(db: SqliteDatabase, folder: string): void {
  if (!db.open) return;
  removeOwnFile(folder, HOLDER_FILE);
  db.close();
}

function hasErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith(code);
}

const HOLDER_FIELD_TYPES = { pid: "number", since: "number", what: "string" } as const;

function readHolder(folder: string): LockHolder | null {
  try {
    const holderFields: unknown = JSON.parse(readOwnFile(folder, HOLDER_FILE)?.bytes.toString("utf8") ?? "null");
    return hasMembers<LockHolder>(holderFields, HOLDER_FIELD_TYPES) ? holderFields : null;
  } catch {
    // The holder file cannot be read, or is damaged. The result is null, because only a message
    // needs the holder.
    return null;
  }
}
