import { distanceWithin } from "./distance.ts";
import { ftsString } from "./match.ts";
import type { Sql } from "./sql.ts";
import { boundedTerm, gramsOf } from "./tokens.ts";
import type { Words } from "./word-queries.ts";

/** A word of the vocabulary that stands in for a word of the query. */
type Candidate = { readonly text: string; readonly documents: number };

// LIMIT: so many words stand in for one of the query.
const MOST_CONTAINING = 32;
const MOST_NEAR = 4;
/** Of near words, one that is so many times rarer than the most frequent is left out. */
const RARE_SHARE = 20;
// LIMIT: so many words of the vocabulary are looked at closely, those that share most trigrams.
const MOST_COMPARED = 400;
/**
 * LIMIT: of the words that contain a part so many are counted, those that came into the vocabulary
 * first: what is frequent comes early.
 */
const MOST_COUNTED = 128;

/**
 * The vocabulary: which words are there, which hold a part of a word, which are near it.
 */
export class Terms {
  readonly #words: Words;
  readonly #byId;
  readonly #byGrams;

  /** @param sql the tables of `SEARCH_SCHEMA` */
  constructor(sql: Sql, words: Words) {
    this.#words = words;
    this.#byId = sql.prepare("SELECT text FROM search_terms WHERE term = ?");
    this.#byGrams = sql.prepare(
      "SELECT rowid AS term FROM search_term_grams WHERE search_term_grams MATCH ? LIMIT 5000",
    );
  }

  /**
   * In how many documents a word is; 0 for one that is in none. A document that has it in its text
   * and in its path counts twice, and more than `MOST_RANKED` texts or paths are not told apart:
   * near enough for what is asked of it.
   */
  documents(word: string): number {
    const { texts, paths } = this.#words;
    const part = [ftsString(word)];
    return texts.some(part) + paths.some(part);
  }

  /**
   * Words that contain `part` (three characters or more) and are not it, the most frequent first.
   */
  containing(part: string): Candidate[] {
    const grams = gramsOf(part);
    if (grams.length === 0) return [];
    const texts = this.#matching(grams.map(ftsString).join(" AND ")).map((term) => this.#textOf(term));
    const containing = texts.filter((text) => text !== part && text.includes(part));
    return this.#inDocuments(containing.slice(0, MOST_COUNTED)).sort(byFrequency).slice(0, MOST_CONTAINING);
  }

  /** Words that `word` may have been meant to be: the nearest, of these the most frequent first. */
  near(word: string): Candidate[] {
    const allowed = allowedDistance(word);
    if (allowed === 0) return [];
    const texts = new Set([...this.#sharingGrams(word), ...smallSlips(word)]);
    texts.delete(word);
    const byDistance = Map.groupBy(texts, (text) => distanceWithin(word, text, allowed));
    let nearest: readonly Candidate[] = [];
    for (let distance = 1; distance <= allowed && nearest.length === 0; distance++)
      nearest = this.#inDocuments(byDistance.get(distance) ?? []);
    const most = Math.max(...nearest.map((candidate) => candidate.documents));
    // BM25 would put a rare word, often a slip of its own, before the one that was meant.
    return nearest
      .filter((candidate) => candidate.documents * RARE_SHARE >= most)
      .sort(byFrequency)
      .slice(0, MOST_NEAR);
  }

  /** The words that share most trigrams with `word`, those that share more first. */
  #sharingGrams(word: string): string[] {
    const shared = new Map<number, number>();
    for (const gram of gramsOf(boundedTerm(word)))
      for (const term of this.#matching(ftsString(gram))) shared.set(term, (shared.get(term) ?? 0) + 1);
    const compared = [...shared].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, MOST_COMPARED);
    return compared.map(([term]) => this.#textOf(term));
  }

  #matching(expression: string): number[] {
    return (this.#byGrams.all(expression) as { term: number }[]).map(({ term }) => term);
  }

  #textOf(term: number): string {
    return (this.#byId.get(term) as { text: string }).text;
  }

  /** Those that a document holds. */
  #inDocuments(texts: readonly string[]): Candidate[] {
    return texts
      .map((text): Candidate => ({ text, documents: this.documents(text) }))
      .filter((candidate) => candidate.documents > 0);
  }
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
export function smallSlips(word: string): string[] {
  const letters = [...word];
  if (letters.length > 6) return [];
  return letters.flatMap((letter, i) => {
    const without = [...letters.slice(0, i), ...letters.slice(i + 1)].join("");
    const next = letters[i + 1];
    if (next === undefined) return [without];
    return [without, [...letters.slice(0, i), next, letter, ...letters.slice(i + 2)].join("")];
  });
}
