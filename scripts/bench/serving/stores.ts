/** The databases of a measured service. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { PostgresServer } from "../../../test/postgres/server.ts";

export type StoreName = "sqlite" | "postgres";

export type Store = {
  readonly name: StoreName;
  /** Returns the arguments of the n-th `serve` that select this database. */
  argsOf(n: number): readonly string[];
  /** Returns the ids of the database's present processes. */
  pids(): readonly number[];
  bytes(): Promise<number>;
  end(): Promise<void>;
};

/**
 * @param folder an empty folder
 * @throws if there is no PostgreSQL for this machine
 */
export async function makeStore(name: StoreName, folder: string): Promise<Store> {
  return name === "sqlite" ? sqliteIn(folder) : postgresIn(folder);
}

function sqliteIn(folder: string): Store {
  const data = join(folder, "data");
  return {
    name: "sqlite",
    argsOf: () => ["--data", data],
    pids: () => [],
    bytes: async () => {
      const files = readdirSync(data).filter((name) => name.startsWith("service.db"));
      return files.reduce((total, file) => total + statSync(join(data, file)).size, 0);
    },
    end: async () => undefined,
  };
}

/** Starts a PostgreSQL that flushes to disk as in production. */
async function postgresIn(folder: string): Promise<Store> {
  const server = await PostgresServer.make({ isDurable: true });
  if (typeof server === "string") throw new Error(`there is no PostgreSQL here: ${server}`);
  const url = server.url("postgres");
  return {
    name: "postgres",
    argsOf: (n) => ["--database", url, "--data", join(folder, `data-${n}`)],
    pids: () => {
      const pid = server.pid();
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
      return [pid, ...children.split(" ").map(Number)];
    },
    async bytes() {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      const { rows } = await client.query("SELECT pg_database_size(current_database()) AS bytes");
      await client.end();
      return Number(rows[0].bytes);
    },
    end: () => server.end(),
  };
}
