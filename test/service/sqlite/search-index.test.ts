import { expect, onTestFinished, test } from "vitest";
import { findBlock } from "../../../src/markdown/search/key-index.ts";
import { documentsWithLiteral } from "../../../src/markdown/search/keys.ts";
import { type Db, openDatabase } from "../../../src/service/store/sqlite/database.ts";
import { SearchIndex, MAX_STEP_COST } from "../../../src/service/store/sqlite/search-table.ts";

const WIDE = Array.from({ length: 10_000 }, (_, n) => String.fromCodePoint(0x4e00 + n)).join("");

/** Opens a database with one document that is not indexed yet and has very many keys. */
function openWide(): Db {
  const db = openDatabase(":memory:");
  onTestFinished(() => void db.close());
  db.prepare("INSERT INTO workspaces (id, name, state, retry_after) VALUES ('wsp_1', 'main', 'open', 0)").run();
  db.prepare(
    "INSERT INTO changes (id, file, status, codec, text, at) VALUES ('chg_1', 1, 'saved', 0, CAST(? AS BLOB), 0)",
  ).run(WIDE);
  db.prepare(
    "INSERT INTO files (id, workspace, folder, name, protected, change_id) VALUES ('doc_1', 1, 0, 'wide.md', 0, 'chg_1')",
  ).run();
  return db;
}

function step(db: Db, index: SearchIndex, end: "COMMIT" | "ROLLBACK"): "done" | "more" {
  db.prepare("BEGIN").run();
  const left = index.update(MAX_STEP_COST);
  db.prepare(end).run();
  return left;
}

test("a text is indexed whole, whichever step of it is rolled back", () => {
  const whole = openWide();
  const steps = [0];
  for (const index = new SearchIndex(whole); step(whole, index, "COMMIT") === "more"; ) steps.push(steps.length);
  expect(steps.length).toBeGreaterThan(5);
  for (const lost of steps) {
    const db = openWide();
    const index = new SearchIndex(db);
    for (let n = 0; step(db, index, n === lost ? "ROLLBACK" : "COMMIT") === "more" || n <= lost; ) n++;
    expect(index.waiting(1)).toEqual([]);
    for (let at = 0; at < WIDE.length; at += 1_990)
      expect(index.keys.inBlock(1, findBlock(1), withNamed(WIDE.slice(at, at + 10)))).toEqual([1]);
  }
});

function withNamed(literal: string) {
  const set = documentsWithLiteral(literal);
  return set.kind === "any" ? expect.fail("any document") : set;
}
