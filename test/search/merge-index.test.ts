import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { IndexMerger } from "../../src/search/merge-index.ts";
import { SEARCH_SCHEMA } from "../../src/search/schema.ts";
import { IndexWriter } from "../../src/search/write-index.ts";

const DOCUMENTS = 400;
const textOf = (n: number) =>
  `# Note ${n}\n\n${Array.from({ length: 300 }, (_, i) => `w${((n * 7 + i * i) % 3_001).toString(36)}`).join(" ")}\n`;

/** Rows that each of many writes of one text changed, and the segments that they left, by table. */
function writeAll(merger: (db: Sqlite.Database) => IndexMerger | null) {
  const db = new Sqlite(":memory:");
  db.exec(SEARCH_SCHEMA);
  const merges = merger(db);
  const writer = new IndexWriter(db);
  const count = db.prepare<[], { n: number }>("SELECT total_changes() AS n");
  const changed: number[] = [];
  const write = (n: number): void => {
    merges?.takeOver();
    writer.put(n + 1, `folder/note-${n}.md`, textOf(n), true);
  };
  for (let n = 0; n < DOCUMENTS; n++) {
    const before = count.get()!.n;
    db.transaction(() => write(n))();
    changed.push(count.get()!.n - before);
    db.transaction(() => merges?.merge(1))();
  }
  const segments = ["search_words", "search_grams", "search_paths"].map(
    (table) => db.prepare<[], { n: number }>(`SELECT count(DISTINCT segid) AS n FROM ${table}_idx`).get()!.n,
  );
  const isLeft = merges?.merge(Number.POSITIVE_INFINITY);
  const found = db.prepare<[], { n: number }>("SELECT count(*) AS n FROM search_words WHERE search_words MATCH 'note'");
  const all = found.get()!.n;
  db.close();
  // The first texts bring the words of the vocabulary.
  return { most: Math.max(...changed.slice(DOCUMENTS / 2)), segments, isLeft, all };
}

test("a write merges nothing: it changes few rows, and the steps between keep the segments few", () => {
  const steps = writeAll((db) => new IndexMerger(db));
  const alone = writeAll(() => null);
  expect(steps.all).toBe(DOCUMENTS);
  expect(alone.most).toBeGreaterThan(3 * steps.most);
  expect(Math.max(...steps.segments)).toBeLessThan(64);
  expect(steps.isLeft).toBe(false);
});
