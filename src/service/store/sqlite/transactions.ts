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
   * valid as long as this number is the same. Null during a transaction, because the transaction
   * may still be rolled back.
   */
  get version(): number | null {
    return this.#version;
  }

  /** Runs `work` in a transaction. Rolls back if `work` throws or `keep` returns false. */
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
        // RACE: somebody may still move or delete the file during the commit. The next start then
        // does not find the write.
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

/**
 * A queue of work for the only connection, which runs one piece of work at a time. Reads wait too,
 * because they must not see an open transaction of other work.
 */
export class ConnectionQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `work` after all earlier work has ended, even if earlier work failed. */
  take<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

/** A write that waits for its turn in the transaction, and then for the commit. */
type WaitingWrite = {
  readonly work: () => Promise<unknown>;
  readonly keep: (result: unknown) => boolean;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Commits several writes in one transaction, so that together they wait for the disk only once.
 * Combines the writes that arrive in one turn of the event loop, or while the connection is in use.
 * Each write has its own savepoint, so it can be rolled back alone, and sees the writes before it.
 *
 * All writes are answered after the commit. A refused write is also answered then: the reason for
 * the refusal may be an earlier write of the same transaction. Reads wait for the commit.
 */
export class GroupCommit {
  readonly #turns: ConnectionQueue;
  readonly #transactions: Transactions;
  readonly #waiting: WaitingWrite[] = [];
  #isGathering = false;

  constructor(queue: ConnectionQueue, transactions: Transactions) {
    this.#turns = queue;
    this.#transactions = transactions;
  }

  write<T>(work: () => Promise<T>, keep: (result: T) => boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const resolveResult = resolve as (result: unknown) => void;
      this.#waiting.push({ work, keep: keep as WaitingWrite["keep"], resolve: resolveResult, reject });
      if (this.#isGathering) return;
      this.#isGathering = true;
      void this.#turns.take(() => this.#commitTogether());
    });
  }

  /**
   * Commits the waiting writes. If the transaction fails, each write runs again in its own
   * transaction. Then only the write that caused the failure fails, for example because this write
   * needs too much disk space.
   */
  async #commitTogether(): Promise<void> {
    const begunWrites: WaitingWrite[] = [];
    const answers: (() => void)[] = [];
    try {
      await this.#transactions.run(() => this.#gather(begunWrites, answers));
      for (const answer of answers) answer();
    } catch (error) {
      const writes = [...begunWrites, ...this.#waiting.splice(0)];
      this.#isGathering = false;
      // The transaction could not begin, so every write fails.
      if (begunWrites.length === 0) for (const { reject } of writes) reject(error);
      else
        for (const write of writes) {
          const answer = await this.#run(write);
          answer();
        }
    }
  }

  async #gather(begun: WaitingWrite[], answers: (() => void)[]): Promise<void> {
    await this.#runWaiting(begun, answers);
    // During the pause, writes whose requests have already arrived join the transaction.
    await new Promise((resolve) => setImmediate(resolve));
    await this.#runWaiting(begun, answers);
    this.#isGathering = false;
  }

  async #runWaiting(begun: WaitingWrite[], answers: (() => void)[]): Promise<void> {
    for (let write = this.#waiting.shift(); write !== undefined; write = this.#waiting.shift()) {
      begun.push(write);
      answers.push(await this.#run(write));
      // If the disk is full, SQLite may have ended the whole transaction, not only the savepoint of
      // the write.
      if (!this.#transactions.isOpen) throw new Error("the transaction has ended");
    }
  }

  /** Runs a write in a transaction or savepoint. Returns a function that answers the write. */
  async #run({ work, keep, resolve, reject }: WaitingWrite): Promise<() => void> {
    try {
      const result = await this.#transactions.run(work, keep);
      return () => resolve(result);
    } catch (error) {
      return () => reject(error);
    }
  }
}
