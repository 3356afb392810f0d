import type { Db } from "./database.ts";
import { walSize } from "./own-database.ts";
import { WithStatements } from "./statement.ts";
import { WAL_BYTES } from "./wal-mode.ts";

/**
 * Takes part in a transaction: contents are committed before the rows that name them, and stay when
 * those are rolled back.
 */
export type Companion = {
  begin(): void;
  commit(): void;
  abandon(): void;
  /** Flushes what is committed. */
  secure(): void;
};

/** Transactions of one connection. */
export class Transactions extends WithStatements {
  readonly #companion: Companion;
  readonly #begin = this.sql(isReadOnly(this.db) ? "BEGIN" : "BEGIN IMMEDIATE");
  readonly #commit = this.sql("COMMIT");
  readonly #rollback = this.sql("ROLLBACK");
  readonly #save = this.sql("SAVEPOINT part");
  readonly #release = this.sql("RELEASE part");
  readonly #undo = this.sql("ROLLBACK TO part");

  constructor(db: Db, companion: Companion) {
    super(db);
    this.#companion = companion;
    // SQLite's own checkpoints would flush rows before the contents that they name.
    db.pragma("wal_autocheckpoint = 0");
  }

  /**
   * Runs `work` in one transaction; within another, in a savepoint, so that a part that throws is
   * undone as a whole and the rest may continue.
   * @throws exceptions of `work`, after rolling back
   */
  run<T>(work: () => T): T {
    return this.db.inTransaction ? this.#part(work) : this.#outermost(work);
  }

  /**
   * Works as `run`, and the result survives a power loss from then on, with everything committed
   * before it; if `work` writes anything. It costs an fsync. Not within another transaction.
   */
  runSafely<T>(work: () => T): T {
    if (this.db.inTransaction) throw new Error("a part of a transaction cannot be made safe by itself");
    // With `synchronous = NORMAL` only checkpoints flush the WAL; with FULL, each commit does.
    this.db.pragma("synchronous = FULL");
    try {
      return this.#outermost(work);
    } finally {
      this.db.pragma("synchronous = NORMAL");
    }
  }

  /** Writes a large WAL back. ORDER: a checkpoint flushes rows, so their contents come first. */
  #writeBack(): void {
    if (this.db.memory || this.db.readonly) return;
    if (walSize(this.db.name) < WAL_BYTES) return;
    this.#companion.secure();
    this.db.pragma("main.wal_checkpoint(PASSIVE)");
  }

  #outermost<T>(work: () => T): T {
    this.#writeBack();
    this.#begin.run();
    this.#companion.begin();
    let committed = false;
    try {
      const result = synchronous(work());
      // ORDER: the file of contents commits before the file of rows: a kill between the two leaves
      // only content without a name.
      this.#companion.commit();
      this.#commit.run();
      committed = true;
      return result;
    } finally {
      if (!committed) {
        // SQLite may have rolled back by itself (disk full).
        if (this.db.inTransaction) this.#rollback.run();
        this.#companion.abandon();
      }
    }
  }

  #part<T>(work: () => T): T {
    this.#save.run();
    let kept = false;
    try {
      const result = synchronous(work());
      kept = true;
      return result;
    } finally {
      if (this.db.inTransaction) {
        if (!kept) this.#undo.run();
        this.#release.run();
      }
    }
  }
}

/** Returns true if nothing can be written: also for a copy in memory, which is marked so. */
function isReadOnly(db: Db): boolean {
  return db.readonly || db.pragma("query_only", { simple: true }) === 1;
}

function synchronous<T>(result: T): T {
  if (result instanceof Promise) throw new TypeError("a transaction's work must be synchronous");
  return result;
}
