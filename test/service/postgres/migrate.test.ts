import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { migrate, MIGRATIONS, OLDEST_SCHEMA } from "../../../src/service/store/postgres/schema.ts";
import { PostgresStore } from "../../../src/service/store/postgres/store.ts";
import { freshDatabase, whyNoPostgres } from "../../postgres/database.ts";
import { connect, openStore } from "./fixture.ts";

describe.skipIf(whyNoPostgres !== null)("an empty database", () => {
  it("is made ready once by processes that start together, with one secret for all", async () => {
    const url = await freshDatabase();
    const stores = await Promise.all([1, 2, 3, 4, 5].map(() => openStore(url)));
    expect(new Set(stores.map(({ cursorSecret }) => cursorSecret.toString("hex"))).size).toBe(1);
    const { rows } = await (await connect(url)).query("SELECT number FROM migrated ORDER BY number");
    expect(rows.map(({ number }) => number)).toEqual(MIGRATIONS.map((_, i) => OLDEST_SCHEMA + i));
  });

  it("is brought on step by step, and left as it was by a step that fails", async () => {
    const url = await freshDatabase();
    const client = await connect(url);
    await migrate(client, ["CREATE TABLE one (n integer)"], 1);
    const broken = ["", "CREATE TABLE two (n integer)", "CREATE TABLE two (n integer)"];
    await expect(migrate(client, broken, 1)).rejects.toThrow('relation "two" already exists');
    await migrate(client, ["", "CREATE TABLE two (n integer)"], 1);
    expect((await client.query("SELECT count(*)::integer AS n FROM migrated")).rows).toEqual([{ n: 2 }]);
  });

  it("is refused, once a newer program wrote it, in words for its operator", async () => {
    const url = await freshDatabase();
    await migrate(await connect(url), [...MIGRATIONS, ""]);
    const known = OLDEST_SCHEMA + MIGRATIONS.length - 1;
    const newer = known + 1;
    await expect(PostgresStore.open({ url, random: randomBytes })).rejects.toMatchObject({
      code: "newer-data",
      message: `the database was written by a newer mdmirror (schema ${newer}, this one knows ${known})`,
    });
  });

  it("is refused, if a program wrote it that is too old", async () => {
    const url = await freshDatabase();
    await migrate(await connect(url), [""], OLDEST_SCHEMA - 1);
    await expect(PostgresStore.open({ url, random: randomBytes })).rejects.toMatchObject({ code: "older-data" });
  });

  it("lets a search read few pages after many edits", async () => {
    const client = await connect(await freshDatabase());
    await migrate(client);
    const keys = "ARRAY(SELECT file * 1000 + key FROM generate_series(1, 300) AS key)";
    await client.query(`INSERT INTO files (workspace, id, folder, name, change_id)
      SELECT 1, n, 0, n, n FROM generate_series(1, 500) AS n`);
    for (let edit = 1; edit <= 5; edit++)
      await client.query(`INSERT INTO search_texts (file, n, keys) SELECT file, ${edit}, ${keys}
        FROM (SELECT seq AS file FROM files WHERE seq % 5 = ${edit - 1}) AS edited`);
    await client.query("SET enable_seqscan = off");
    const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)
      SELECT file FROM search_texts WHERE keys @> ARRAY[7007]`);
    const { Plan: plan } = rows[0]["QUERY PLAN"][0];
    expect(plan["Actual Rows"]).toBe(1);
    expect(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]).toBeLessThan(64);
  });
});
