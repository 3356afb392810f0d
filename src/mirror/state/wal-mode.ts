import type Sqlite from "better-sqlite3";

type Db = Sqlite.Database;

/** Must not be called within a transaction. */
export function enterWal(db: Db): void {
  if (!db.memory) switchMode(db, "WAL");
}

/**
 * Leaves a file that somebody reads as it is. Only the main database is checkpointed: after a
 * migration that renamed a table, SQLite counts the temporary one as in a transaction.
 */
export function leaveWal(db: Db): void {
  const [told] = db.pragma("main.wal_checkpoint(TRUNCATE)") as { busy: number }[];
  if (told?.busy === 0) switchMode(db, "DELETE");
}

/**
 * Between WAL mode and the other one. That changes some bytes of the first page, after which the
 * file is sound whether they reached the medium or not: so nothing is fsynced for them, which would
 * be a twentieth of a sync with nothing to do. That their journal is gone is on the medium before a
 * page is written back: a new WAL is fsynced with its folder. ASSUMES: all that is in a WAL was
 * written back.
 */
function switchMode(db: Db, mode: "WAL" | "DELETE"): void {
  db.pragma("synchronous = OFF");
  try {
    db.pragma(`journal_mode = ${mode}`);
  } finally {
    // A commit survives the process. A power cut may lose the last ones, never consistency; what
    // they recorded is found again by looking.
    db.pragma("synchronous = NORMAL");
  }
}

/**
 * What was just made survives a power loss from here on, and what is committed after it can: SQLite
 * takes no WAL beside a file without pages, and removes it.
 */
export function securePages(db: Db): void {
  db.pragma("synchronous = FULL");
  try {
    db.pragma("main.wal_checkpoint(TRUNCATE)");
  } finally {
    db.pragma("synchronous = NORMAL");
  }
}
