/** LIMIT: number of lines of a file that are compared, so that a comparison is fast. */
const MAX_LINES = 5_000;

/**
 * Similarity from which two contents count as versions of one document. The similarity is the
 * number of characters in common lines, divided by the number of characters of the longer content.
 */
export const MIN_SIMILARITY = 0.5;

/**
 * Content for comparison. `weights`: for each line, the number of characters in all its
 * occurrences. `total`: the sum of all weights.
 */
export type LineProfile = { readonly weights: ReadonlyMap<string, number>; readonly total: number };

/**
 * Prepares content for comparison. Ignores blank lines, and white space around lines, because
 * neither helps to recognise a document.
 */
export function makeLineProfile(text: string): LineProfile {
  const weights = new Map<string, number>();
  let totalLength = 0;
  for (const line of text.split("\n", MAX_LINES)) {
    const trimmedLine = line.trim();
    if (trimmedLine === "") continue;
    weights.set(trimmedLine, (weights.get(trimmedLine) ?? 0) + trimmedLine.length);
    totalLength += trimmedLine.length;
  }
  return { weights, total: totalLength };
}

/**
 * Returns the similarity of two contents: 0 (no common line) to 1 (equal lines in any order). Two
 * blank contents have the similarity 0.
 */
export function computeSimilarity(a: LineProfile, b: LineProfile): number {
  const longerLength = Math.max(a.total, b.total);
  if (longerLength === 0) return 0;
  const [smaller, larger] = a.weights.size <= b.weights.size ? [a, b] : [b, a];
  let sharedLength = 0;
  for (const [line, weight] of smaller.weights) sharedLength += Math.min(weight, larger.weights.get(line) ?? 0);
  return sharedLength / longerLength;
}

export function areSimilar(a: LineProfile, b: LineProfile): boolean {
  return computeSimilarity(a, b) >= MIN_SIMILARITY;
}

/** Returns true if `later` has each line of `earlier`, at least as often. */
export function hasAllLinesIn(earlier: LineProfile, later: LineProfile): boolean {
  for (const [line, weight] of earlier.weights) if ((later.weights.get(line) ?? 0) < weight) return false;
  return true;
}

/** Returns true if two contents may be similar, judged only by their lengths. A fast first test. */
export function areLengthsSimilar(a: LineProfile, b: LineProfile): boolean {
  return Math.min(a.total, b.total) >= MIN_SIMILARITY * Math.max(a.total, b.total);
}
