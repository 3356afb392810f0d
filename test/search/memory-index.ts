import { SEARCH_REGEX_LINES } from "../../src/contract/limits.ts";
import Sqlite from "better-sqlite3";
import { onTestFinished } from "vitest";
import { createHybridSearch, type Searched } from "../../src/search/hybrid.ts";
import { createRegexSearch } from "../../src/search/regex.ts";
import { SEARCH_SCHEMA } from "../../src/search/schema.ts";
import type { Sql, SqlStatement } from "../../src/search/sql.ts";
import { Terms } from "../../src/search/terms.ts";
import { Words } from "../../src/search/word-queries.ts";
import { IndexWriter } from "../../src/search/write-index.ts";

/** An index in memory over documents by path, numbered from 1 in their order. */
export function memoryIndex(documents: Readonly<Record<string, string>>) {
  const db = new Sqlite(":memory:");
  onTestFinished(() => void db.close());
  db.exec(SEARCH_SCHEMA);
  const entries = Object.entries(documents).map(([path, text]) => ({ path, text }));
  const writer = new IndexWriter(db);
  db.transaction(() => {
    for (const [i, { path, text }] of entries.entries()) writer.put(i + 1, path, text, true);
  })();
  const searched: Searched = { accepts: () => true, read: (document) => entries[document - 1] ?? null };
  const counted = countQueries(db);
  const hybrid = createHybridSearch(counted.sql);
  const regex = createRegexSearch(db, SEARCH_REGEX_LINES);
  const pathOf = (document: number) => entries[document - 1]!.path;
  return {
    db,
    writer,
    searched,
    hybrid,
    /** How often a hybrid search asked the database till now, and how many rows it read. */
    queries: counted.queries,
    rows: counted.rows,
    regex,
    terms: new Terms(db, new Words(db)),
    found: (query: string, limit = 10) => hybrid(searched, query, limit).map(({ document }) => pathOf(document)),
  };
}

function countQueries(db: Sql): { readonly sql: Sql; readonly queries: () => number; readonly rows: () => number } {
  let queries = 0;
  let rows = 0;
  const each = function* (found: Iterable<unknown>): Iterable<unknown> {
    for (const row of found) {
      rows++;
      yield row;
    }
  };
  const prepare = (text: string): SqlStatement => {
    const statement = db.prepare(text);
    const one =
      <Result>(ask: (...values: readonly unknown[]) => Result) =>
      (...values: readonly unknown[]): Result => {
        queries++;
        return ask(...values);
      };
    return {
      run: one((...values) => statement.run(...values)),
      get: one((...values) => statement.get(...values)),
      all: one((...values) => [...each(statement.all(...values))]),
      iterate: one((...values) => each(statement.iterate(...values))),
    };
  };
  return { sql: { prepare }, queries: () => queries, rows: () => rows };
}
