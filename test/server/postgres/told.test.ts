import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, onTestFinished, test } from "vitest";
import { PostgresStore } from "../../../src/server/postgres/store.ts";
import { makeDatabase, whyNoPostgres } from "../../postgres/database.ts";
import { type Asked, open } from "../events/asked.ts";
import { TOLD, TOLD_BY_GRANTS } from "../events/told-suite.ts";

/** Events are of the core: what is told must be the same over PostgreSQL. */

let url = "";
let remove: () => Promise<void>;

async function openOnPostgres(): Promise<Asked> {
  const store = await PostgresStore.open({ url, random: randomBytes });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  // Rows wait for older transactions of the whole server, also those of other tests.
  const waiting = async () => {
    const left = "SELECT 1 FROM outbox WHERE xid >= pg_snapshot_xmin(pg_current_snapshot()) LIMIT 1";
    while ((await client.query(left)).rowCount !== 0);
  };
  return open({ store, random: randomBytes }, waiting);
}

describe.skipIf(whyNoPostgres !== null)("over PostgreSQL", () => {
  beforeAll(async () => {
    if (whyNoPostgres === null) ({ url, remove } = await makeDatabase());
  });
  afterAll(() => remove?.());
  test.each([...TOLD, ...TOLD_BY_GRANTS])("%s", (_title, run) => run(openOnPostgres));
});
