import type Sqlite from "better-sqlite3";

type Db = Sqlite.Database;

/**
 * LIMIT: size of a WAL in bytes, above which it is written back. A checkpoint writes each page only
 * once, and in a first sync most pages of an index change repeatedly.
 */
export const WAL_BYTES = 64 * 1024 * 1024;

/** Enters WAL mode. Must not be called within a transaction. */
export function enterWal(db: Db): void {
  if (!db.memory) switchMode(db, "WAL");
}

/**
 * Flushes all commits and leaves WAL mode. If another process reads the file, its mode stays. Only
 * the main database is checkpointed: after a migration that renamed a table, SQLite treats the
 * temporary database as if it were in a transaction.
 */
export function leaveWal(db: Db): void {
  const [checkpoint] = db.pragma("main.wal_checkpoint(TRUNCATE)") as { busy: number }[];
  if (checkpoint?.busy === 0) switchMode(db, "DELETE");
  else flushCommits(db);
}

/**
 * Flushes the commits of all connections. Must be called outside a transaction. A checkpoint is not
 * enough: it leaves out pages that a reader needs, and may flush nothing. With `synchronous =
 * FULL`, a commit that writes a page flushes the whole WAL. The commit of this function writes the
 * unchanged `user_version` for this purpose.
 */
export function flushCommits(db: Db): void {
  withSynchronous(db, "FULL", () => db.pragma(`user_version = ${db.pragma("user_version", { simple: true })}`));
}

/**
 * Switches between WAL mode and DELETE mode. ASSUMES: everything in a WAL was written back. The
 * switch changes only the mode in the first page. The file is intact with either mode, so this page
 * is not flushed, which would be slow. A new WAL is flushed with its folder; this also flushes the
 * removal of the old journal, before SQLite writes a page back.
 */
function switchMode(db: Db, mode: "WAL" | "DELETE"): void {
  withSynchronous(db, "OFF", () => db.pragma(`journal_mode = ${mode}`));
}

/**
 * Flushes a new file, so that it and later commits can survive a power loss: SQLite removes a WAL
 * beside a file without pages.
 */
export function securePages(db: Db): void {
  withSynchronous(db, "FULL", () => db.pragma("main.wal_checkpoint(TRUNCATE)"));
}

/**
 * Runs `work` with another level of flushing than usual. With NORMAL, only checkpoints flush the
 * WAL; with FULL, each commit does.
 */
export function withSynchronous<T>(db: Db, level: "FULL" | "OFF", work: () => T): T {
  db.pragma(`synchronous = ${level}`);
  try {
    return work();
  } finally {
    // A commit survives the end of the process. A power loss may lose the last commits, but never
    // consistency; a scan finds the lost facts again.
    db.pragma("synchronous = NORMAL");
  }
}
