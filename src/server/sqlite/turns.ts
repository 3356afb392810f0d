/**
 * Whoever works with the one connection, one after the other. A look, too, takes a turn: between
 * two of its awaits another one's open transaction would be seen.
 */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Begins `work` when all that came before has ended, well or not. */
  take<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work, work);
    this.#last = mine;
    return mine;
  }
}
