import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { blockOf, KEY_SCHEMA, KeyIndex } from "../../src/markdown/search/key-index.ts";
import { documentsWithUnit } from "../../src/markdown/search/keys.ts";

const DOCUMENTS = 400;
const textOf = (n: number) =>
  `# Note ${n}\n\n${Array.from({ length: 300 }, (_, i) => `w${((n * 7 + i * i) % 3_001).toString(36)}`).join(" ")}\n`;

/** Rows that each of many writes of one text changed, and the segments that they left. */
function writeAll(isMerged: boolean) {
  const db = new Sqlite(":memory:");
  db.exec(KEY_SCHEMA);
  const index = new KeyIndex(db);
  const count = db.prepare<[], { n: number }>("SELECT total_changes() AS n");
  const changed: number[] = [];
  const write = (n: number): void => {
    if (isMerged) index.merger.takeOver();
    index.put(1, n + 1, `folder/note-${n}.md`, textOf(n));
  };
  for (let n = 0; n < DOCUMENTS; n++) {
    const before = count.get()!.n;
    db.transaction(() => write(n))();
    changed.push(count.get()!.n - before);
    if (isMerged) db.transaction(() => index.merger.merge(1))();
  }
  const segments = db.prepare<[], { n: number }>("SELECT count(DISTINCT segid) AS n FROM search_keys_idx").get()!.n;
  const isLeft = isMerged ? index.merger.merge(Number.POSITIVE_INFINITY) : null;
  const set = documentsWithUnit({ kind: "word", text: "note" });
  const all = set.kind === "any" ? 0 : index.inBlock(1, blockOf(1), set).length;
  db.close();
  return { most: Math.max(...changed.slice(DOCUMENTS / 2)), segments, isLeft, all };
}

test("a write merges nothing: it changes few rows, and the steps between keep the segments few", () => {
  const [steps, alone] = [writeAll(true), writeAll(false)];
  expect(steps.all).toBe(DOCUMENTS);
  expect(alone.most).toBeGreaterThan(3 * steps.most);
  expect(steps.segments).toBeLessThan(64);
  expect(steps.isLeft).toBe(false);
});
