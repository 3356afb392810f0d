import { blockOf, inBlock } from "./blocks.ts";
import { allOf, anyOf, type Part } from "./match.ts";
import type { Sql, SqlStatement } from "./sql.ts";

export type Row = { readonly document: number; readonly score: number };

/**
 * LIMIT: what is in more documents than these is common. FTS5 counts every word of a rank in all
 * documents and weighs each document that matches, 2 to 4 µs: what is common is not ranked by it.
 */
export const MOST_RANKED = 1_000;

/** LIMIT: of the documents that are asked about, those in the first so many blocks. */
const MOST_BLOCKS = 64;

/**
 * What is common is remembered for so many searches: to count it takes the most, and it mostly
 * stays common.
 */
const REMEMBERED_FOR = 64;

/** Both indexes of words. What was counted is remembered for one search. */
export class Words {
  readonly texts: WordQueries;
  readonly paths: WordQueries;

  /** @param sql the tables of `SEARCH_SCHEMA` */
  constructor(sql: Sql) {
    this.texts = new WordQueries(sql, "search_words");
    this.paths = new WordQueries(sql, "search_paths");
  }

  forget(): void {
    this.texts.forget();
    this.paths.forget();
  }
}

/**
 * What is asked of an index of words: of the texts, or of the paths. Each question but `some`,
 * `newest` and `among` costs as much as its expression has documents; these end early.
 */
export class WordQueries {
  readonly #counts = new Map<string, number>();
  readonly #common = new Set<string>();
  #searches = 0;
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

  /** At the beginning of a search. */
  forget(): void {
    this.#counts.clear();
    this.#searches = (this.#searches + 1) % REMEMBERED_FOR;
    if (this.#searches === 0) this.#common.clear();
  }

  /**
   * In how many documents a part is, at most: one that holds two of its expressions may count
   * twice. `MOST_RANKED` + 1 stands for any number above.
   */
  some(part: Part): number {
    let sum = 0;
    for (const expression of part) {
      const count = this.#counted(expression);
      if (count > MOST_RANKED) return count;
      sum += count;
    }
    return sum <= MOST_RANKED ? sum : this.#counted(anyOf(part));
  }

  #counted(expression: string): number {
    if (this.#common.has(expression)) return MOST_RANKED + 1;
    const before = this.#counts.get(expression);
    if (before !== undefined) return before;
    const { count } = this.#count.get(expression) as { count: number };
    if (count > MOST_RANKED) this.#common.add(expression);
    else this.#counts.set(expression, count);
    return count;
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
  newest(expression: string, accepts: (document: number) => boolean, most: number): number[] {
    const taken: number[] = [];
    for (const { document } of this.#newest.iterate(expression, 0, Number.MAX_SAFE_INTEGER) as Iterable<Row>) {
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

  /** Of some documents of the texts, those that hold every part, in one column if one is given. */
  among(documents: readonly number[], parts: readonly Part[], column: "headings" | null = null): Set<number> {
    const blocks = [...new Set(documents.map(blockOf))].slice(0, MOST_BLOCKS);
    const [from, to] = [Math.min(...documents), Math.max(...documents)];
    const asked = new Set(documents);
    const holding = new Set<number>();
    for (const block of blocks) {
      const all = allOf(parts.map((part) => inBlock(part, block)));
      const expression = column === null ? all : `${column} : (${all})`;
      for (const document of this.between(expression, from, to)) if (asked.has(document)) holding.add(document);
    }
    return holding;
  }

  has(expression: string, document: number): boolean {
    return this.#has.get(expression, document) !== undefined;
  }
}
