import type { ClientBase } from "pg";
import { checkSchema } from "../other-version.ts";
import { MIGRATIONS, OLDEST_SCHEMA } from "./schema.ts";

/**
 * Number of the advisory lock for migrations. It was chosen at random, so that other programs do
 * not use the same number in this database.
 */
const MIGRATION_LOCK = 7_214_906_233_011;

/**
 * Error for a database that cannot be used. The message is for the person who operates the
 * database.
 */
export class UnusableDatabaseError extends Error {
  override readonly name = "UnusableDatabaseError";
  readonly code: "unusable-database" | "other-key";

  constructor(message: string, code: UnusableDatabaseError["code"] = "unusable-database") {
    super(message);
    this.code = code;
  }
}

/** LIMIT: oldest supported PostgreSQL, because the schema needs `NULLS NOT DISTINCT`. */
const OLDEST_SERVER = 15;

/**
 * Migrates a database to the newest schema. If several processes start at the same time, they
 * migrate one after the other, because a lock is held until the transaction ends.
 * @param oldest number of the schema that the first migration creates
 * @throws UnusableDatabaseError if PostgreSQL is too old, or the encoding is not UTF-8;
 * OtherVersionError if another version of mdmirror wrote the database
 */
export async function migrate(
  client: ClientBase,
  migrations: readonly string[] = MIGRATIONS,
  oldest: number = OLDEST_SCHEMA,
): Promise<void> {
  await checkServer(client);
  await client.query("BEGIN");
  try {
    await client.query("SET LOCAL lock_timeout = 0");
    await client.query("SET LOCAL statement_timeout = 0");
    await client.query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
    await client.query("CREATE TABLE IF NOT EXISTS migrated (number integer PRIMARY KEY, at timestamptz NOT NULL)");
    const { rows } = await client.query("SELECT coalesce(max(number), 0) AS version FROM migrated");
    const version: number = rows[0].version;
    const newest = oldest + migrations.length - 1;
    checkSchema("the database", version, oldest, newest);
    for (const [i, text] of migrations.entries()) {
      if (oldest + i <= version) continue;
      await client.query(text);
      await client.query("INSERT INTO migrated (number, at) VALUES ($1, now())", [oldest + i]);
    }
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

async function checkServer(client: ClientBase): Promise<void> {
  const { rows } = await client.query(
    "SELECT current_setting('server_version_num')::integer AS version, current_setting('server_encoding') AS encoding",
  );
  const { version, encoding } = rows[0] as { readonly version: number; readonly encoding: string };
  const major = Math.floor(version / 10_000);
  if (major < OLDEST_SERVER)
    throw new UnusableDatabaseError(`PostgreSQL ${OLDEST_SERVER} or newer is needed, this is ${major}`);
  if (encoding !== "UTF8") throw new UnusableDatabaseError(`the database has the encoding ${encoding}; UTF8 is needed`);
}
