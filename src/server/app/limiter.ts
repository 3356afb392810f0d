/**
 * Slows down whoever guesses keys. Keys are long and random, so a guess never succeeds, but each
 * try costs the service some work, and people need few tries.
 */

/** LIMIT: wrong keys from one address, and how often another one may be tried after that. */
const TRIES = 10;
const REFILL_MS = 6_000;
/** LIMIT: addresses that are remembered. One more removes the oldest. */
const MOST_ADDRESSES = 1_000;

type Bucket = { tries: number; at: number };

export class SignInLimiter {
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  /** @param now in milliseconds; the clock may be set back */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** @returns seconds to wait; null: another key may be tried from this address */
  waitOf(address: string): number | null {
    const bucket = this.#refilled(address);
    return bucket === null || bucket.tries >= 1 ? null : Math.ceil(((1 - bucket.tries) * REFILL_MS) / 1_000);
  }

  /** Counts a try as a wrong key, until `noteRight`: many at once are many tries. */
  noteTry(address: string): void {
    const bucket = this.#refilled(address) ?? { tries: TRIES, at: this.#now() };
    bucket.tries = Math.max(0, bucket.tries - 1);
    this.#buckets.delete(address);
    this.#buckets.set(address, bucket);
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > MOST_ADDRESSES) this.#buckets.delete(oldest!);
  }

  /** Takes back one try. */
  noteRight(address: string): void {
    const bucket = this.#refilled(address);
    if (bucket !== null) bucket.tries = Math.min(TRIES, bucket.tries + 1);
  }

  #refilled(address: string): Bucket | null {
    const bucket = this.#buckets.get(address);
    if (bucket === undefined) return null;
    const now = this.#now();
    bucket.tries = Math.min(TRIES, bucket.tries + Math.max(0, now - bucket.at) / REFILL_MS);
    bucket.at = now;
    return bucket;
  }
}
