import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { whyNoPostgres } from "./database.ts";
import { PostgresServer } from "./server.ts";

/** What tests that kill PostgreSQL rely on. */

test.skipIf(whyNoPostgres !== null)("a PostgreSQL that cannot start says why, and starts when it can", async () => {
  const server = await PostgresServer.make();
  if (typeof server === "string") throw new Error(server);
  onTestFinished(() => server.end());
  process.kill(server.pid(), "SIGKILL");
  await server.stop();
  const settings = join(server.folder, "data", "postgresql.conf");
  const before = readFileSync(settings, "utf8");
  writeFileSync(settings, "no such setting = 1\n");
  await expect(server.start()).rejects.toThrow(/PostgreSQL did not start: .*syntax error|configuration file/s);
  writeFileSync(settings, before);
  await startAgain(server);
  expect(server.pid()).toBeGreaterThan(0);
});

/** What the killed one was doing may not have ended yet. */
async function startAgain(server: PostgresServer): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return await server.start();
    } catch (error) {
      if (tries === 100) throw error;
    }
  }
}
