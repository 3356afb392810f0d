type Bucket = { tokens: number; filledAt: number };

/** Capacity of a bucket in tokens, and its refill in tokens per millisecond. */
type BucketSize = { readonly most: number; readonly perMs: number };

/** Token buckets for rate limits, by name. In memory only, so a restart fills all buckets. */
export class TokenBuckets<Name> {
  readonly #now: () => number;
  readonly #most: number;
  readonly #buckets = new Map<Name, Bucket>();

  /**
   * @param now returns milliseconds; a clock that is set back neither adds nor takes tokens
   * @param most number of buckets; one more bucket removes the bucket that was used longest ago
   */
  constructor(now: () => number, most = Number.POSITIVE_INFINITY) {
    this.#now = now;
    this.#most = most;
  }

  /**
   * Returns null if the bucket has a token now, otherwise the milliseconds until it has one.
   * @param taken 1 takes a token; 0 only checks for one
   */
  take(name: Name, { most, perMs }: BucketSize, taken: 0 | 1 = 1): number | null {
    const now = this.#now();
    const { tokens: before, filledAt: then } = this.#buckets.get(name) ?? { tokens: most, filledAt: now };
    const tokens = Math.min(most, before + Math.max(0, now - then) * perMs);
    const waitMs = tokens >= 1 ? null : (1 - tokens) / perMs;
    this.#buckets.delete(name);
    this.#buckets.set(name, { tokens: waitMs === null ? tokens - taken : tokens, filledAt: now });
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > this.#most) this.#buckets.delete(oldest!);
    return waitMs;
  }
}
