/**
 * Returns a function that calls `make` on its first call and then always returns the same value.
 * Used for values that are rarely needed and may be large.
 */
export function once<T>(make: () => T): () => T {
  let cachedValue: { readonly value: T } | null = null;
  return () => {
    cachedValue ??= { value: make() };
    return cachedValue.value;
  };
}
