import type { Db } from "./database.ts";

/** `BEGIN` and its ends; within a transaction, a savepoint and its ends. */
export class Transactions {
  readonly #db: Db;
  readonly #outer: Ends;
  readonly #inner: Ends;

  constructor(db: Db) {
    this.#db = db;
    this.#outer = prepare(db, "BEGIN IMMEDIATE", "COMMIT", "ROLLBACK");
    this.#inner = prepare(db, "SAVEPOINT request", "RELEASE request", "ROLLBACK TO request");
  }

  /** Runs `work`; rolled back when it throws or its result is not kept. */
  async run<T>(work: () => Promise<T>, keep: (result: T) => boolean = everything): Promise<T> {
    const { ends, isNested } = this.#begin();
    let kept = false;
    try {
      const result = await work();
      kept = keep(result);
      if (kept) ends.commit.run();
      return result;
    } catch (error) {
      kept = false;
      throw error;
    } finally {
      if (!kept) this.#undo(ends, isNested);
    }
  }

  /** As `run`, for work that waits for nothing. */
  runNow<T>(work: () => T): T {
    const { ends, isNested } = this.#begin();
    let kept = false;
    try {
      const result = work();
      ends.commit.run();
      kept = true;
      return result;
    } finally {
      if (!kept) this.#undo(ends, isNested);
    }
  }

  #begin(): { readonly ends: Ends; readonly isNested: boolean } {
    const isNested = this.#db.inTransaction;
    const ends = isNested ? this.#inner : this.#outer;
    ends.begin.run();
    return { ends, isNested };
  }

  /**
   * SQLite may have rolled back by itself (disk full); a savepoint that was rolled back must still
   * be released.
   */
  #undo(ends: Ends, isNested: boolean): void {
    if (!this.#db.inTransaction) return;
    ends.rollback.run();
    if (isNested) ends.commit.run();
  }
}

type Ends = ReturnType<typeof prepare>;

function prepare(db: Db, begin: string, commit: string, rollback: string) {
  return { begin: db.prepare(begin), commit: db.prepare(commit), rollback: db.prepare(rollback) };
}

function everything(): boolean {
  return true;
}
