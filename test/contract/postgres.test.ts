import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hashKey } from "../../src/service/requests/authenticate.ts";
import { PostgresStore } from "../../src/service/store/postgres/store.ts";
import { startUpkeep } from "../../src/service/upkeep.ts";
import { Service } from "../../src/service/service.ts";
import { makeDatabase, whyNoPostgres } from "../postgres/database.ts";
import { ADMIN_KEY, seeded } from "../service/fixture.ts";
import { CONTRACT } from "./suite/all.ts";
import { runContractTest, type Target } from "./suite/world.ts";

/** Runs the contract's tests on PostgreSQL. */

/**
 * Slow searches by patterns. Both stores use the same search engine, so they run on SQLite only.
 */
const COSTLY: ReadonlySet<string> = new Set([
  "refuses a search of too many steps, and shows nothing that was found till then",
  "lets no pattern hang the service",
]);

describe.skipIf(whyNoPostgres !== null)("on PostgreSQL", () => {
  const faults: unknown[] = [];
  let database: Awaited<ReturnType<typeof makeDatabase>>;
  let service: Service;
  let target: Target;
  let stopIndexing: () => void;
  beforeAll(async () => {
    database = await makeDatabase();
    const random = seeded("contract");
    const store = await PostgresStore.open({ url: database.url, random });
    const more = { now: Date.now, adminKeyHash: hashKey(ADMIN_KEY) };
    service = new Service({ store, random, ...more, onFault: (error) => faults.push(error) });
    // Indexes in the background like a running service, so that searches meet both indexed and new
    // documents.
    stopIndexing = startUpkeep(service, (error) => faults.push(error));
    const { key } = await service.admin.createWorkspace("contract");
    target = { wire: service.handle, key, adminKey: ADMIN_KEY, indexesLate: false };
  });
  afterAll(async () => {
    stopIndexing();
    await service.close();
    await database.remove();
    expect(faults, "something became a 500").toEqual([]);
  });
  for (const [i, test] of CONTRACT.entries()) {
    if (!COSTLY.has(test.title)) it(test.title, () => runContractTest(test, target, `p${i}`));
  }
});
