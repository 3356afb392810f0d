import { describe, expect, onTestFinished, test } from "vitest";
import { PostgresStore } from "../../src/service/store/postgres/store.ts";
import { openSqlite } from "../../src/service/store/sqlite/store.ts";
import { freshDatabase, whyNoPostgres } from "../postgres/database.ts";
import { Dice } from "../simulator/dice.ts";
import { compareTraffic } from "./compare.ts";
import { sideOn } from "./side.ts";

describe.skipIf(whyNoPostgres !== null)("SQLite and PostgreSQL", () => {
  test("answer alike, whatever is asked", async () => {
    const url = await freshDatabase();
    const postgres = await PostgresStore.open({ url, random: new Dice(1).bytes });
    onTestFinished(() => postgres.close());
    const sqlite = openSqlite(":memory:", { random: new Dice(2).bytes });
    const plan = { seed: 2, requests: 700 };
    const compared = await compareTraffic(sideOn("sqlite", sqlite, 3), sideOn("postgres", postgres, 4), plan);
    expect(compared.difference).toBe(null);
    expect(compared.answers.size).toBeGreaterThan(70);
  });
});
