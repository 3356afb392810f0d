import { Dice } from "../simulator/dice.ts";
import { audit, newWork, runClients, ServiceClient } from "./clients.ts";
import { Cluster } from "./cluster.ts";
import { type ExecutedOperation, Recorder } from "./operation.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServiceProcess } from "./service-process.ts";
import pg from "pg";
import { PostgresServer } from "../postgres/server.ts";

/** A fault: something is killed and started again while clients work. */
type Strike = { readonly name: string; readonly run: (dice: Dice) => Promise<void> };

export type Scene = {
  readonly cluster: Cluster;
  readonly strikes: readonly Strike[];
  readonly end: () => Promise<void>;
};

type Plan = {
  readonly seed: number;
  readonly clients: number;
  readonly operations: number;
  /** Number of kills, spread over the operations. The kinds of kills take turns. */
  readonly strikes: number;
};

type RunResult = { readonly history: readonly ExecutedOperation[]; readonly struck: readonly string[] };

/** Runs clients in a new workspace, kills processes meanwhile, and reads everything at the end. */
export async function runScene({ cluster, strikes }: Scene, plan: Plan): Promise<RunResult> {
  const recorder = new Recorder();
  const workspaceId = await cluster.newWorkspace(`histories ${plan.seed}`);
  const work = newWork({ recorder, connect: cluster.connect, isOver: () => recorder.count >= plan.operations });
  const working = runClients(work, plan.seed, plan.clients);
  const dice = new Dice(plan.seed);
  const struck: string[] = [];
  for (let n = 1; n <= plan.strikes; n++) {
    // Varies the moment of the kill by some operations.
    await recorder.reached((plan.operations * n) / (plan.strikes + 1) + dice.below(50) - 25);
    const strike = strikes[(plan.seed + n) % strikes.length]!;
    struck.push(strike.name);
    await strike.run(dice);
  }
  await working;
  const last = new ServiceClient(work, plan.seed, plan.clients);
  const listReviews = await cluster.connect(plan.clients, dice);
  await audit(last, work, { listReviews, workspaceId });
  return { history: recorder.history, struck };
}

/** Returns a fault that kills one of the processes and starts it again at its address. */
function killProcess({ processes }: Cluster): Strike {
  return {
    name: "process",
    run: async (dice) => {
      const process = dice.pick(processes);
      await process.end("SIGKILL");
      await process.start();
    },
  };
}

/** Starts one `serve` on SQLite, which the faults kill. */
export async function openSqliteScene(): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), "mdmirror-histories-"));
  const process = new ServiceProcess(["--data", folder]);
  await process.start();
  const cluster = new Cluster([process]);
  const end = async () => {
    await cluster.close();
    rmSync(folder, { recursive: true });
  };
  return { cluster, strikes: [killProcess(cluster)], end };
}

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
