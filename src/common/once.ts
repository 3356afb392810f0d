/** Returns a function that calls `make` on its first call only, and always returns that value. */
export function once<T>(make: () => T): () => T {
  let cachedValue: { readonly value: T } | null = null;
  return () => {
    cachedValue ??= { value: make() };
    return cachedValue.value;
  };
}
