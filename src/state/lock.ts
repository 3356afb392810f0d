import { closeSync, constants, openSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import type { Db } from "./database.ts";

/** Who holds the lock: for messages, never for decisions. `since`: milliseconds since the epoch; `what`: the command. */
export type LockHolder = { readonly pid: number; readonly since: number; readonly what: string };

export type AcquiredLock =
  | { readonly kind: "locked"; release(): void }
  /** `holder` null: its facts are not (or not yet) to be read. */
  | { readonly kind: "busy"; readonly holder: LockHolder | null };

/**
 * One process at a time in a folder: an exclusive SQLite lock, which the system frees when the process ends in any way.
 * RACE: the facts of the holder are written after the lock is taken, so a second process may see those of the last holder for a moment.
 * ASSUMES: nobody else in this process opens `lock.db`; closing any descriptor of it would drop the lock (POSIX). The facts have their own file.
 * @throws when the folder cannot be written, or its disk has no locks
 */
export function acquireLock(folder: string, holder: Omit<LockHolder, "pid">): AcquiredLock {
  const path = join(folder, "lock.db");
  const facts = join(folder, "lock.json");
  makeOnce(path);
  const db = tryExclusive(path) ?? tryExclusive(emptied(path));
  if (db === null) throw new Error("the lock file is damaged again at once");
  if (db === "busy") return { kind: "busy", holder: readFacts(facts) };
  try {
    writeFacts(facts, { pid: process.pid, ...holder });
  } catch (error) {
    db.close();
    throw error;
  }
  return { kind: "locked", release: () => release(db, facts) };
}

/** @returns null when the file is no database: the disk, or somebody, wrote into it */
function tryExclusive(path: string): Db | "busy" | null {
  const db = new Sqlite(path, { timeout: 0 });
  try {
    // Nothing is ever written to it: an exclusive transaction alone makes no journal and leaves the file empty.
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
 * RACE: nobody holds a file that could be read and found damaged: SQLite takes its shared lock first, and tells of a holder then. Whoever took it since
 * had emptied it before, and emptying it again changes nothing: the inode, which the lock is on, stays.
 */
function emptied(path: string): string {
  truncateSync(path, 0);
  return path;
}

/** ORDER: the facts go before the lock, so that those of the next holder are not removed. Twice is once. */
function release(db: Db, facts: string): void {
  if (!db.open) return;
  rmSync(facts, { force: true });
  db.close();
}

/** RACE: a descriptor closed here would drop a lock that this process holds on the file, so an existing file is left to SQLite alone. */
function makeOnce(path: string): void {
  try {
    closeSync(openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_RDWR, 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Sqlite.SqliteError && error.code.startsWith(code);
}

/** By rename: read whole or not at all. */
function writeFacts(path: string, holder: LockHolder): void {
  writeFileSync(`${path}.new`, JSON.stringify(holder), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

function readFacts(path: string): LockHolder | null {
  try {
    const facts: unknown = JSON.parse(readFileSync(path, "utf8"));
    return isHolder(facts) ? facts : null;
  } catch {
    // Not there yet, or just removed: who it is only makes a better message.
    return null;
  }
}

function isHolder(facts: unknown): facts is LockHolder {
  if (typeof facts !== "object" || facts === null) return false;
  const { pid, since, what } = facts as Partial<Record<keyof LockHolder, unknown>>;
  return typeof pid === "number" && typeof since === "number" && typeof what === "string";
}
