/** A map that removes its oldest entries while the total size of its values exceeds a limit. */
export class BoundedMap<Key, Value> {
  readonly #values = new Map<Key, Value>();
  readonly #maxSize: number;
  readonly #sizeOf: (value: Value) => number;
  #size = 0;

  /**
   * @param maxSize limit of the total size, in the unit of `sizeOf`
   * @param sizeOf returns the size of a value, always the same number for the same value
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
    // The oldest entry is the first one, because a Map keeps the order of insertion.
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
