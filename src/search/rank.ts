import { allOf, anyOf } from "./match.ts";
import type { Sql } from "./sql.ts";

type Scored = { readonly document: number; score: number };
type Row = { readonly document: number; readonly score: number };

/**
 * LIMIT: of the documents that hold a part in their path, the best so many are judged by their
 * texts too.
 */
const MOST_JUDGED = 200;

/** Documents with a part in their path: which parts (a bit each), and their score by the path. */
type ByPath = ReadonlyMap<number, { parts: number; score: number }>;

/**
 * Documents by the words that they hold, in their text or in their path. The two are indexed apart,
 * so that a rename leaves the texts alone; here they are one again: each part of a query may be in
 * either.
 */
export class WordRank {
  readonly #inTexts;
  readonly #ofTexts;
  readonly #scoresOfTexts;
  readonly #ofPaths;
  readonly #named;

  /** @param sql the tables of `SEARCH_SCHEMA` */
  constructor(sql: Sql) {
    this.#inTexts = sql.prepare(
      "SELECT rowid AS document, rank AS score FROM search_words WHERE search_words MATCH ? ORDER BY rank",
    );
    this.#ofTexts = sql.prepare("SELECT rowid AS document FROM search_words WHERE search_words MATCH ?");
    // The plus keeps SQLite from asking once for each number: a rank begins by counting each of its
    // words in all documents.
    this.#scoresOfTexts = sql.prepare(
      `SELECT rowid AS document, rank AS score FROM search_words
     WHERE search_words MATCH ? AND +rowid IN (SELECT value FROM json_each(?))`,
    );
    this.#ofPaths = sql.prepare("SELECT rowid AS document, rank AS score FROM search_paths WHERE search_paths MATCH ?");
    this.#named = sql.prepare("SELECT rowid AS document FROM search_paths WHERE search_paths MATCH ? ORDER BY rank");
  }

  /** Documents that hold every part, best first. @param parts expressions of FTS5 */
  *holding(parts: readonly string[]): Generator<number, void> {
    const byPath = this.#byPath(parts);
    const withPath = this.#complete(parts, byPath);
    let next = 0;
    for (const { document, score } of this.#inTexts.iterate(allOf(parts)) as Iterable<Row>) {
      if (byPath.has(document)) continue;
      for (; next < withPath.length && withPath[next]!.score <= score; next++) yield withPath[next]!.document;
      yield document;
    }
    for (; next < withPath.length; next++) yield withPath[next]!.document;
  }

  /** Documents whose file name matches, best first. */
  *named(expression: string): Generator<number, void> {
    for (const { document } of this.#named.iterate(`name : ${expression}`) as Iterable<Row>) yield document;
  }

  #byPath(parts: readonly string[]): ByPath {
    const found = new Map<number, { parts: number; score: number }>();
    for (const [i, part] of parts.entries()) {
      for (const { document, score } of this.#ofPaths.iterate(part) as Iterable<Row>) {
        const before = found.get(document);
        if (before === undefined) found.set(document, { parts: 1 << i, score });
        else {
          before.parts |= 1 << i;
          before.score += score;
        }
      }
    }
    return found;
  }

  /**
   * Of those, the ones whose text holds the other parts; a text's score is that of all parts in it.
   */
  #complete(parts: readonly string[], byPath: ByPath): Scored[] {
    const groups = Map.groupBy(byPath, ([, { parts: bits }]) => bits);
    const scored: Scored[] = [];
    for (const [bits, group] of groups) {
      const others = parts.filter((_, i) => (bits & (1 << i)) === 0);
      const holding = others.length === 0 ? null : documentsOf(this.#ofTexts.iterate(allOf(others)));
      for (const [document, { score }] of group)
        if (holding === null || holding.has(document)) scored.push({ document, score });
    }
    if (scored.length === 0) return scored;
    scored.sort(byScore);
    const judged = new Map(scored.slice(0, MOST_JUDGED).map((each) => [each.document, each]));
    const texts = this.#scoresOfTexts.iterate(anyOf(parts), JSON.stringify([...judged.keys()])) as Iterable<Row>;
    for (const { document, score } of texts) judged.get(document)!.score += score;
    return scored.sort(byScore);
  }
}

function documentsOf(rows: Iterable<unknown>): Set<number> {
  const documents = new Set<number>();
  for (const { document } of rows as Iterable<Row>) documents.add(document);
  return documents;
}

/**
 * FTS5's score is the lower the better. Equal scores by number, so that the order is always the
 * same.
 */
function byScore(a: Scored, b: Scored): number {
  return a.score - b.score || a.document - b.document;
}
