import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { PostgresServer } from "../postgres/server.ts";
import { Cluster } from "./cluster.ts";
import { killProcess, type Scene, type Strike } from "./live.ts";
import { ServiceProcess } from "./service-process.ts";

/** LIMIT: ms until a killed PostgreSQL must answer again. */
const BACK_MS = 60_000;
const PAUSE_MS = 20;

/** Starts processes of `serve` on one PostgreSQL. The faults kill each of them. */
export async function openPostgresScene(processes: number): Promise<Scene> {
  const server = await PostgresServer.make({ isDurable: true });
  if (typeof server === "string") throw new Error(server);
  const folder = mkdtempSync(join(tmpdir(), "mdmirror-histories-"));
  const database = server.url("postgres");
  const services = Array.from(
    { length: processes },
    (_, n) => new ServiceProcess(["--data", join(folder, String(n)), "--database", database]),
  );
  const cluster = new Cluster(services);
  const end = async () => {
    await cluster.close();
    await server.end();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    // ORDER: the first process creates the keys, which the others read.
    await services[0]!.start();
    await Promise.all(services.slice(1).map((service) => service.start()));
  } catch (error) {
    await end();
    throw error;
  }
  const strikes = [killProcess(cluster), killPostgres(cluster, server), killBackend(cluster, database)];
  return { cluster, strikes, end };
}

/**
 * Returns a fault that kills the main process of PostgreSQL alone. Its children may still finish
 * their work and answer. The server starts again when they have ended, and recovers.
 */
function killPostgres(cluster: Cluster, server: PostgresServer): Strike {
  const run = () =>
    cluster.withoutDatabase(async () => {
      process.kill(server.pid(), "SIGKILL");
      await server.stop();
      await untilDone(() => server.start());
    });
  return { name: "postgres", run };
}

/**
 * Returns a fault that kills the backend of one connection. PostgreSQL then ends all other
 * connections and recovers. ORDER: until the server notices the death, it answers as usual, so a
 * connection of the test waits for its own end.
 */
function killBackend(cluster: Cluster, database: string): Strike {
  const run = () =>
    cluster.withoutDatabase(async () => {
      const client = await connectTo(database);
      const ended = new Promise((resolve) => client.once("end", resolve));
      const { rows } = await client.query("SELECT pid FROM pg_stat_activity WHERE application_name = 'mdmirror'");
      if (rows.length === 0) return await client.end();
      process.kill(rows.at(-1)!.pid, "SIGKILL");
      await ended;
      await untilDone(() => ask(database, "SELECT 1"));
    });
  return { name: "backend", run };
}

async function connectTo(database: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database });
  // Without a listener, the end of this connection would be an uncaught error; the query reports it
  // too.
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

async function ask(database: string, question: string): Promise<void> {
  const client = await connectTo(database);
  try {
    await client.query(question);
  } finally {
    await client.end();
  }
}

async function untilDone(work: () => Promise<unknown>): Promise<void> {
  const end = performance.now() + BACK_MS;
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if (performance.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
