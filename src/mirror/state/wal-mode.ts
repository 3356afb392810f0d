import type Sqlite from "better-sqlite3";

type SqliteDatabase = Sqlite.Database;

/**
 * LIMIT: size of the WAL in bytes, above which it is written back into the database file. The size
 * is large, because a first sync changes most pages of an index repeatedly, and a checkpoint writes
 * each page only once.
 */
export const MAX_WAL_BYTES = 64 * 1024 * 1024;

/** Switches a database to WAL mode. Not allowed within a transaction. */
export function enterWal(db: SqliteDatabase): void {
  if (!db.memory) switchMode(db, "WAL");
}

/**
 * Flushes all commits and leaves WAL mode, unless another process reads the file. Names the main
 * database in the checkpoint, because after some upgrades SQLite refuses a checkpoint of the
 * temporary database.
 */
export function leaveWal(db: SqliteDatabase): void {
  const [checkpoint] = db.pragma("main.wal_checkpoint(TRUNCATE)") as { busy: number }[];
  if (checkpoint?.busy === 0) switchMode(db, "DELETE");
  else flushCommits(db);
}

/**
 * Flushes the commits of all connections. Not allowed within a transaction. A checkpoint leaves out
 * pages that another process reads. So this function commits a page with `synchronous = FULL`
 * instead, which flushes the whole WAL: it writes the unchanged `user_version`.
 */
export function flushCommits(db: SqliteDatabase): void {
  withSynchronous(db, "FULL", () => db.pragma(`user_version = ${db.pragma("user_version", { simple: true })}`));
}

/**
 * Switches the mode of the journal. ASSUMES: everything in the WAL was written back. The switch
 * then changes only the mode in the first page, which is not flushed: that would be slow, and the
 * file is complete in either mode. A new WAL is flushed with its folder, which also makes the
 * removal of the old journal durable before SQLite writes a page back.
 */
function switchMode(db: SqliteDatabase, mode: "WAL" | "DELETE"): void {
  withSynchronous(db, "OFF", () => db.pragma(`journal_mode = ${mode}`));
}

/**
 * Flushes a new database file. Otherwise a power loss could leave it without pages, and SQLite
 * would then remove its WAL with all commits.
 */
export function securePages(db: SqliteDatabase): void {
  withSynchronous(db, "FULL", () => db.pragma("main.wal_checkpoint(TRUNCATE)"));
}

/** Runs `work` with another level of flushing: FULL flushes each commit, OFF none. */
export function withSynchronous<T>(db: SqliteDatabase, level: "FULL" | "OFF", work: () => T): T {
  db.pragma(`synchronous = ${level}`);
  try {
    return work();
  } finally {
    // Without a flush, commits survive the end of the process. A power loss may remove the last
    // commits, but leaves a consistent file, and a scan finds the lost facts again.
    db.pragma("synchronous = NORMAL");
  }
}
