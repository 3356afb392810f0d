import type { SqliteDatabase } from "./database.ts";
import { readWalSize } from "./own-database.ts";
import { TableWithStatements } from "./statement.ts";
import type { ContentStore } from "./texts.ts";
import { MAX_WAL_BYTES, withSynchronous } from "./wal-mode.ts";

type ContentTransactions = Pick<ContentStore, "begin" | "commit" | "abandon" | "secure">;

/**
 * Transactions of the state. Contents are committed before the rows that refer to them, and are
 * never rolled back.
 */
export class Transactions extends TableWithStatements {
  readonly #texts: ContentTransactions;
  readonly #isReadOnly = this.db.readonly || this.db.pragma("query_only", { simple: true }) === 1;
  readonly #inTransaction = this.db.transaction((work: () => unknown) => work());

  constructor(db: SqliteDatabase, texts: ContentTransactions) {
    super(db);
    this.#texts = texts;
    // An automatic checkpoint could flush rows before the contents to which these rows refer.
    db.pragma("wal_autocheckpoint = 0");
  }

  /**
   * Runs `work` in one transaction. Within another transaction, uses a savepoint: if `work` throws,
   * only the changes of `work` are undone.
   * @throws exceptions of `work`, after its changes are undone
   */
  run<T>(work: () => T): T {
    return this.db.inTransaction ? (this.#inTransaction(work) as T) : this.#outermost(work);
  }

  /**
   * Runs `work` as `run` does. If `work` writes anything, also makes everything committed so far
   * survive a power loss; this takes an fsync. Not allowed within another transaction.
   */
  runSafely<T>(work: () => T): T {
    if (this.db.inTransaction) throw new Error("a part of a transaction cannot be made safe by itself");
    return withSynchronous(this.db, "FULL", () => this.#outermost(work));
  }

  /**
   * Writes a large WAL back to the database file. ORDER: first the WAL of the contents, then that
   * of the rows. Writing a WAL back also flushes it, and after a power loss no row may refer to
   * lost content.
   */
  #writeBack(): void {
    if (this.db.memory || this.db.readonly) return;
    if (readWalSize(this.db.name) < MAX_WAL_BYTES) return;
    this.#texts.secure();
    this.db.pragma("main.wal_checkpoint(PASSIVE)");
  }

  #outermost<T>(work: () => T): T {
    this.#writeBack();
    const runTransaction = this.#isReadOnly ? this.#inTransaction : this.#inTransaction.immediate;
    let isCommitted = false;
    try {
      const result = runTransaction(() => {
        this.#texts.begin();
        const workResult = work();
        // ORDER: contents are committed before rows. If the process is killed between the two
        // commits, there are only contents to which no row refers.
        this.#texts.commit();
        return workResult;
      });
      isCommitted = true;
      return result as T;
    } finally {
      if (!isCommitted) this.#texts.abandon();
    }
  }
}
