/**
 * Serializes work on the single connection. Reads take turns, too: between two awaits of a read,
 * another caller's open transaction would be visible.
 */
export class ConnectionQueue {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  /** Begins `work` when all earlier work has ended, successfully or not. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    await this.#begin();
    try {
      return await work();
    } finally {
      this.#end();
    }
  }

  async #begin(): Promise<void> {
    if (this.#isTaken) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#isTaken = true;
  }

  /** Passes the turn directly to the next caller, so that no new caller comes between. */
  #end(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}
