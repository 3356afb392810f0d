/** One ranking: documents, best first. */
export type Ranking = { readonly weight: number; readonly documents: readonly number[] };
type Ranked = { readonly document: number; readonly score: number };

/**
 * Reciprocal rank fusion (Cormack et al. 2009) with their constant: ranks of different kinds need
 * no common measure.
 */
const RANK_CONSTANT = 60;

/**
 * @returns every document once, by falling score; equal scores by number, so that the order is
 * always the same
 */
export function fuseRankings(rankings: readonly Ranking[]): Ranked[] {
  const scores = new Map<number, number>();
  for (const { weight, documents } of rankings) {
    for (const [rank, document] of documents.entries())
      scores.set(document, (scores.get(document) ?? 0) + weight / (RANK_CONSTANT + rank + 1));
  }
  return Array.from(scores, ([document, score]) => ({ document, score })).sort(
    (a, b) => b.score - a.score || a.document - b.document,
  );
}
