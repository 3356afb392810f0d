/**
 * Remembers since when each value has been unchanged: content that waits before review, documents
 * that became empty. Times are monotonic.
 */
export class UnchangedSince<Key, Value> {
  readonly #periodMs: number;
  readonly #since = new Map<Key, { readonly value: Value; readonly at: number }>();

  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  /** Takes the current values. A new or changed value starts its period. */
  update(now: number, values: ReadonlyMap<Key, Value>): void {
    for (const key of this.#since.keys()) if (!values.has(key)) this.#since.delete(key);
    for (const [key, value] of values)
      if (this.#since.get(key)?.value !== value) this.#since.set(key, { value, at: now });
  }

  /**
   * Ends the period of a key now, because a caller waits for it.
   * @returns true if a period was running
   */
  end(key: Key, now: number): boolean {
    const known = this.#since.get(key);
    if (known === undefined || known.at + this.#periodMs <= now) return false;
    // Not computed as a difference, because rounding could make the sum slightly more than `now`.
    this.#since.set(key, { ...known, at: Number.NEGATIVE_INFINITY });
    return true;
  }

  /** Returns the values that were unchanged for the whole period. */
  over(now: number): ReadonlyMap<Key, Value> {
    const over = new Map<Key, Value>();
    for (const [key, { value, at }] of this.#since) if (at + this.#periodMs <= now) over.set(key, value);
    return over;
  }

  /** Returns the end of the next period; null when no period is running. */
  nextAt(now: number): number | null {
    let next: number | null = null;
    for (const { at } of this.#since.values())
      if (at + this.#periodMs > now) next = Math.min(next ?? Number.POSITIVE_INFINITY, at + this.#periodMs);
    return next;
  }
}
