import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { PostgresStore } from "../../../src/service/store/postgres/store.ts";
import type { Tables } from "../../../src/service/store/tables.ts";
import { makeDatabase, whyNoPostgres } from "../../postgres/database.ts";

/**
 * Fixtures for tests of the store on PostgreSQL: two writers on two connections, and a `StopPoint`
 * at which one of them can be stopped.
 */

type PostgresFixture = {
  readonly url: string;
  readonly store: PostgresStore;
  /** Store of another process on the same database. */
  readonly other: PostgresStore;
  /** Workspace of this test. */
  readonly workspace: number;
  /**
   * Resolves when a writer waits for a lock.
   * @throws if the writer has ended without waiting
   */
  waits(writer: Promise<unknown>): Promise<void>;
};

/**
 * Creates one database for all tests of a file. Returns a function that opens a new workspace in
 * it, for one test.
 */
export function useSharedDatabase(): () => Promise<PostgresFixture> {
  let shared: Omit<PostgresFixture, "workspace"> & { remove(): Promise<void> };
  let workspaces = 0;
  beforeAll(async () => {
    if (whyNoPostgres !== null) return;
    const { url, remove } = await makeDatabase();
    const [store, other, client] = [await open(url), await open(url), new pg.Client({ connectionString: url })];
    await client.connect();
    const end = async () => {
      await Promise.all([store.close(), other.close(), client.end()]);
      await remove();
    };
    shared = { url, store, other, waits: (writer) => untilWaits(client, writer), remove: end };
  });
  afterAll(() => shared?.remove());
  return async () => ({ ...shared, workspace: await makeWorkspace(shared.store, `wsp_${workspaces++}`) });
}

/** Opens a store that is closed after the test. */
export async function openStore(url: string): Promise<PostgresStore> {
  const store = await open(url);
  onTestFinished(() => store.close());
  return store;
}

function open(url: string): Promise<PostgresStore> {
  return PostgresStore.open({ url, random: randomBytes });
}

export function makeWorkspace(store: PostgresStore, id: string): Promise<number> {
  return store.write(async ({ workspaces }) => {
    await workspaces.insert(id, id);
    return (await workspaces.byId(id))!.seq;
  });
}

const WAITING = `SELECT count(*)::integer AS n FROM pg_stat_activity
WHERE wait_event_type = 'Lock' AND datname = current_database()`;

/**
 * Queries the server until a writer waits for a lock. Each query takes some time, so no other pause
 * is needed.
 */
async function untilWaits(client: pg.Client, writer: Promise<unknown>): Promise<void> {
  let isDone = false;
  const end = () => {
    isDone = true;
  };
  writer.then(end, end);
  while ((await client.query(WAITING)).rows[0].n === 0) {
    if (isDone) throw new Error("the writer did not wait");
  }
}

/** A point at which a transaction stops until the test lets it continue. */
export class StopPoint {
  readonly #reached = Promise.withResolvers<void>();
  readonly #goOn = Promise.withResolvers<void>();

  constructor() {
    // If the test fails first, the transaction must not stay open.
    onTestFinished(() => this.goOn());
  }

  /** Called by the transaction. */
  stop(): Promise<void> {
    this.#reached.resolve();
    return this.#goOn.promise;
  }

  reached(): Promise<void> {
    return this.#reached.promise;
  }

  goOn(): void {
    this.#goOn.resolve();
  }
}

let made = 0;

const ROOT_FOLDER = { seq: 0, path: "" };

/** Inserts a document with new ids, in the root unless a folder is given. Returns its id. */
export async function makeFile(tables: Tables, workspace: number, name: string, folder = ROOT_FOLDER): Promise<string> {
  const id = `doc_${made++}`;
  await tables.files.insert({ workspace, id, folder, name, changeId: `chg_of-${id}`, text: `of ${name}\n`, at: 1 });
  return id;
}

export async function makeFolder(tables: Tables, workspace: number, path: string, parent = 0): Promise<number> {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return tables.folders.insert({ workspace, id: `dir_${made++}`, parent, name, path });
}

export const FIRST_PAGE = { after: 0, count: 100 } as const;

/** Opens a connection that no store uses. */
export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/**
 * Runs two transactions. The second begins when the first has done its work but is not committed.
 * The first ends when the second waits for a lock.
 */
export async function runOverlapped<A, B>(
  { store, other, waits }: PostgresFixture,
  one: (tables: Tables) => Promise<A>,
  next: (tables: Tables) => Promise<B>,
): Promise<[A, B]> {
  const step = new StopPoint();
  const first = store.write(async (tables) => {
    const result = await one(tables);
    await step.stop();
    return result;
  });
  await Promise.race([step.reached(), first]);
  const second = other.write(next);
  await waits(second);
  step.goOn();
  return Promise.all([first, second]);
}
