/**
 * Returns the number of edits that change one word into the other; `limit + 1` if there are more
 * than `limit`. An edit adds, removes or replaces a letter (code point), or swaps two neighbouring
 * letters.
 */
export function countWordEdits(word: string, other: string, limit: number): number {
  const fromLetters = [...word];
  const toLetters = [...other];
  if (Math.abs(fromLetters.length - toLetters.length) > limit) return limit + 1;
  let rowBeforeLast: number[] = [];
  let lastRow = Array.from({ length: toLetters.length + 1 }, (_, j) => j);
  for (let i = 1; i <= fromLetters.length; i++) {
    const row = [i];
    for (let j = 1; j <= toLetters.length; j++) {
      const isSameLetter = fromLetters[i - 1] === toLetters[j - 1];
      let fewestEdits = Math.min(lastRow[j]! + 1, row[j - 1]! + 1, lastRow[j - 1]! + (isSameLetter ? 0 : 1));
      if (i > 1 && j > 1 && fromLetters[i - 1] === toLetters[j - 2] && fromLetters[i - 2] === toLetters[j - 1])
        fewestEdits = Math.min(fewestEdits, rowBeforeLast[j - 2]! + 1);
      row.push(fewestEdits);
    }
    if (Math.min(...row) > limit) return limit + 1;
    rowBeforeLast = lastRow;
    lastRow = row;
  }
  return Math.min(lastRow[toLetters.length]!, limit + 1);
}

/** Returns the word that the user probably meant; null if no word is similar enough. */
export function nearestWord(word: string, words: readonly string[]): string | null {
  const maxDistance = Math.max(1, Math.floor(word.length / 3));
  const similarWords = words
    .map((candidate) => ({ candidate, distance: countWordEdits(word, candidate, maxDistance) }))
    .filter(({ distance }) => distance <= maxDistance)
    .toSorted((a, b) => a.distance - b.distance);
  return similarWords[0]?.candidate ?? words.find((candidate) => word.length > 2 && candidate.startsWith(word)) ?? null;
}
