/**
 * Counts the edits that turn one word into another. An edit adds, removes or replaces one letter
 * (code point), or swaps two neighbours.
 * @returns number of edits, or `limit + 1` if it is greater than `limit`
 */
export function distanceWithin(word: string, other: string, limit: number): number {
  const from = [...word];
  const to = [...other];
  if (Math.abs(from.length - to.length) > limit) return limit + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, j) => j);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1];
      let least = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1])
        least = Math.min(least, beforeLast[j - 2]! + 1);
      row.push(least);
    }
    if (Math.min(...row) > limit) return limit + 1;
    beforeLast = last;
    last = row;
  }
  return Math.min(last[to.length]!, limit + 1);
}

/**
 * Returns the most similar one of the words, which the user probably meant; null if none is similar
 * enough.
 */
export function nearestWord(word: string, words: readonly string[]): string | null {
  const maxDistance = Math.max(1, Math.floor(word.length / 3));
  const similar = words
    .map((candidate) => ({ candidate, distance: distanceWithin(word, candidate, maxDistance) }))
    .filter(({ distance }) => distance <= maxDistance)
    .toSorted((a, b) => a.distance - b.distance);
  return similar[0]?.candidate ?? words.find((candidate) => word.length > 2 && candidate.startsWith(word)) ?? null;
}
