import type { Db } from "./database.ts";

/** `BEGIN` and its ends; within a transaction, a savepoint and its ends. */
export class Transactions {
  readonly #db: Db;
  readonly #outer: Ends;
  readonly #inner: Ends;
  /** What was written of keys before the transaction that is open. */
  #keysBefore = 0;

  constructor(db: Db) {
    this.#db = db;
    this.#outer = prepare(db, "BEGIN IMMEDIATE", "COMMIT", "ROLLBACK");
    this.#inner = prepare(db, "SAVEPOINT request", "RELEASE request", "ROLLBACK TO request");
  }

  get isOpen(): boolean {
    return this.#db.inTransaction;
  }

  /** Whether one is open in which something of keys was written, which may still be undone. */
  get isOfKeys(): boolean {
    return this.#db.inTransaction && this.#db.writes.keys !== this.#keysBefore;
  }

  /** Runs `work`; rolled back when it throws or its result is not kept. */
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

  /** As `run`, for work that waits for nothing. */
  runNow<T>(work: () => T): T {
    const begun = this.#begin();
    let kept = false;
    try {
      const result = work();
      begun.ends.commit.run();
      kept = true;
      return result;
    } finally {
      if (!kept) this.#undo(begun);
    }
  }

  #begin(): Begun {
    const isNested = this.#db.inTransaction;
    const ends = isNested ? this.#inner : this.#outer;
    ends.begin.run();
    const before = { ...this.#db.writes };
    if (!isNested) this.#keysBefore = before.keys;
    return { ends, isNested, before };
  }

  /**
   * SQLite may have rolled back by itself (disk full); a savepoint that was rolled back must still
   * be released.
   */
  #undo({ ends, isNested, before }: Begun): void {
    this.#db.noteUndone(before);
    if (!this.#db.inTransaction) return;
    ends.rollback.run();
    if (isNested) ends.commit.run();
  }
}

type Ends = ReturnType<typeof prepare>;
type Begun = { readonly ends: Ends; readonly isNested: boolean; readonly before: Db["writes"] };

function prepare(db: Db, begin: string, commit: string, rollback: string) {
  return { begin: db.prepare(begin), commit: db.prepare(commit), rollback: db.prepare(rollback) };
}

function everything(): boolean {
  return true;
}
