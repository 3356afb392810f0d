import { describe, expect, test } from "vitest";
import { openDatabase, SqliteSession } from "../../../src/service/store/sqlite/database.ts";
import { makeOutboxTable } from "../../../src/service/store/sqlite/outbox.ts";

function open() {
  const db = openDatabase(":memory:");
  const write = (rows: number) =>
    db
      .prepare<[number]>(
        `WITH RECURSIVE many (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < ?)
         INSERT INTO outbox (mark, workspace, kind, seq, id, change)
         SELECT 'chg_' || n, 1, 'file', n, 'doc_' || n, 'edited' FROM many`,
      )
      .run(rows);
  return { table: makeOutboxTable(new SqliteSession(db)), write, db };
}

describe("the outbox of SQLite", () => {
  test("is read on from a place, in portions, to its end", async () => {
    const { table, write } = open();
    const begin = await table.newest();
    write(5);
    const first = (await table.after(begin, 3))!;
    expect([first.rows.map(({ seq }) => seq), first.more]).toEqual([[1, 2, 3], true]);
    const rest = (await table.after(first.upTo, 3))!;
    expect([rest.rows.map(({ seq }) => seq), rest.more]).toEqual([[4, 5], false]);
    expect(rest.upTo).toBe(await table.newest());
    expect(await table.after(rest.upTo, 3)).toEqual({ rows: [], upTo: rest.upTo, more: false });
  });

  test("is read for one workspace past the rows of others", async () => {
    const { table, write, db } = open();
    const begin = await table.newest();
    write(50);
    db.prepare(
      "INSERT INTO outbox (mark, workspace, kind, seq, id, change) VALUES ('m', 2, 'file', 7, 'doc_7', 'gone')",
    ).run();
    expect(await table.after(begin, 3, 2)).toMatchObject({ rows: [{ id: "doc_7" }], more: false });
    expect(await table.after(begin, 3, 3)).toEqual({ rows: [], upTo: begin, more: false });
  });

  test("keeps its newest rows; a place that is pruned is not known", async () => {
    const { table, write, db } = open();
    const begin = await table.newest();
    write(10);
    const early = await table.newest();
    write(40_000);
    const { count } = db.prepare<[], { count: number }>("SELECT count(*) AS count FROM outbox").get()!;
    expect(count).toBeGreaterThanOrEqual(20_000);
    expect(count).toBeLessThanOrEqual(21_000);
    expect(await table.after(early, 10)).toBeNull();
    expect(await table.after(begin, 10)).toBeNull();
    expect(await table.after(await table.newest(), 10)).toMatchObject({ rows: [] });
  });

  test("a row of the same number that is another one is not known", async () => {
    const { table, write } = open();
    write(3);
    const place = await table.newest();
    for (const other of [`${place}0`, "9.abc", "", "0.", "x", "1", `${Number.MAX_SAFE_INTEGER}0.a`])
      expect(other === "0." ? "begin" : await table.after(other, 10)).toBe(other === "0." ? "begin" : null);
    expect((await table.after("0.", 10))?.rows).toHaveLength(3);
  });
});
