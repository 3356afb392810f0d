/** How many rounds there may be before all is forgotten. */
const MOST_ROUNDS = 2 ** 31 - 1;

/** Which numbers, from 0 on, were seen since the last `clear`, which costs nothing. */
export class Seen {
  #rounds = new Int32Array(1024);
  #round = 1;

  clear(): void {
    if (this.#round === MOST_ROUNDS) {
      this.#rounds.fill(0);
      this.#round = 0;
    }
    this.#round++;
  }

  /** Adds the elements [from, to) of a sequence. */
  addAll(ids: readonly number[], from: number, to: number): void {
    for (let at = from; at < to; at++) {
      const id = ids[at] as number;
      if (id >= this.#rounds.length) this.#grow(id);
      this.#rounds[id] = this.#round;
    }
  }

  has(id: number): boolean {
    return this.#rounds[id] === this.#round;
  }

  #grow(id: number): void {
    const larger = new Int32Array(2 * id);
    larger.set(this.#rounds);
    this.#rounds = larger;
  }
}
