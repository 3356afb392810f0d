import type { Db } from "./database.ts";

/** Begins and ends transactions; within a transaction, savepoints. */
export class Transactions {
  readonly #db: Db;
  readonly #outer: EndStatements;
  readonly #inner: EndStatements;

  constructor(db: Db) {
    this.#db = db;
    this.#outer = prepare(db, "BEGIN IMMEDIATE", "COMMIT", "ROLLBACK");
    this.#inner = prepare(db, "SAVEPOINT request", "RELEASE request", "ROLLBACK TO request");
  }

  get isOpen(): boolean {
    return this.#db.inTransaction;
  }

  /** Runs `work` in a transaction. Rolls back if `work` throws or `keep` refuses the result. */
  async run<T>(work: () => Promise<T>, keep: (result: T) => boolean = everything): Promise<T> {
    const begun = this.#begin();
    let kept = false;
    try {
      const result = await work();
      kept = keep(result);
      if (kept) begun.ends.commit.run();
      return result;
    } catch (error) {
      kept = false;
      throw error;
    } finally {
      if (!kept) this.#undo(begun);
    }
  }

  #begin(): OpenTransaction {
    const isNested = this.#db.inTransaction;
    const ends = isNested ? this.#inner : this.#outer;
    ends.begin.run();
    return { ends, isNested };
  }

  /**
   * Undoes a transaction or savepoint. SQLite may have rolled back by itself (disk full). A
   * savepoint must still be released after its rollback.
   */
  #undo({ ends, isNested }: OpenTransaction): void {
    if (!this.#db.inTransaction) return;
    ends.rollback.run();
    if (isNested) ends.commit.run();
  }
}

type EndStatements = ReturnType<typeof prepare>;
type OpenTransaction = { readonly ends: EndStatements; readonly isNested: boolean };

function prepare(db: Db, begin: string, commit: string, rollback: string) {
  return { begin: db.prepare(begin), commit: db.prepare(commit), rollback: db.prepare(rollback) };
}

function everything(): boolean {
  return true;
}
