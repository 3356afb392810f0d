import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { startHttp } from "../../../src/service/http/server.ts";
import { openPool } from "../../../src/service/store/postgres/pool.ts";
import { PostgresStore } from "../../../src/service/store/postgres/store.ts";
import { createService } from "../../../src/service/service.ts";
import { freshDatabase, whyNoPostgres } from "../../postgres/database.ts";
import { rethrow } from "../../simulator/quiet-ports.ts";
import { StopPoint } from "./ground.ts";

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
  const service = createService({ ...DEALT, store });
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
