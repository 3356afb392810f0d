import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect as connectTo, createServer, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startHttp } from "../../../src/service/http/server.ts";
import { openPool } from "../../../src/service/store/postgres/pool.ts";
import { PostgresStore } from "../../../src/service/store/postgres/store.ts";
import { Service } from "../../../src/service/service.ts";
import { freshDatabase, whyNoPostgres } from "../../postgres/database.ts";
import { rethrow } from "../../simulator/quiet-ports.ts";
import { connect, makeFile, makeWorkspace, openStore, StopPoint } from "./fixture.ts";
import { join } from "node:path";
import { StoreUnreachableError } from "../../../src/service/store/postgres/transactions.ts";
import { PostgresServer } from "../../postgres/server.ts";

const DEALT = { now: () => 0, combine: () => null, random: randomBytes, onFault: rethrow } as const;

/**
 * Returns a server's authentication message.
 * @param step 10: the offered methods; 11: continue
 */
function authentication(step: 10 | 11, text: string): Buffer {
  const head = Buffer.alloc(9);
  head.write("R");
  head.writeInt32BE(8 + text.length, 1);
  head.writeInt32BE(step, 5);
  return Buffer.concat([head, Buffer.from(text)]);
}

/** Requests a password by SCRAM like a server. */
function askForPassword(socket: Socket): void {
  socket.once("data", () => {
    socket.write(authentication(10, "SCRAM-SHA-256\0\0"));
    socket.once("data", (first) => {
      const nonce = /r=(.+)$/.exec(first.toString())?.[1];
      socket.write(authentication(11, `r=${nonce}more,s=c2FsdA==,i=4096`));
    });
  });
}

it("disconnects from a server that wants a password if there is none", async () => {
  const server = createServer(askForPassword);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const asked = once(server, "connection");
  const { port } = server.address() as AddressInfo;
  const pool = openPool(`postgres://ann@127.0.0.1:${port}/notes`, () => undefined);
  await expect(pool.connect()).rejects.toThrow(/password/);
  const [socket] = (await asked) as [Socket];
  if (!socket.destroyed) await once(socket, "close");
  await pool.end();
});

it.skipIf(whyNoPostgres !== null)("/metrics shows who has a connection, and who waits for one", async () => {
  const url = await freshDatabase();
  const store = await PostgresStore.open({ url, random: randomBytes, pool: { max: 1 } });
  const service = new Service({ ...DEALT, store });
  const server = await startHttp(service);
  onTestFinished(async () => {
    await server.close();
    await service.close();
  });
  const detailNow = async () => {
    const text = await (await fetch(`${server.url}/metrics`)).text();
    return text.split("\n").filter((line) => line.startsWith("mdmirror_service_database_"));
  };
  const step = new StopPoint();
  const holds = store.read(() => step.stop());
  await step.reached();
  const waits = store.read(({ workspaces }) => workspaces.all());
  const busy = detailNow();
  // The second waiting query is that of `/metrics` itself, which is not counted.
  while (store.pool().waiting < 2) await new Promise((done) => setImmediate(done));
  step.goOn();
  await Promise.all([holds, waits]);
  const shown = (connections: number, idle: number, waiting: number) => [
    `mdmirror_service_database_connections ${connections}`,
    `mdmirror_service_database_connections_idle ${idle}`,
    `mdmirror_service_database_waiting ${waiting}`,
  ];
  expect(await busy).toEqual(shown(1, 0, 1));
  // The service's own poll of the outbox may have the only connection for a moment.
  await expect.poll(detailNow).toEqual(shown(1, 1, 0));
});

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

  it("in each attempt is reported as an unreachable database", async () => {
    const { url, store } = await openMain();
    const client = await connect(url);
    const writing = store.write(async (tables) => {
      await tables.workspaces.all();
      await client.query(END_OTHERS);
      await tables.workspaces.all();
    });
    await expect(writing).rejects.toThrow("The database cannot be reached");
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
  let isPaused = false;
  const made: Socket[] = [];
  const proxy = createServer((from) => {
    const to = connectTo(join(server.folder, ".s.PGSQL.5432"));
    made.push(from, to);
    for (const socket of [from, to]) socket.on("error", () => undefined);
    from.on("close", () => to.destroy());
    to.on("close", () => from.destroy());
    if (!isPaused) from.pipe(to).pipe(from);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => {
    proxy.close();
    for (const socket of made) socket.destroy();
  });
  const pause = () => {
    isPaused = true;
    for (const socket of made) socket.unpipe().pause();
  };
  const resume = () => {
    isPaused = false;
  };
  const url = `postgres://postgres@127.0.0.1:${(proxy.address() as AddressInfo).port}/postgres`;
  return { url, pause, resume };
}

describe.skipIf(whyNoPostgres !== null)("a server that hangs", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    if (whyNoPostgres === null) server = (await PostgresServer.make()) as PostgresServer;
  });
  afterAll(() => server?.end());

  it("is reported as unreachable to all who wait, and is found again", async () => {
    await makeWorkspace(await openStore(server.url("postgres")), "wsp_main");
    const proxy = await openPausableProxy(server);
    const pool = { connectionTimeoutMillis: 1_000, query_timeout: 1_000 };
    const store = await PostgresStore.open({ url: proxy.url, random: randomBytes, pool });
    onTestFinished(() => store.close());
    const read = () => store.read(({ workspaces }) => workspaces.all());
    await read();
    proxy.pause();
    // More reads than connections, so some of them wait for a connection.
    const waiting = await Promise.allSettled([...Array.from({ length: 30 }, read), store.holder(Buffer.alloc(32))]);
    expect(
      waiting.map((end) => end.status === "rejected" && end.reason instanceof StoreUnreachableError),
    ).not.toContain(false);
    proxy.resume();
    await expect.poll(() => read().catch(() => null)).toMatchObject([{ id: "wsp_main" }]);
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
    const service = new Service({ store, random: randomBytes, now: () => 0, combine: () => null, onFault: rethrow });
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
