import type Sqlite from "better-sqlite3";

type Db = Sqlite.Database;

/**
 * LIMIT: a WAL of this size is written back. A checkpoint flushes the WAL and the file, and writes
 * each page once: in a first sync most pages of an index change repeatedly.
 */
export const WAL_BYTES = 64 * 1024 * 1024;

/** Must not be called within a transaction. */
export function enterWal(db: Db): void {
  if (!db.memory) switchMode(db, "WAL");
}

/**
 * Flushes all commits and leaves WAL mode; if somebody reads the file, it stays in this mode. Only
 * the main database is checkpointed: after a migration that renamed a table, SQLite counts the
 * temporary one as in a transaction.
 */
export function leaveWal(db: Db): void {
  const [checkpoint] = db.pragma("main.wal_checkpoint(TRUNCATE)") as { busy: number }[];
  if (checkpoint?.busy === 0) switchMode(db, "DELETE");
  else flushCommits(db);
}

/**
 * Flushes what any connection has committed, outside of a transaction. A checkpoint does not: it
 * leaves out pages that a reader needs, and may flush nothing. A commit under FULL flushes the WAL
 * if it writes a page, and the same version again writes one.
 */
export function flushCommits(db: Db): void {
  db.pragma("synchronous = FULL");
  try {
    db.pragma(`user_version = ${db.pragma("user_version", { simple: true })}`);
  } finally {
    db.pragma("synchronous = NORMAL");
  }
}

/**
 * Switches between WAL mode and the other one. That changes some bytes of the first page, after
 * which the file is sound whether they reached the medium or not: so nothing is flushed for them,
 * which would be a twentieth of a sync with nothing to do. The removal of their journal is on the
 * medium before a page is written back: a new WAL is flushed with its folder. ASSUMES: everything
 * in a WAL was written back.
 */
function switchMode(db: Db, mode: "WAL" | "DELETE"): void {
  db.pragma("synchronous = OFF");
  try {
    db.pragma(`journal_mode = ${mode}`);
  } finally {
    // A commit survives the process. A power loss may lose the last ones, never consistency; the
    // lost facts are found again by scanning.
    db.pragma("synchronous = NORMAL");
  }
}

/**
 * Makes a new file survive a power loss from now on, and makes it possible for later commits:
 * SQLite takes no WAL beside a file without pages, and removes it.
 */
export function securePages(db: Db): void {
  db.pragma("synchronous = FULL");
  try {
    db.pragma("main.wal_checkpoint(TRUNCATE)");
  } finally {
    db.pragma("synchronous = NORMAL");
  }
}
