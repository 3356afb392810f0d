import type { Transactions } from "./transactions.ts";

/**
 * Runs work on the single connection in order. Reads wait too: between two awaits, a read would see
 * the open transaction of another caller.
 */
export class ConnectionQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Begins `work` after all earlier work has ended, successfully or not. */
  take<T>(work: () => Promise<T>): Promise<T> {
    const taken = this.#last.then(work);
    this.#last = taken.catch(() => undefined);
    return taken;
  }
}

/** A write that waits for its savepoint, and then for the commit. */
type Member = {
  readonly work: () => Promise<unknown>;
  readonly keep: (result: unknown) => boolean;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Commits concurrent writes in one transaction, so that all wait for the disk once. Writes are
 * concurrent if they come in one turn of the event loop, or while the connection is in use. Each
 * write has its own savepoint for a rollback, and sees the writes before it. All are answered after
 * the commit, even refused ones, because a write of the same transaction may be the reason of the
 * refusal. Reads wait for the commit.
 */
export class GroupCommit {
  readonly #turns: ConnectionQueue;
  readonly #transactions: Transactions;
  readonly #waiting: Member[] = [];
  #isGathering = false;

  constructor(queue: ConnectionQueue, transactions: Transactions) {
    this.#turns = queue;
    this.#transactions = transactions;
  }

  write<T>(work: () => Promise<T>, keep: (result: T) => boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const settle = resolve as (result: unknown) => void;
      this.#waiting.push({ work, keep: keep as Member["keep"], resolve: settle, reject });
      if (this.#isGathering) return;
      this.#isGathering = true;
      void this.#turns.take(() => this.#commitTogether());
    });
  }

  /**
   * Runs and commits the waiting writes. If the transaction is lost, for example because the disk
   * has no space for one of them, each write runs again in a transaction of its own. Then only a
   * write that is too large fails, even if all clients repeat their writes at the same time.
   */
  async #commitTogether(): Promise<void> {
    const begun: Member[] = [];
    const ended: (() => void)[] = [];
    try {
      await this.#transactions.run(() => this.#gather(begun, ended));
      for (const end of ended) end();
    } catch (error) {
      const members = [...begun, ...this.#waiting.splice(0)];
      this.#isGathering = false;
      // No write has begun, because no transaction can begin at present, so each write fails.
      if (begun.length === 0) for (const { reject } of members) reject(error);
      else for (const member of members) await this.#commitAlone(member);
    }
  }

  async #commitAlone({ work, keep, resolve, reject }: Member): Promise<void> {
    try {
      resolve(await this.#transactions.run(work, keep));
    } catch (error) {
      reject(error);
    }
  }

  async #gather(begun: Member[], ended: (() => void)[]): Promise<void> {
    await this.#runWaiting(begun, ended);
    // Lets the process read requests that have already arrived.
    await new Promise((resolve) => setImmediate(resolve));
    await this.#runWaiting(begun, ended);
    this.#isGathering = false;
  }

  async #runWaiting(begun: Member[], ended: (() => void)[]): Promise<void> {
    for (let member = this.#waiting.shift(); member !== undefined; member = this.#waiting.shift()) {
      const { work, keep, resolve, reject } = member;
      begun.push(member);
      try {
        const result = await this.#transactions.run(work, keep);
        ended.push(() => resolve(result));
      } catch (error) {
        ended.push(() => reject(error));
        // A full disk may have ended the whole transaction, not only this savepoint.
        if (!this.#transactions.isOpen) throw error;
      }
    }
  }
}
