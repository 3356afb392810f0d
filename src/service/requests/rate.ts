import { type Refused, refuse } from "./answer.ts";
import type { Holder, KeyRow, RateLimit } from "../store/rows.ts";

type Bucket = { tokens: number; at: number };

/** Limits requests by a token bucket for each key, in memory: a restart fills all buckets. */
export class RateLimiter {
  readonly #now: () => number;
  readonly #buckets = new Map<number, Bucket>();

  /** @param now returns milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Counts a request of a key.
   * @returns the refusal if the request must wait
   */
  take(holder: Holder): Refused | null {
    return this.#ask(holder, 1);
  }

  /** Returns the refusal if a request would have to wait; counts nothing. */
  peek(holder: Holder): Refused | null {
    return this.#ask(holder, 0);
  }

  #ask({ key, settings }: Holder, taken: 0 | 1): Refused | null {
    const limit = limitOf(key) ?? settings.rateLimit;
    if (limit === null) return null;
    const at = this.#now();
    const bucket = this.#buckets.get(key.seq) ?? { tokens: limit.requests, at };
    const perMillisecond = limit.requests / (limit.seconds * 1_000);
    // A clock that was set back neither adds nor takes tokens.
    bucket.tokens = Math.min(limit.requests, bucket.tokens + Math.max(0, at - bucket.at) * perMillisecond);
    bucket.at = at;
    this.#buckets.set(key.seq, bucket);
    if (bucket.tokens >= 1) {
      bucket.tokens -= taken;
      return null;
    }
    const wait = Math.max(1, Math.ceil((1 - bucket.tokens) / perMillisecond / 1_000));
    return refuse("rate_limited", `Too many requests; wait ${wait} s.`, [], { "retry-after": String(wait) });
  }
}

/** Returns the key's own limit; null if it has none. */
export function limitOf({ rateRequests, rateSeconds }: KeyRow): RateLimit | null {
  return rateRequests === null || rateSeconds === null ? null : { requests: rateRequests, seconds: rateSeconds };
}
