import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { PostgresServer } from "../postgres/server.ts";
import { Cluster } from "./cluster.ts";
import { killProcess, type Scene, type Strike } from "./live.ts";
import { ServiceProcess } from "./service-process.ts";

/** How long a killed PostgreSQL may take until it answers again, in ms. */
const BACK_MS = 60_000;
const PAUSE_MS = 20;

/** Processes of `serve` over one PostgreSQL, all of which are killed. */
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
    // ORDER: the first one makes the keys, and has them.
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
 * Kills the server alone. What its connections were doing they may still end, and say so; another
 * one starts when they are gone, and recovers.
 */
function killPostgres(cluster: Cluster, server: PostgresServer): Strike {
  const run = () =>
    cluster.away(async () => {
      process.kill(server.pid(), "SIGKILL");
      await server.stop();
      await untilDone(() => server.start());
    });
  return { name: "postgres", run };
}

/**
 * Kills what serves one connection, after which PostgreSQL ends all others, and recovers. ORDER: it
 * answers for a moment as if nothing had been, until it has noticed; a connection of ours tells.
 */
function killBackend(cluster: Cluster, database: string): Strike {
  const run = () =>
    cluster.away(async () => {
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
  // Its end while it is used is told by the question, too.
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
