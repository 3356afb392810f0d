import { join } from "node:path";
import { hasMembers } from "../../contract/json.ts";
import type { Db } from "./database.ts";
import { openOwnDatabase } from "./own-database.ts";
import { emptyOwn, readOwn, removeOwn, replaceOwn } from "./own-files.ts";
import { withOwnFolderOpen } from "./own-handle.ts";

const LOCK_FILE = "lock.db";
const FACTS_FILE = "lock.json";

/**
 * Holder of the lock: for messages, never for decisions. `since`: milliseconds since the epoch;
 * `what`: the command.
 */
export type LockHolder = { readonly pid: number; readonly since: number; readonly what: string };

export type AcquiredLock =
  | { readonly kind: "locked"; release(): void }
  /** `holder` null: its facts cannot be read (yet). */
  | { readonly kind: "busy"; readonly holder: LockHolder | null };

/**
 * Lets one process at a time work in a folder, by an exclusive SQLite lock, which the system
 * releases however the process ends. RACE: the facts about the holder are written after the lock is
 * taken, so a second process may read those of the last holder for a moment. ASSUMES: no other code
 * of this process opens `lock.db`: closing any descriptor of it would drop the lock (POSIX). The
 * facts have their own file.
 * @throws if the folder cannot be written, or its disk has no locks
 */
export function acquireLock(folder: string, holder: Omit<LockHolder, "pid">): AcquiredLock {
  return withOwnFolderOpen(folder, () => acquire(folder, holder));
}

function acquire(folder: string, holder: Omit<LockHolder, "pid">): AcquiredLock {
  let db = tryExclusive(folder);
  if (db === null) {
    // RACE: nobody holds a file that could be read and found damaged: SQLite takes its shared lock
    // first, and reports a holder then. A process that took the lock since had emptied it before,
    // and emptying it again changes nothing: the inode with the lock stays.
    emptyOwn(folder, LOCK_FILE);
    db = tryExclusive(folder);
  }
  if (db === null) throw new Error("the lock file is damaged again at once");
  if (db === "busy") return { kind: "busy", holder: readFacts(folder) };
  try {
    // By rename: read whole or not at all.
    replaceOwn(folder, FACTS_FILE, JSON.stringify({ pid: process.pid, ...holder }));
  } catch (error) {
    db.close();
    throw error;
  }
  return { kind: "locked", release: () => release(db, folder) };
}

/** Returns null if the file is no database: the disk, or somebody, has damaged it. */
function tryExclusive(folder: string): Db | "busy" | null {
  const db = openOwnDatabase(join(folder, LOCK_FILE), { make: true, timeout: 0 });
  try {
    // Nothing is ever written to it: an exclusive transaction alone makes no journal and leaves the
    // file empty.
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
 * ORDER: the facts are removed before the lock is released, so that the next holder's stay. A
 * second call does nothing.
 */
function release(db: Db, folder: string): void {
  if (!db.open) return;
  removeOwn(folder, FACTS_FILE);
  db.close();
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith(code);
}

const FACTS = { pid: "number", since: "number", what: "string" } as const;

function readFacts(folder: string): LockHolder | null {
  try {
    const facts: unknown = JSON.parse(readOwn(folder, FACTS_FILE)?.bytes.toString("utf8") ?? "null");
    return hasMembers<LockHolder>(facts, FACTS) ? facts : null;
  } catch {
    // Not written yet, or just removed: the holder only improves a message.
    return null;
  }
}
