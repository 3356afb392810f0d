type Bucket = { tokens: number; filledAt: number };

/**
 * Size of a bucket. `most`: number of tokens that fit; `perMs`: number of tokens added per
 * millisecond.
 */
type BucketSize = { readonly most: number; readonly perMs: number };

/**
 * Token buckets for rate limits, by name. They are only in memory, so a restart fills all of them.
 */
export class TokenBuckets<Name> {
  readonly #now: () => number;
  readonly #most: number;
  readonly #buckets = new Map<Name, Bucket>();

  /**
   * @param now returns milliseconds. If the clock is set back, no tokens are added or taken
   * @param most number of buckets. One more bucket replaces the bucket that was unused for longest
   */
  constructor(now: () => number, most = Number.POSITIVE_INFINITY) {
    this.#now = now;
    this.#most = most;
  }

  /**
   * Returns null if the bucket has a token. Otherwise returns the milliseconds until it has one.
   * @param taken 1 takes the token; 0 only checks whether there is one
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
