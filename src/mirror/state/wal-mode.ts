import type Sqlite from "better-sqlite3";

type SqliteDatabase = Sqlite.Database;

/**
 * LIMIT: number of bytes in the WAL, above which it is written back to the database file. The
 * number is large, because a first sync changes most pages of an index many times, and a checkpoint
 * writes each page only once.
 */
export const MAX_WAL_BYTES = 64 * 1024 * 1024;

/** Switches a database to WAL mode. Not allowed within a transaction. */
export function enterWal(db: SqliteDatabase): void {
  if (!db.memory) switchMode(db, "WAL");
}

/**
 * Flushes all commits and leaves WAL mode, unless another process reads the file. The checkpoint
 * names the main database: after some upgrades, SQLite would refuse a checkpoint of the temporary
 * database.
 */
export function leaveWal(db: SqliteDatabase): void {
  const [checkpoint] = db.pragma("main.wal_checkpoint(TRUNCATE)") as { busy: number }[];
  if (checkpoint?.busy === 0) switchMode(db, "DELETE");
  else flushCommits(db);
}

/**
 * Flushes the commits of all connections. Not allowed within a transaction. A checkpoint would
 * leave out pages that another process reads. So this function makes a commit with `synchronous =
 * FULL` instead, which flushes the whole WAL. The commit writes `user_version` without changing it.
 */
export function flushCommits(db: SqliteDatabase): void {
  withSynchronous(db, "FULL", () => db.pragma(`user_version = ${db.pragma("user_version", { simple: true })}`));
}

/**
 * Switches the mode of the journal. ASSUMES: everything in the WAL was written back. The switch
 * then changes only the mode, in the first page. This page is not flushed, because that would be
 * slow, and the file is complete in either mode. When a new WAL is flushed, its folder is flushed
 * too. So the removal of the old journal survives a power loss before SQLite writes a page back.
 */
function switchMode(db: SqliteDatabase, mode: "WAL" | "DELETE"): void {
  withSynchronous(db, "OFF", () => db.pragma(`journal_mode = ${mode}`));
}

/**
 * Flushes a new database file. Without this, a power loss could leave the file without pages.
 * SQLite would then remove its WAL with all commits.
 */
export function securePages(db: SqliteDatabase): void {
  withSynchronous(db, "FULL", () => db.pragma("main.wal_checkpoint(TRUNCATE)"));
}

/** Runs `work` with another level of flushing. FULL flushes each commit, OFF flushes none. */
export function withSynchronous<T>(db: SqliteDatabase, level: "FULL" | "OFF", work: () => T): T {
  db.pragma(`synchronous = ${level}`);
  try {
    return work();
  } finally {
    // NORMAL is mdmirror's usual level: commits survive the end of the process, but a power loss
    // may remove the last ones. The file is still consistent then, and a scan finds again what was
    // lost.
    db.pragma("synchronous = NORMAL");
  }
}
