/**
 * Chooses an item by a seed. The choice stays the same while other items are added or removed, so
 * that a shrunk script keeps its meaning.
 */
export function choose<T extends string>(items: readonly T[], seed: number): T | null {
  let best: T | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const item of items) {
    let hash = Math.imul(seed + 1, 0x9e3779b1);
    for (let i = 0; i < item.length; i++) hash = Math.imul(hash ^ item.charCodeAt(i), 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
    const rank = (hash ^ (hash >>> 13)) >>> 0;
    if (rank < least) [best, least] = [item, rank];
  }
  return best;
}
