/**
 * Returns a function that calls `make` on first use, for values that are rarely needed and may be
 * large.
 */
export function once<T>(make: () => T): () => T {
  let cached: { readonly value: T } | null = null;
  return () => {
    cached ??= { value: make() };
    return cached.value;
  };
}
