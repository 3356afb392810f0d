import type { Transactions } from "./transactions.ts";

/**
 * Runs work on the single connection, one after the other. Reads wait too, because a read must not
 * see the open transaction of another caller.
 */
export class ConnectionQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Begins `work` after all earlier work has ended, whether or not it failed. */
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
 * Commits concurrent writes in one transaction, so that all of them wait for the disk only once.
 * Writes are concurrent if they come in one turn of the event loop, or while the connection is in
 * use. Each write has its own savepoint, can be rolled back alone, and sees the writes before it.
 *
 * All writes are answered after the commit, even refused ones, because an earlier write of the same
 * transaction may be the reason for the refusal. Reads wait for the commit.
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
      const settle = resolve as (result: unknown) => void;
      this.#waiting.push({ work, keep: keep as WaitingWrite["keep"], resolve: settle, reject });
      if (this.#isGathering) return;
      this.#isGathering = true;
      void this.#turns.take(() => this.#commitTogether());
    });
  }

  /**
   * Commits the waiting writes. If the transaction is lost, for example because one write needs too
   * much disk space, each write runs again in its own transaction, so that only this write fails.
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
      // Not even a transaction could begin, so every write fails.
      if (begunWrites.length === 0) for (const { reject } of writes) reject(error);
      else for (const member of writes) await this.#commitAlone(member);
    }
  }

  async #commitAlone({ work, keep, resolve, reject }: WaitingWrite): Promise<void> {
    try {
      resolve(await this.#transactions.run(work, keep));
    } catch (error) {
      reject(error);
    }
  }

  async #gather(begun: WaitingWrite[], ended: (() => void)[]): Promise<void> {
    await this.#runWaiting(begun, ended);
    // Writes of requests that have already arrived join the transaction.
    await new Promise((resolve) => setImmediate(resolve));
    await this.#runWaiting(begun, ended);
    this.#isGathering = false;
  }

  async #runWaiting(begun: WaitingWrite[], ended: (() => void)[]): Promise<void> {
    for (let member = this.#waiting.shift(); member !== undefined; member = this.#waiting.shift()) {
      const { work, keep, resolve, reject } = member;
      begun.push(member);
      try {
        const result = await this.#transactions.run(work, keep);
        ended.push(() => resolve(result));
      } catch (error) {
        ended.push(() => reject(error));
        // A full disk may have ended the whole transaction, and not only this savepoint.
        if (!this.#transactions.isOpen) throw error;
      }
    }
  }
}
