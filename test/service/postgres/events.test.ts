import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PostgresStore } from "../../../src/service/store/postgres/store.ts";
import { makeDatabase, whyNoPostgres } from "../../postgres/database.ts";
import { type EventsFixture, join, keyWith, open } from "../events/fixture.ts";
import { EVENTS, EVENTS_BY_GRANTS } from "../events/events-suite.ts";
import { Api } from "../../../src/conformance/world.ts";
import { connect } from "./fixture.ts";

/** The events of the core must be the same on PostgreSQL. */

let url = "";
let remove: () => Promise<void>;

async function openOnPostgres(more: Parameters<typeof open>[0] = {}): Promise<EventsFixture> {
  const store = await PostgresStore.open({ url, random: randomBytes });
  const client = await connect(url);
  // A row can be read only after all older transactions of the server have ended, also those of
  // other tests.
  const waiting = async () => {
    const left = "SELECT 1 FROM outbox WHERE xid >= pg_snapshot_xmin(pg_current_snapshot()) LIMIT 1";
    while ((await client.query(left)).rowCount !== 0);
  };
  return open({ store, random: randomBytes, ...more }, waiting);
}

describe.skipIf(whyNoPostgres !== null)("over PostgreSQL", () => {
  beforeAll(async () => {
    if (whyNoPostgres === null) ({ url, remove } = await makeDatabase());
  });
  afterAll(() => remove?.());
  test("a key expires by the database's clock, not by that of a process", async () => {
    const day = 86_400_000;
    for (const [ahead, isValid] of [
      [2 * day, true],
      [-2 * day, false],
    ] as const) {
      const asked = await openOnPostgres({ now: () => Date.now() + ahead });
      const { service } = asked.opened;
      const { key, id } = await keyWith(asked, { on: null, level: "read" });
      await service.admin.changeKey(id, { expiresAt: Date.now() + (isValid ? day : -day) });
      expect((await new Api(service.handle, key).get("/v1/files")).status).toBe(isValid ? 200 : 401);
      expect((await join(asked, key)).status).toBe(isValid ? 200 : 401);
    }
  });
  test.each([...EVENTS, ...EVENTS_BY_GRANTS])("%s", (_title, run) => run(() => openOnPostgres()));
});
