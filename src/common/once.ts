/** Returns a function that calls `make` once, and returns the result on every call. */
export function once<T>(make: () => T): () => T {
  let cachedValue: { readonly value: T } | null = null;
  return () => {
    cachedValue ??= { value: make() };
    return cachedValue.value;
  };
}
