import { join } from "node:path";
import { hasMembers } from "../../contract/json.ts";
import type { Db } from "./database.ts";
import { openOwnDatabase } from "./own-database.ts";
import { emptyOwn, readOwn, removeOwn, replaceOwn } from "./own-files.ts";
import { withOwnFolderOpen } from "./own-handle.ts";

const LOCK_FILE = "lock.db";
const FACTS_FILE = "lock.json";

/**
 * Process that has the lock: for messages, never for decisions. `since`: milliseconds since the
 * epoch; `what`: the command.
 */
export type LockHolder = { readonly pid: number; readonly since: number; readonly what: string };

export type AcquiredLock =
  | { readonly kind: "locked"; release(): void }
  /**
   * Another process has the lock. `holder`: null if the facts about that process cannot be read
   * (yet).
   */
  | { readonly kind: "busy"; readonly holder: LockHolder | null };

/**
 * Lets only one process at a time work in a folder, by an exclusive SQLite lock. The system
 * releases the lock however the process ends. RACE: the facts about the process are written after
 * the lock is taken. So for a moment, a second process may read the facts about the previous one.
 * ASSUMES: no other code of this process opens `lock.db`: closing any descriptor of it would
 * release the lock (POSIX). The facts are in a separate file.
 * @throws if the folder cannot be written, or its disk has no locks
 */
export function acquireLock(folder: string, holder: Omit<LockHolder, "pid">): AcquiredLock {
  return withOwnFolderOpen(folder, () => acquire(folder, holder));
}

function acquire(folder: string, holder: Omit<LockHolder, "pid">): AcquiredLock {
  let db = tryExclusive(folder);
  if (db === null) {
    // RACE: if a process had the lock, SQLite would have reported that before the damage. A
    // process that has taken the lock since then has emptied the file first. Emptying the file
    // again changes nothing: the inode with the lock stays.
    emptyOwn(folder, LOCK_FILE);
    db = tryExclusive(folder);
  }
  if (db === null) throw new Error("the lock file is damaged again immediately");
  if (db === "busy") return { kind: "busy", holder: readFacts(folder) };
  try {
    // Written by rename, so that other processes read all facts or none.
    replaceOwn(folder, FACTS_FILE, JSON.stringify({ pid: process.pid, ...holder }));
  } catch (error) {
    db.close();
    throw error;
  }
  return { kind: "locked", release: () => release(db, folder) };
}

/** Takes the lock. Returns null if the file is not a database, because its content was damaged. */
function tryExclusive(folder: string): Db | "busy" | null {
  const db = openOwnDatabase(join(folder, LOCK_FILE), { make: true, timeout: 0 });
  try {
    // No process ever writes to this file: an exclusive transaction alone creates no journal and
    // leaves the file empty.
    db.exec("BEGIN EXCLUSIVE");
    return db;
  } catch (error) {
    db.close();
    if (hasCode(error, "SQLITE_BUSY")) return "busy";
    if (hasCode(error, "SQLITE_NOTADB") || hasCode(error, "SQLITE_CORRUPT")) return null;
    throw error;
  }
}

/**
 * Releases the lock. ORDER: the facts are removed before the lock is released, so that the next
 * process's facts stay. A second call does nothing.
 */
function release(db: Db, folder: string): void {
  if (!db.open) return;
  removeOwn(folder, FACTS_FILE);
  db.close();
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith(code);
}

const FACT_TYPES = { pid: "number", since: "number", what: "string" } as const;

function readFacts(folder: string): LockHolder | null {
  try {
    const facts: unknown = JSON.parse(readOwn(folder, FACTS_FILE)?.bytes.toString("utf8") ?? "null");
    return hasMembers<LockHolder>(facts, FACT_TYPES) ? facts : null;
  } catch {
    // The facts are not written yet, or were just removed. They only improve a message.
    return null;
  }
}
