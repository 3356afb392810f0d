import type { Db } from "./database.ts";

/** Begins and ends transactions; within a transaction, savepoints. */
export class Transactions {
  readonly #db: Db;
  readonly #outer;
  readonly #inner;
  #version: number | null = 0;

  constructor(db: Db) {
    this.#db = db;
    this.#outer = prepare(db, "BEGIN IMMEDIATE", "COMMIT", "ROLLBACK");
    this.#inner = prepare(db, "SAVEPOINT request", "RELEASE request", "ROLLBACK TO request");
  }

  get isOpen(): boolean {
    return this.#db.inTransaction;
  }

  /**
   * Number of ended transactions: while this number is unchanged, the results of earlier reads are
   * valid. Null during a transaction, whose writes may still be undone.
   */
  get version(): number | null {
    return this.#version;
  }

  /** Runs `work` in a transaction. Rolls back if `work` throws or `keep` refuses the result. */
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
        // RACE: the file can still be moved during the commit.
        if (!isNested) this.#db.checkPath();
        commit.run();
        isCommitted = true;
      }
      return result;
    } finally {
      // SQLite may have rolled back by itself, because the disk is full.
      if (!isCommitted && this.#db.inTransaction) {
        rollback.run();
        // A savepoint must still be released after its rollback.
        if (isNested) commit.run();
      }
      this.#version = version === null ? null : version + 1;
    }
  }
}

function prepare(db: Db, begin: string, commit: string, rollback: string) {
  return { begin: db.statement(begin), commit: db.statement(commit), rollback: db.statement(rollback) };
}
