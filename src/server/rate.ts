import { type Refused, refuse } from "./answer.ts";
import type { KeyRow } from "./keys-table.ts";

/** At most `requests` at once, refilled evenly over `seconds`. */
export type RateLimit = { readonly requests: number; readonly seconds: number };

type Bucket = { tokens: number; at: number };

/**
 * Each answers whether a request of a key must wait: `take` counts the request, `peek` does not.
 */
export type Rates = {
  readonly take: (key: KeyRow) => Refused | null;
  readonly peek: (key: KeyRow) => Refused | null;
};

/**
 * A token bucket for each key. It lives in memory: a restart forgives.
 * @param fallback the limit of keys without one of their own; null for none. It may change at any
 * time
 */
export function rateLimiter(fallback: () => RateLimit | null, now: () => number): Rates {
  const buckets = new Map<number, Bucket>();
  const ask = (key: KeyRow, takes: boolean): Refused | null => {
    const limit = limitOf(key) ?? fallback();
    if (limit === null) return null;
    const at = now();
    const bucket = buckets.get(key.seq) ?? { tokens: limit.requests, at };
    const perMillisecond = limit.requests / (limit.seconds * 1_000);
    // A clock set back refills nothing, and takes nothing.
    bucket.tokens = Math.min(limit.requests, bucket.tokens + Math.max(0, at - bucket.at) * perMillisecond);
    bucket.at = at;
    buckets.set(key.seq, bucket);
    if (bucket.tokens >= 1) {
      if (takes) bucket.tokens -= 1;
      return null;
    }
    const wait = Math.max(1, Math.ceil((1 - bucket.tokens) / perMillisecond / 1_000));
    return refuse("rate_limited", `Too many requests; wait ${wait} s.`, [], { "retry-after": String(wait) });
  };
  return {
    take: (key) => ask(key, true),
    peek: (key) => ask(key, false),
  };
}

function limitOf({ rateRequests, rateSeconds }: KeyRow): RateLimit | null {
  return rateRequests === null || rateSeconds === null ? null : { requests: rateRequests, seconds: rateSeconds };
}
