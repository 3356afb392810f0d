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
export class MemoryIndex {
  readonly db = new Sqlite(":memory:");
  readonly writer: IndexWriter;
  readonly searched: Searched;
  readonly hybrid: ReturnType<typeof createHybridSearch>;
  readonly regex: ReturnType<typeof createRegexSearch>;
  readonly terms: Terms;
  /** What hybrid searches asked the database. */
  readonly counted: CountedSql;
  readonly #entries: readonly { readonly path: string; readonly text: string }[];

  constructor(documents: Readonly<Record<string, string>>) {
    this.db.exec(SEARCH_SCHEMA);
    this.#entries = Object.entries(documents).map(([path, text]) => ({ path, text }));
    this.writer = new IndexWriter(this.db);
    this.db.transaction(() => {
      for (const [i, { path, text }] of this.#entries.entries()) this.writer.put(i + 1, path, text, true);
    })();
    this.searched = { accepts: acceptsAll, read: (document) => this.#entries[document - 1] ?? null };
    this.counted = new CountedSql(this.db);
    this.hybrid = createHybridSearch(this.counted);
    this.regex = createRegexSearch(this.db, SEARCH_REGEX_LINES);
    this.terms = new Terms(this.db, new Words(this.db));
  }

  readonly found = (query: string, limit = 10): string[] =>
    this.hybrid(this.searched, query, limit).map(({ document }) => this.#entries[document - 1]!.path);
}

export function memoryIndex(documents: Readonly<Record<string, string>>): MemoryIndex {
  const index = new MemoryIndex(documents);
  onTestFinished(() => void index.db.close());
  return index;
}

/** A search that leaves out no document. */
export const acceptsAll = (): boolean => true;

class CountedSql implements Sql {
  queries = 0;
  /** How many were read. */
  rows = 0;
  readonly #db: Sql;

  constructor(db: Sql) {
    this.#db = db;
  }

  prepare(text: string): SqlStatement {
    const statement = this.#db.prepare(text);
    return {
      run: this.#counting((...values) => statement.run(...values)),
      get: this.#counting((...values) => statement.get(...values)),
      all: this.#counting((...values) => [...this.#each(statement.all(...values))]),
      iterate: this.#counting((...values) => this.#each(statement.iterate(...values))),
    };
  }

  #counting<Result>(ask: (...values: readonly unknown[]) => Result): typeof ask {
    return (...values) => {
      this.queries++;
      return ask(...values);
    };
  }

  *#each(found: Iterable<unknown>): Iterable<unknown> {
    for (const row of found) {
      this.rows++;
      yield row;
    }
  }
}
