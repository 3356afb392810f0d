/**
 * Returns a function that calls `make` once, on its first call. Every call returns the result of
 * `make`.
 */
export function once<T>(make: () => T): () => T {
  let cachedValue: { readonly value: T } | null = null;
  return () => {
    cachedValue ??= { value: make() };
    return cachedValue.value;
  };
}
