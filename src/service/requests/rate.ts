import { type Refused, refuse } from "./answer.ts";
import { Buckets } from "./buckets.ts";
import type { Holder, KeyRow, RateLimit } from "../store/rows.ts";

/** Limits requests by a token bucket for each key. */
export class RateLimiter {
  readonly #buckets: Buckets<number>;

  /** @param now returns the time in milliseconds */
  constructor(now: () => number) {
    this.#buckets = new Buckets(now);
  }

  /**
   * Returns the refusal if a request with the key must wait; otherwise null.
   * @param taken 1 counts the request; 0 only checks
   */
  take({ key, settings }: Holder, taken: 0 | 1): Refused | null {
    const limit = limitOf(key) ?? settings.rateLimit;
    if (limit === null) return null;
    const { requests, seconds } = limit;
    const ms = this.#buckets.take(key.seq, { most: requests, perMs: requests / (seconds * 1_000) }, taken);
    if (ms === null) return null;
    const wait = Math.max(1, Math.ceil(ms / 1_000));
    return refuse("rate_limited", `Too many requests; wait ${wait} s.`, [], { "retry-after": String(wait) });
  }
}

/** Returns the rate limit that was set for the key; null if there is none. */
export function limitOf({ rateRequests, rateSeconds }: KeyRow): RateLimit | null {
  return rateRequests === null || rateSeconds === null ? null : { requests: rateRequests, seconds: rateSeconds };
}
