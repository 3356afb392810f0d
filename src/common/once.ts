/**
 * Calls `make` when the value is first asked for: most plans never ask, and the trees may be large.
 */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
