/**
 * Compares paths by their characters (code points). The order is the same on each machine and in
 * each store. Pure.
 */
export function comparePaths(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  for (let index = 0; index < most; index++) {
    const [left, right] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** Compares items by their paths, for sorting. */
export function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return comparePaths(a.path, b.path);
}

/**
 * Returns the rank of a code unit. A surrogate half belongs to a character above all single units,
 * but its own number is smaller than some of them.
 */
function rank(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}

/**
 * Compares strings by the fastest order that is the same on each machine, for callers that accept
 * any order.
 */
export function compareStrings(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
