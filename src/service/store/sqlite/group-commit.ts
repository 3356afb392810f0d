import type { Transactions } from "./transactions.ts";
import type { Turns } from "./turns.ts";

/** A write that waits for its savepoint, and then for the commit. */
type Member = {
  readonly work: () => Promise<unknown>;
  readonly keep: (result: unknown) => boolean;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
};

/** How a member's own savepoint ended; it is told when the transaction has ended too. */
type Ended = { readonly member: Member; readonly tell: () => void };

/**
 * Writes that come together are one transaction, so that they wait for the disk once: those of one
 * turn of the event loop, and those that came while the connection was in use. Each has a savepoint
 * of its own, to which it alone goes back, and sees those before it. All are answered after the
 * commit, refused ones too, since what refused them may be in it. Reads wait for it.
 */
export class GroupCommit {
  readonly #turns: Turns;
  readonly #transactions: Transactions;
  readonly #waiting: Member[] = [];
  #isGathering = false;

  constructor(turns: Turns, transactions: Transactions) {
    this.#turns = turns;
    this.#transactions = transactions;
  }

  write<T>(work: () => Promise<T>, keep: (result: T) => boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const told = resolve as (result: unknown) => void;
      this.#waiting.push({ work, keep: keep as Member["keep"], resolve: told, reject });
      if (this.#isGathering) return;
      this.#isGathering = true;
      void this.#turns.take(() => this.#commitTogether());
    });
  }

  async #commitTogether(): Promise<void> {
    const ended: Ended[] = [];
    try {
      await this.#transactions.run(() => this.#gather(ended));
    } catch (error) {
      this.#isGathering = false;
      if (ended.length === 0) return this.#refuseAll(error);
      await this.#eachAlone(ended, error);
      return this.#goOn();
    }
    for (const { tell } of ended) tell();
  }

  async #gather(ended: Ended[]): Promise<void> {
    await this.#runWaiting(ended);
    // Requests that the system has by now are read before this.
    await new Promise((resolve) => setImmediate(resolve));
    await this.#runWaiting(ended);
    this.#isGathering = false;
  }

  async #runWaiting(ended: Ended[]): Promise<void> {
    for (let member = this.#waiting.shift(); member !== undefined; member = this.#waiting.shift()) {
      const { work, keep, resolve, reject } = member;
      try {
        const result = await this.#transactions.run(work, keep);
        ended.push({ member, tell: () => resolve(result) });
      } catch (error) {
        ended.push({ member, tell: () => reject(error) });
        // What the disk has no room for may have ended the transaction of all.
        if (!this.#transactions.isOpen) throw error;
      }
    }
  }

  /**
   * What all of them lost together, each tries by itself, in the same order: one that is too large
   * for the disk costs the others nothing but time.
   */
  async #eachAlone(ended: readonly Ended[], error: unknown): Promise<void> {
    const [first] = ended;
    if (ended.length === 1) return first!.member.reject(error);
    for (const { member } of ended) {
      try {
        member.resolve(await this.#transactions.run(member.work, member.keep));
      } catch (fault) {
        member.reject(fault);
      }
    }
  }

  /** No transaction could be begun. */
  #refuseAll(error: unknown): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  /** Those that had not begun when the transaction was lost. */
  #goOn(): void {
    if (this.#waiting.length === 0) return;
    this.#isGathering = true;
    void this.#turns.take(() => this.#commitTogether());
  }
}
