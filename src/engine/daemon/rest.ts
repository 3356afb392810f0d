/**
 * Since when something is as it is: texts that wait for their quiet time before review, documents
 * that became empty. Times are monotonic.
 */
export type Rest<Key, Value> = {
  /** What is there now. What went, or has another value, begins anew. */
  see(now: number, there: ReadonlyMap<Key, Value>): void;
  /** Those that have been the same for `restMs`. */
  rested(now: number): ReadonlyMap<Key, Value>;
  /** When the next one will have rested; null when none is waiting. */
  nextAt(now: number): number | null;
};

export function createRest<Key, Value>(restMs: number): Rest<Key, Value> {
  const since = new Map<Key, { readonly value: Value; readonly at: number }>();
  return {
    see(now, there) {
      for (const key of since.keys()) if (!there.has(key)) since.delete(key);
      for (const [key, value] of there) if (since.get(key)?.value !== value) since.set(key, { value, at: now });
    },
    rested(now) {
      return new Map([...since].flatMap(([key, { value, at }]) => (at + restMs <= now ? [[key, value] as const] : [])));
    },
    nextAt(now) {
      let next: number | null = null;
      for (const { at } of since.values())
        if (at + restMs > now) next = Math.min(next ?? Number.POSITIVE_INFINITY, at + restMs);
      return next;
    },
  };
}
