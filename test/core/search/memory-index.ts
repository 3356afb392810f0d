import Sqlite from "better-sqlite3";
import { onTestFinished } from "vitest";
import { createHybridSearch, type Searched } from "../../../src/core/search/hybrid.ts";
import { createRegexSearch } from "../../../src/core/search/regex.ts";
import { SEARCH_SCHEMA } from "../../../src/core/search/schema.ts";
import { createTerms } from "../../../src/core/search/terms.ts";
import { createIndexWriter } from "../../../src/core/search/write-index.ts";

/** An index in memory over documents by path, numbered from 1 in their order. */
export function memoryIndex(documents: Readonly<Record<string, string>>) {
  const db = new Sqlite(":memory:");
  onTestFinished(() => void db.close());
  db.exec(SEARCH_SCHEMA);
  const entries = Object.entries(documents).map(([path, text]) => ({ path, text }));
  const writer = createIndexWriter(db);
  for (const [i, { path, text }] of entries.entries()) writer.put(i + 1, path, text, true);
  const searched: Searched = { accepts: () => true, read: (document) => entries[document - 1] ?? null };
  const hybrid = createHybridSearch(db);
  const regex = createRegexSearch(db);
  const pathOf = (document: number) => entries[document - 1]!.path;
  return {
    db,
    writer,
    searched,
    hybrid,
    regex,
    terms: createTerms(db),
    found: (query: string, limit = 10) => hybrid(searched, query, limit).map(({ document }) => pathOf(document)),
  };
}
