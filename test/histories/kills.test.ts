import { expect, onTestFinished, test } from "vitest";
import { whyNoPostgres } from "../postgres/database.ts";
import { checkHistory } from "./oracle.ts";
import { openPostgresScene, openSqliteScene, runScene, type Scene } from "./scene.ts";

/** A short part of `npm run soak -- histories`: kills real processes while clients work. */

async function holds(scene: Scene, operations: number, strikes: number): Promise<void> {
  onTestFinished(scene.end);
  const { history, struck } = await runScene(scene, { seed: 1, clients: 20, operations, strikes });
  const { broken, undecided, acknowledged } = checkHistory(history);
  expect({ broken, undecided, struck: struck.length }).toEqual({ broken: [], undecided: [], struck: strikes });
  expect(acknowledged).toBeGreaterThan(operations / 2);
}

test("serve on SQLite, killed under twenty clients, has the history of one that was not", async () => {
  await holds(await openSqliteScene(), 150, 1);
});

// Skipped with a PostgreSQL server that this test run did not start, because the test kills it.
test.skipIf(whyNoPostgres !== null || process.env["MDMIRROR_TEST_POSTGRES"] !== undefined)(
  "two of them on PostgreSQL, one killed, then PostgreSQL itself, have the history of one",
  async () => {
    await holds(await openPostgresScene(2), 250, 3);
  },
);
