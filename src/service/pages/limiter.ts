/**
 * Slows down clients that try wrong keys. A key is long and random, so no guess succeeds. The right
 * key is always accepted: other users of the same address cannot lock its owner out.
 */

/**
 * LIMIT: wrong keys from one address without a wait, and milliseconds after which one more is
 * allowed.
 */
const TRIES = 10;
const REFILL_MS = 6_000;
/** LIMIT: addresses that are remembered. A further one removes the oldest. */
const MOST_ADDRESSES = 1_000;

type Bucket = { readonly tries: number; readonly at: number };

export class SignInLimiter {
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  /** @param now returns milliseconds; the clock may be set back */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Counts a wrong key.
   * @returns seconds to wait before the next one; null for none
   */
  noteWrong(address: string): number | null {
    const tries = this.#triesOf(address);
    const isLeft = tries >= 1;
    this.#buckets.delete(address);
    this.#buckets.set(address, { tries: isLeft ? tries - 1 : tries, at: this.#now() });
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > MOST_ADDRESSES) this.#buckets.delete(oldest!);
    return isLeft ? null : Math.ceil(((1 - tries) * REFILL_MS) / 1_000);
  }

  #triesOf(address: string): number {
    const bucket = this.#buckets.get(address);
    if (bucket === undefined) return TRIES;
    return Math.min(TRIES, bucket.tries + Math.max(0, this.#now() - bucket.at) / REFILL_MS);
  }
}
