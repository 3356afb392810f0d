/**
 * Counts the edits between two words in code points: a letter added, removed, replaced, or two
 * neighbours swapped.
 * @returns the distance, or `limit + 1` if it is greater
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

/** Returns the word that is probably meant; null if no word is similar. */
export function nearestWord(word: string, words: readonly string[]): string | null {
  const maxDistance = Math.max(1, Math.floor(word.length / 3));
  const similar = words
    .map((candidate) => ({ candidate, distance: distanceWithin(word, candidate, maxDistance) }))
    .filter(({ distance }) => distance <= maxDistance)
    .toSorted((a, b) => a.distance - b.distance);
  return similar[0]?.candidate ?? words.find((candidate) => word.length > 2 && candidate.startsWith(word)) ?? null;
}
