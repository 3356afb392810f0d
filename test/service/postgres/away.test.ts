import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect as connectTo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { StoreUnreachableError } from "../../../src/service/store/postgres/faults.ts";
import { PostgresStore } from "../../../src/service/store/postgres/store.ts";
import { createService } from "../../../src/service/service.ts";
import { freshDatabase, whyNoPostgres } from "../../postgres/database.ts";
import { PostgresServer } from "../../postgres/server.ts";
import { rethrow } from "../../simulator/quiet-ports.ts";
import { connect, makeFile, makeWorkspace, openStore, StopPoint } from "./ground.ts";

/** PostgreSQL is stopped, hangs, or ends connections, and is available again later. */

const END_OTHERS =
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";

async function openMain() {
  const url = await freshDatabase();
  const store = await openStore(url);
  return { url, store, workspace: await makeWorkspace(store, "wsp_main") };
}

describe.skipIf(whyNoPostgres !== null)("a connection that breaks", () => {
  it("while nobody uses it is replaced, and nothing is reported", async () => {
    const { url, store, workspace } = await openMain();
    const client = await connect(url);
    await client.query(END_OTHERS);
    await store.write(async (tables) => {
      // Like every request, the write reads first. Without a read, COMMIT would be sent before any
      // answer, and a broken connection would not show in time.
      await tables.workspaces.all();
      await makeFile(tables, workspace, "a.md");
    });
    await client.query(END_OTHERS);
    expect(await store.read(({ files }) => files.byName(workspace, 0, "a.md"))).toBeDefined();
  });

  it("within a write lets it run again, because nothing was kept", async () => {
    const { url, store, workspace } = await openMain();
    // Unused connections end at the same time. The pool notices that only when it takes one.
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

  it("lets the lookup of a key run again", async () => {
    const url = await freshDatabase();
    const store = await openStore(url);
    await Promise.all([1, 2, 3, 4].map(() => store.read(({ workspaces }) => workspaces.all())));
    const client = await connect(url);
    const asked = Promise.all([1, 2, 3, 4].map(() => store.holder(Buffer.alloc(32))));
    // The queries are sent, and the connections end before or just after the answers.
    await client.query(END_OTHERS);
    expect(await asked).toEqual([undefined, undefined, undefined, undefined]);
    expect(await store.holder(Buffer.alloc(32))).toBeUndefined();
  });

  it("during COMMIT is reported as a write of unknown end, and not run again", async () => {
    const { url, store, workspace } = await openMain();
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

/**
 * Starts a proxy to a server, which the test can pause: it then accepts data and does not answer.
 */
async function openPausableProxy(server: PostgresServer) {
  let isHeld = false;
  const made: Socket[] = [];
  const way = createServer((from) => {
    const to = connectTo(join(server.folder, ".s.PGSQL.5432"));
    made.push(from, to);
    for (const socket of [from, to]) socket.on("error", () => undefined);
    from.on("close", () => to.destroy());
    to.on("close", () => from.destroy());
    if (!isHeld) from.pipe(to).pipe(from);
  });
  way.listen(0, "127.0.0.1");
  await once(way, "listening");
  onTestFinished(() => {
    way.close();
    for (const socket of made) socket.destroy();
  });
  const hold = () => {
    isHeld = true;
    for (const socket of made) socket.unpipe().pause();
  };
  const letGo = () => {
    isHeld = false;
  };
  const url = `postgres://postgres@127.0.0.1:${(way.address() as AddressInfo).port}/postgres`;
  return { url, hold, letGo };
}

describe.skipIf(whyNoPostgres !== null)("a server that hangs", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    if (whyNoPostgres === null) server = (await PostgresServer.make()) as PostgresServer;
  });
  afterAll(() => server?.end());

  it("is reported as unreachable to all who wait, and is found again", async () => {
    await makeWorkspace(await openStore(server.url("postgres")), "wsp_main");
    const way = await openPausableProxy(server);
    const pool = { connectionTimeoutMillis: 1_000, query_timeout: 1_000 };
    const store = await PostgresStore.open({ url: way.url, random: randomBytes, pool });
    onTestFinished(() => store.close());
    const read = () => store.read(({ workspaces }) => workspaces.all());
    await read();
    way.hold();
    // More reads than connections, so some of them wait for a connection.
    const waiting = await Promise.allSettled([...Array.from({ length: 30 }, read), store.holder(Buffer.alloc(32))]);
    expect(
      waiting.map((end) => end.status === "rejected" && end.reason instanceof StoreUnreachableError),
    ).not.toContain(false);
    way.letGo();
    while ((await Promise.allSettled([read()]))[0]!.status === "rejected")
      await new Promise((done) => setImmediate(done));
    expect(await read()).toMatchObject([{ id: "wsp_main" }]);
  });
});

describe.skipIf(whyNoPostgres !== null)("a server that ends", () => {
  it("is reported as unreachable without delay, and found again when it runs", async () => {
    const server = (await PostgresServer.make()) as PostgresServer;
    onTestFinished(() => server.end());
    const store = await openStore(server.url("postgres"));
    const workspace = await makeWorkspace(store, "wsp_main");
    const step = new StopPoint();
    const open = store.write(async (tables) => {
      await makeFile(tables, workspace, "open.md");
      await step.stop();
    });
    await step.reached();
    await server.stop();
    step.goOn();
    await expect(open).rejects.toBeInstanceOf(StoreUnreachableError);
    await expect(store.read(({ workspaces }) => workspaces.all())).rejects.toBeInstanceOf(StoreUnreachableError);
    await expect(store.holder(Buffer.alloc(32))).rejects.toBeInstanceOf(StoreUnreachableError);
    // The answer is the same whether the service has read only the headers or the whole request.
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
