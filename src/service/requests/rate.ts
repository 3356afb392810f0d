import { refuse, type Refused } from "./answer.ts";
import type { KeyHolder, KeyRow, RateLimit } from "../store/rows.ts";
import type { Store } from "../store/store.ts";

type Bucket = { tokens: number; filledAt: number };

/** Size of a bucket. `most`: tokens that fit; `perMs`: tokens added per millisecond. */
type BucketSize = { readonly most: number; readonly perMs: number };

/** Token buckets for rate limits, by name, in memory only: a restart fills all buckets. */
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
   * Checks a bucket for a token. Returns null if the bucket has a token, otherwise the milliseconds
   * until the bucket has one.
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

export class RateLimiter {
  readonly #buckets: TokenBuckets<number>;

  constructor(now: () => number) {
    this.#buckets = new TokenBuckets(now);
  }

  /**
   * Returns the refusal if a key exceeds its rate limit; otherwise null.
   * @param taken 1 counts a request; 0 only checks the limit
   */
  take({ key, settings }: KeyHolder, taken: 0 | 1): Refused | null {
    const limit = readRateLimit(key) ?? settings.rateLimit;
    if (limit === null) return null;
    const { requests, seconds } = limit;
    const waitMs = this.#buckets.take(key.seq, { most: requests, perMs: requests / (seconds * 1_000) }, taken);
    if (waitMs === null) return null;
    const waitSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
    return refuse("rate_limited", `Too many requests; wait ${waitSeconds} s.`, [], {
      "retry-after": String(waitSeconds),
    });
  }
}

/** Returns the rate limit that was set for the key; null if there is none. */
export function readRateLimit({ rateRequests, rateSeconds }: KeyRow): RateLimit | null {
  return rateRequests === null || rateSeconds === null ? null : { requests: rateRequests, seconds: rateSeconds };
}

/**
 * Keeps the time of each key's last use in memory, and saves all times together at intervals.
 * Saving the time of each request would take longer than the request.
 */
export class KeyUses {
  #unsaved = new Map<number, number>();

  /** @param usedAt milliseconds since the epoch */
  note(key: number, usedAt: number): void {
    this.#unsaved.set(key, usedAt);
  }

  /** Returns the last use of a key in milliseconds since the epoch; null for never. */
  lastOf({ seq, lastUsedAt }: KeyRow): number | null {
    return this.#unsaved.get(seq) ?? lastUsedAt;
  }

  /** @throws if the disk is full; the next call then saves the unsaved times */
  async save(store: Pick<Store, "write">): Promise<void> {
    const unsavedUses = this.#unsaved;
    if (unsavedUses.size === 0) return;
    const savedUses = new Map(unsavedUses);
    await store.write((tables) => tables.keys.saveUses(savedUses));
    for (const [key, usedAt] of savedUses) if (unsavedUses.get(key) === usedAt) unsavedUses.delete(key);
  }
}
