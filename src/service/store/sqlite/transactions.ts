import type { Db } from "./database.ts";

/** Begins and ends transactions. A transaction within another transaction is a savepoint. */
export class Transactions {
  readonly #db: Db;
  readonly #outer;
  readonly #inner;
  #version: number | null = 0;

  constructor(db: Db) {
    this.#db = db;
    this.#outer = prepareStatements(db, "BEGIN IMMEDIATE", "COMMIT", "ROLLBACK");
    this.#inner = prepareStatements(db, "SAVEPOINT request", "RELEASE request", "ROLLBACK TO request");
  }

  get isOpen(): boolean {
    return this.#db.inTransaction;
  }

  /**
   * Version of the data: the number of transactions that have ended. Results of earlier reads are
   * valid as long as this number is the same. Null during a transaction, because its writes may
   * still be rolled back.
   */
  get version(): number | null {
    return this.#version;
  }

  /**
   * Runs `work` in a transaction. Rolls back if `work` throws, or if `keep` returns false for its
   * result.
   */
  async run<T>(work: () => Promise<T>, keep: (result: T) => boolean = () => true): Promise<T> {
    const isNested = this.#db.inTransaction;
    const { begin, commit, rollback } = isNested ? this.#inner : this.#outer;
    begin.run();
    const version = this.#version;
    this.#version = null;
    let isCommitted = false;
    try {
      const result = await work();
      if (keep(result)) {
        // RACE: somebody may still move or delete the file during the commit.
        if (!isNested) this.#db.checkPath();
        commit.run();
        isCommitted = true;
      }
      return result;
    } finally {
      // If the disk is full, SQLite may already have rolled the transaction back.
      if (!isCommitted && this.#db.inTransaction) {
        rollback.run();
        // A savepoint still exists after its rollback, so it is released too.
        if (isNested) commit.run();
      }
      this.#version = version === null ? null : version + 1;
    }
  }
}

function prepareStatements(db: Db, begin: string, commit: string, rollback: string) {
  return { begin: db.statement(begin), commit: db.statement(commit), rollback: db.statement(rollback) };
}
