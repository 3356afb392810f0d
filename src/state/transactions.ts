import type { Db } from "./database.ts";

export type Transact = <T>(work: () => T) => T;

/**
 * What goes with a transaction: texts are made durable before the rows that name them, and stay
 * when those are rolled back.
 */
export type Companion = { begin(): void; commit(): void; abandon(): void };

/**
 * Runs `work` in one transaction; within another, in a savepoint, so that a part that throws is
 * undone as a whole and the rest may go on.
 * @throws what `work` throws, after rolling back
 */
export function transactions(db: Db, companion: Companion): Transact {
  const begin = db.prepare(isReadOnly(db) ? "BEGIN" : "BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");
  const rollback = db.prepare("ROLLBACK");
  const save = db.prepare("SAVEPOINT part");
  const release = db.prepare("RELEASE part");
  const undo = db.prepare("ROLLBACK TO part");

  function outermost<T>(work: () => T): T {
    begin.run();
    companion.begin();
    let committed = false;
    try {
      const result = synchronous(work());
      // ORDER: the text's file commits before the row's file; killed between the two, a text
      // without a name is all that is left.
      companion.commit();
      commit.run();
      committed = true;
      return result;
    } finally {
      if (!committed) {
        // SQLite may have rolled back by itself (disk full).
        if (db.inTransaction) rollback.run();
        companion.abandon();
      }
    }
  }

  function part<T>(work: () => T): T {
    save.run();
    let kept = false;
    try {
      const result = synchronous(work());
      kept = true;
      return result;
    } finally {
      if (db.inTransaction) {
        if (!kept) undo.run();
        release.run();
      }
    }
  }

  return (work) => (db.inTransaction ? part(work) : outermost(work));
}

/** Also a copy in memory, which is not opened so but told so. */
function isReadOnly(db: Db): boolean {
  return db.readonly || db.pragma("query_only", { simple: true }) === 1;
}

function synchronous<T>(result: T): T {
  if (result instanceof Promise) throw new TypeError("a transaction's work must be synchronous");
  return result;
}
