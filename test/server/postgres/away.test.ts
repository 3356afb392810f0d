import { randomBytes } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { StoreAway } from "../../../src/server/postgres/faults.ts";
import { createService } from "../../../src/server/service.ts";
import { freshDatabase, whyNoPostgres } from "../../postgres/database.ts";
import { PostgresServer } from "../../postgres/server.ts";
import { rethrow } from "../../simulator/quiet-ports.ts";
import { connect, makeFile, makeWorkspace, openStore, Step } from "./ground.ts";

/** PostgreSQL goes away, and comes back. */

const END_OTHERS =
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";

describe.skipIf(whyNoPostgres !== null)("a connection that breaks", () => {
  it("while nobody uses it is replaced, and nobody is told", async () => {
    const url = await freshDatabase();
    const store = await openStore(url);
    const workspace = await makeWorkspace(store, "wsp_main");
    const client = await connect(url);
    await client.query(END_OTHERS);
    await store.write((tables) => makeFile(tables, workspace, "a.md"));
    await client.query(END_OTHERS);
    expect(await store.read(({ files }) => files.byName(workspace, 0, "a.md"))).toBeDefined();
  });

  it("within a write lets it run again, because nothing was kept", async () => {
    const url = await freshDatabase();
    const store = await openStore(url);
    const workspace = await makeWorkspace(store, "wsp_main");
    // Those that nobody uses break with it, and are not heard of before one is taken.
    await Promise.all([1, 2, 3, 4].map(() => store.read(({ workspaces }) => workspaces.all())));
    let runs = 0;
    await store.write(async (tables) => {
      await makeFile(tables, workspace, "a.md");
      if (runs++ === 0) await (await connect(url)).query(END_OTHERS);
      await tables.files.byName(workspace, 0, "a.md");
    });
    expect(runs).toBeGreaterThan(1);
    expect(await store.figures()).toMatchObject({ documents: 1 });
  });

  it("during COMMIT is told as a write of unknown end, and not run again", async () => {
    const url = await freshDatabase();
    const store = await openStore(url);
    const workspace = await makeWorkspace(store, "wsp_main");
    const client = await connect(url);
    await client.query(`
      CREATE FUNCTION end_it() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END';
      CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON files DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION end_it()`);
    let runs = 0;
    const writing = store.write((tables) => {
      runs++;
      return makeFile(tables, workspace, "a.md");
    });
    await expect(writing).rejects.toMatchObject({ mayBeKept: true });
    expect(runs).toBe(1);
    expect(await store.figures()).toMatchObject({ documents: 0 });
  });
});

describe.skipIf(whyNoPostgres !== null)("a server that ends", () => {
  it("is told as away, at once, and found again when it runs", async () => {
    const server = (await PostgresServer.make()) as PostgresServer;
    onTestFinished(() => server.end());
    const store = await openStore(server.url("postgres"));
    const workspace = await makeWorkspace(store, "wsp_main");
    const step = new Step();
    const open = store.write(async (tables) => {
      await makeFile(tables, workspace, "open.md");
      await step.stop();
    });
    await step.reached();
    await server.stop();
    step.goOn();
    await expect(open).rejects.toBeInstanceOf(StoreAway);
    await expect(store.read(({ workspaces }) => workspaces.all())).rejects.toBeInstanceOf(StoreAway);
    await expect(store.holder(Buffer.alloc(32))).rejects.toBeInstanceOf(StoreAway);
    // Judged by its head alone, or whole: what the caller is told is the same.
    const service = createService({ store, random: randomBytes, now: () => 0, combine: () => null, onFault: rethrow });
    const request = { method: "GET", path: "/v1/files", headers: { "x-api-key": "mdm_any" }, body: null };
    for (const answer of [await service.admit(request), await service.handle(request)]) {
      expect(answer).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
      expect(answer?.body).toContain("The database cannot be reached; nothing was done.");
    }
    await server.start();
    expect(await store.read(({ workspaces }) => workspaces.all())).toMatchObject([{ id: "wsp_main" }]);
    await store.write((tables) => makeFile(tables, workspace, "a.md"));
    expect(await store.figures()).toMatchObject({ documents: 1 });
  });
});
