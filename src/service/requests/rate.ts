import { type Refused, refuse } from "./answer.ts";
import { TokenBuckets } from "./buckets.ts";
import type { KeyHolder, KeyRow, RateLimit } from "../store/rows.ts";

export class RateLimiter {
  readonly #buckets: TokenBuckets<number>;

  /** @param now returns the time in milliseconds */
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
