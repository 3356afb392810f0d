/**
 * A map with a limit for the total size of its values. If the values exceed the limit, the oldest
 * values are removed.
 */
export class BoundedMap<Key, Value> {
  readonly #values = new Map<Key, Value>();
  readonly #maxSize: number;
  readonly #sizeOf: (value: Value) => number;
  #size = 0;

  /**
   * @param maxSize limit of the total size, in the unit of `sizeOf`
   * @param sizeOf returns the size of a value. The size of a value must never change
   */
  constructor(maxSize: number, sizeOf: (value: Value) => number = () => 1) {
    this.#maxSize = maxSize;
    this.#sizeOf = sizeOf;
  }

  get(key: Key): Value | undefined {
    return this.#values.get(key);
  }

  has(key: Key): boolean {
    return this.#values.has(key);
  }

  set(key: Key, value: Value): void {
    this.delete(key);
    this.#values.set(key, value);
    this.#size += this.#sizeOf(value);
    // A Map keeps the order of insertion, so the first value is the oldest one.
    for (const oldest of this.#values.keys()) {
      if (this.#size <= this.#maxSize) break;
      this.delete(oldest);
    }
  }

  delete(key: Key): void {
    const value = this.#values.get(key);
    if (value === undefined) return;
    this.#values.delete(key);
    this.#size -= this.#sizeOf(value);
  }

  clear(): void {
    this.#values.clear();
    this.#size = 0;
  }
}
