import type { Sql, SqlStatement } from "./sql.ts";

export type Row = { readonly document: number; readonly score: number };

/**
 * LIMIT: what is in more documents than these is common. FTS5 counts every word of a rank in all
 * documents and weighs each document that matches, 2 to 4 µs: what is common is not ranked by it.
 */
export const MOST_RANKED = 1_000;

/**
 * What is asked of an index of words: of the texts, or of the paths. Each question but `some` and
 * `newest` costs as much as its expression has documents; these two end early.
 */
export class WordQueries {
  readonly #count: SqlStatement;
  readonly #documents: SqlStatement;
  readonly #ranked: SqlStatement;
  readonly #scores: SqlStatement;
  readonly #newest: SqlStatement;
  readonly #has: SqlStatement;

  /** @param table of `SEARCH_SCHEMA` */
  constructor(sql: Sql, table: "search_words" | "search_paths") {
    const matching = (what: string) => `SELECT ${what} FROM ${table} WHERE ${table} MATCH ?`;
    this.#count = sql.prepare(`SELECT count(*) AS count FROM (${matching("rowid")} LIMIT ${MOST_RANKED + 1})`);
    this.#documents = sql.prepare(matching("rowid AS document"));
    this.#ranked = sql.prepare(`${matching("rowid AS document, rank AS score")} ORDER BY rank`);
    // The plus keeps SQLite from asking once for each number: a rank begins by counting each of its
    // words in all documents.
    this.#scores = sql.prepare(
      `${matching("rowid AS document, rank AS score")} AND +rowid IN (SELECT value FROM json_each(?))`,
    );
    // FTS5 passes over a bound that comes as a floating-point number, as a driver may send it.
    const whole = "CAST(? AS INTEGER)";
    this.#newest = sql.prepare(
      `${matching("rowid AS document")} AND rowid BETWEEN ${whole} AND ${whole} ORDER BY rowid DESC`,
    );
    this.#has = sql.prepare(`${matching("rowid AS document")} AND rowid = ${whole}`);
  }

  /** In how many documents it is; `MOST_RANKED` + 1 stands for any number above. */
  some(expression: string): number {
    return (this.#count.get(expression) as { count: number }).count;
  }

  documents(expression: string): Set<number> {
    const documents = new Set<number>();
    for (const { document } of this.#documents.iterate(expression) as Iterable<Row>) documents.add(document);
    return documents;
  }

  /** Best first. */
  ranked(expression: string): Iterable<Row> {
    return this.#ranked.iterate(expression) as Iterable<Row>;
  }

  /** Of some documents, those that match. */
  scores(expression: string, documents: Iterable<number>): Iterable<Row> {
    return this.#scores.iterate(expression, JSON.stringify([...documents])) as Iterable<Row>;
  }

  /** The newest of the documents that match and are accepted, at most `most`. */
  newest(expression: string, accepts: (document: number) => boolean, most: number, from = 0): number[] {
    const taken: number[] = [];
    for (const { document } of this.#newest.iterate(expression, from, Number.MAX_SAFE_INTEGER) as Iterable<Row>) {
      if (accepts(document)) taken.push(document);
      if (taken.length === most) break;
    }
    return taken;
  }

  /** Those that match between two numbers, both included. */
  between(expression: string, from: number, to: number): Set<number> {
    const documents = new Set<number>();
    for (const { document } of this.#newest.iterate(expression, from, to) as Iterable<Row>) documents.add(document);
    return documents;
  }

  has(expression: string, document: number): boolean {
    return this.#has.get(expression, document) !== undefined;
  }
}
