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
});
