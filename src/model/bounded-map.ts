/** A map that holds no more characters than it is told to: what was put longest ago goes first. */
export class BoundedMap<Key, Value> {
  readonly #values = new Map<Key, Value>();
  readonly #most: number;
  readonly #lengthOf: (value: Value) => number;
  #characters = 0;

  /**
   * @param most characters (UTF-16 units) in memory
   * @param lengthOf characters that a value takes, the same each time it is asked
   */
  constructor(most: number, lengthOf: (value: Value) => number) {
    this.#most = most;
    this.#lengthOf = lengthOf;
  }

  get(key: Key): Value | undefined {
    return this.#values.get(key);
  }

  put(key: Key, value: Value): void {
    this.forget(key);
    this.#values.set(key, value);
    this.#characters += this.#lengthOf(value);
    // A Map keeps the order of insertion.
    for (const [oldest] of this.#values) {
      if (this.#characters <= this.#most) break;
      this.forget(oldest);
    }
  }

  forget(key: Key): void {
    const value = this.#values.get(key);
    if (value === undefined) return;
    this.#values.delete(key);
    this.#characters -= this.#lengthOf(value);
  }

  forgetAll(): void {
    this.#values.clear();
    this.#characters = 0;
  }
}
