import { distanceWithin } from "./distance.ts";
import { ftsString } from "./match.ts";
import type { Sql } from "./sql.ts";
import { boundedTerm } from "./write-index.ts";

/** A word of the vocabulary that stands in for a word of the query. */
export type Candidate = { readonly text: string; readonly documents: number };

/** The vocabulary: which words are there, which hold a part of a word, which are near it. */
export type Terms = {
  /** In how many documents a word is; 0 for one that is in none. */
  documents(word: string): number;
  /**
   * Words that contain `part` (three characters or more) and are not it, the most frequent first.
   */
  containing(part: string): Candidate[];
  /** Words that `word` may have been meant to be: the nearest, of these the most frequent first. */
  near(word: string): Candidate[];
};

// LIMIT: so many words stand in for one of the query.
const MOST_CONTAINING = 32;
const MOST_NEAR = 4;
/** Of near words, one that is so many times rarer than the most frequent is left out. */
const RARE_SHARE = 20;
// LIMIT: so many words of the vocabulary are looked at closely, those that share most trigrams.
const MOST_COMPARED = 400;

export function createTerms(sql: Sql): Terms {
  const counts = ["search_vocabulary", "search_path_vocabulary"].map((table) =>
    sql.prepare(`SELECT doc FROM ${table} WHERE term = ?`),
  );
  const byId = sql.prepare("SELECT text FROM search_terms WHERE term = ?");
  const byGrams = sql.prepare("SELECT rowid AS term FROM search_term_grams WHERE search_term_grams MATCH ? LIMIT 5000");
  // A document that has the word in its text and in its path counts twice: near enough for what is
  // asked of it.
  const documents = (word: string) =>
    counts.reduce((sum, count) => sum + ((count.get(word) as { doc: number } | undefined)?.doc ?? 0), 0);
  const textOf = (term: number) => (byId.get(term) as { text: string }).text;
  const matching = (expression: string) => (byGrams.all(expression) as { term: number }[]).map(({ term }) => term);
  const weighed = (texts: readonly string[]) =>
    texts
      .map((text): Candidate => ({ text, documents: documents(text) }))
      .filter((candidate) => candidate.documents > 0);

  return {
    documents,
    containing(part) {
      const grams = gramsOf(part);
      if (grams.length === 0) return [];
      const texts = matching(grams.map(ftsString).join(" AND ")).map(textOf);
      return weighed(texts.filter((text) => text !== part && text.includes(part)))
        .sort(byFrequency)
        .slice(0, MOST_CONTAINING);
    },
    near(word) {
      const allowed = allowedDistance(word);
      if (allowed === 0) return [];
      const shared = new Map<number, number>();
      for (const gram of gramsOf(boundedTerm(word)))
        for (const term of matching(ftsString(gram))) shared.set(term, (shared.get(term) ?? 0) + 1);
      const compared = [...shared].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, MOST_COMPARED);
      const texts = new Set([...compared.map(([term]) => textOf(term)), ...smallSlips(word)]);
      texts.delete(word);
      const near = weighed([...texts].filter((text) => distanceWithin(word, text, allowed) <= allowed));
      const ranked = near.map((candidate) => ({ candidate, distance: distanceWithin(word, candidate.text, allowed) }));
      const least = Math.min(...ranked.map(({ distance }) => distance));
      const nearest = ranked.filter(({ distance }) => distance === least).map(({ candidate }) => candidate);
      const most = Math.max(...nearest.map((candidate) => candidate.documents));
      // BM25 would put a rare word, often a slip of its own, before the one that was meant.
      return nearest
        .filter((candidate) => candidate.documents * RARE_SHARE >= most)
        .sort(byFrequency)
        .slice(0, MOST_NEAR);
    },
  };
}

function byFrequency(a: Candidate, b: Candidate): number {
  return b.documents - a.documents || (a.text < b.text ? -1 : 1);
}

/**
 * Edits that a word of its length may be away: none for two letters, where everything is near
 * everything.
 */
export function allowedDistance(word: string): 0 | 1 | 2 {
  const length = [...word].length;
  if (length < 3 || /^\d+$/.test(word)) return 0;
  return length < 6 ? 1 : 2;
}

/** Two letters swapped, or one too many: in a short word such a slip leaves no trigram whole. */
function smallSlips(word: string): string[] {
  const letters = [...word];
  if (letters.length > 6) return [];
  return letters.flatMap((letter, i) => {
    const without = [...letters.slice(0, i), ...letters.slice(i + 1)].join("");
    const next = letters[i + 1];
    if (next === undefined) return [without];
    return [without, [...letters.slice(0, i), next, letter, ...letters.slice(i + 2)].join("")];
  });
}

/** NUL ends FTS5's expressions, and half a surrogate pair has no UTF-8: no index holds them. */
const UNINDEXED = /[\0\p{Surrogate}]/u;

/** Every run of three code points, once. */
export function gramsOf(text: string): string[] {
  const characters = [...text];
  const grams = new Set<string>();
  for (let i = 0; i + 3 <= characters.length; i++) grams.add(characters.slice(i, i + 3).join(""));
  return [...grams].filter((gram) => !UNINDEXED.test(gram));
}
