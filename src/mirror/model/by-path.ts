/** Compares paths by code points. This order is the same on each machine and in each database. */
export function comparePaths(a: string, b: string): number {
  const sharedLength = Math.min(a.length, b.length);
  for (let index = 0; index < sharedLength; index++) {
    const [unitOfA, unitOfB] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (unitOfA !== unitOfB) return rankCodeUnit(unitOfA) - rankCodeUnit(unitOfB);
  }
  return a.length - b.length;
}

export function compareByPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return comparePaths(a.path, b.path);
}

/**
 * Returns the rank of a UTF-16 code unit, which gives the order of code points. A character of two
 * units comes after all characters of one unit, although some of these have larger units.
 */
function rankCodeUnit(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}

/**
 * Compares strings quickly. The order is the same on each machine, but is not suitable for lists
 * that users read.
 */
export function compareStrings(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
