import type { Db } from "./database.ts";
import { walSize } from "./own-database.ts";
import { WithStatements } from "./statement.ts";
import type { TextStore } from "./texts.ts";
import { WAL_BYTES } from "./wal-mode.ts";

type Contents = Pick<TextStore, "begin" | "commit" | "abandon" | "secure">;

/**
 * Transactions of the state. Contents are committed before the rows that name them, and stay if
 * these rows are rolled back.
 */
export class Transactions extends WithStatements {
  readonly #texts: Contents;
  readonly #begin = this.sql(isReadOnly(this.db) ? "BEGIN" : "BEGIN IMMEDIATE");
  readonly #commit = this.sql("COMMIT");
  readonly #rollback = this.sql("ROLLBACK");
  readonly #save = this.sql("SAVEPOINT part");
  readonly #release = this.sql("RELEASE part");
  readonly #undo = this.sql("ROLLBACK TO part");

  constructor(db: Db, texts: Contents) {
    super(db);
    this.#texts = texts;
    // SQLite's automatic checkpoints could flush rows before the contents that they name.
    db.pragma("wal_autocheckpoint = 0");
  }

  /**
   * Runs `work` in one transaction; within another transaction, in a savepoint. So a part that
   * throws is undone completely, and the other parts may continue.
   * @throws exceptions of `work`, after rolling back
   */
  run<T>(work: () => T): T {
    return this.db.inTransaction ? this.#part(work) : this.#outermost(work);
  }

  /**
   * Works as `run`. If `work` writes anything, the result survives a power loss, with everything
   * committed before. Takes an fsync. Not allowed within another transaction.
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

  /**
   * Writes a large WAL back into the file. ORDER: contents are secured first, because a checkpoint
   * flushes rows.
   */
  #writeBack(): void {
    if (this.db.memory || this.db.readonly) return;
    if (walSize(this.db.name) < WAL_BYTES) return;
    this.#texts.secure();
    this.db.pragma("main.wal_checkpoint(PASSIVE)");
  }

  #outermost<T>(work: () => T): T {
    this.#writeBack();
    this.#begin.run();
    this.#texts.begin();
    let committed = false;
    try {
      const result = synchronous(work());
      // ORDER: the content store commits before the rows. A kill between the two leaves only
      // content without a name.
      this.#texts.commit();
      this.#commit.run();
      committed = true;
      return result;
    } finally {
      if (!committed) {
        // SQLite may already have rolled back by itself (full disk).
        if (this.db.inTransaction) this.#rollback.run();
        this.#texts.abandon();
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

/** Returns true if the database cannot be written, which is also set for a copy in memory. */
function isReadOnly(db: Db): boolean {
  return db.readonly || db.pragma("query_only", { simple: true }) === 1;
}

function synchronous<T>(result: T): T {
  if (result instanceof Promise) throw new TypeError("a transaction's work must be synchronous");
  return result;
}
