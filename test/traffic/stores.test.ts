import { describe, expect, onTestFinished, test } from "vitest";
import { PostgresStore } from "../../src/server/postgres/store.ts";
import { openSqlite } from "../../src/server/sqlite/store.ts";
import { freshDatabase, whyNoPostgres } from "../postgres/database.ts";
import { seeded } from "../server/fixture.ts";
import { compareTraffic } from "./compare.ts";
import { sideOn } from "./side.ts";

describe.skipIf(whyNoPostgres !== null)("SQLite and PostgreSQL", () => {
  test("answer alike, whatever is asked, but for how they rank", async () => {
    const url = await freshDatabase();
    const postgres = await PostgresStore.open({ url, random: seeded("postgres") });
    onTestFinished(() => postgres.close());
    const sqlite = openSqlite(":memory:", { random: seeded("sqlite") });
    const plan = { seed: 2, requests: 700, ranking: "open" } as const;
    const compared = await compareTraffic(sideOn(sqlite, "sqlite"), sideOn(postgres, "postgres"), plan);
    expect(compared.difference).toBe(null);
    expect(compared.answers.size).toBeGreaterThan(70);
  });
});
