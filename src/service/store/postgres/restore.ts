import Sqlite from "better-sqlite3";
import type { ClientBase } from "pg";
import { BACKUP_META, BACKUP_TABLES, type BackupTable } from "../../backup/backup-columns.ts";
import { GENERATION_NAME, newGeneration } from "../../requests/generation.ts";
import { migrate, UnusableDatabase } from "./migrate.ts";
import { openPool } from "./pool.ts";

/** Rows per statement. */
const PORTION = 200;

/**
 * Fills an empty database from a backup, completely or not at all.
 * @param file absolute path of a checked backup
 * @throws UnusableDatabase if the database is not empty; otherwise as `pg` does
 */
export async function restoreDatabase(file: string, url: string): Promise<void> {
  const pool = openPool(url, () => undefined, { max: 1, statement_timeout: 0, query_timeout: 0 });
  const db = new Sqlite(file, { readonly: true, fileMustExist: true });
  try {
    const client = await pool.connect();
    try {
      await migrate(client);
      await client.query("BEGIN");
      // A service that starts meanwhile waits, and then finds the restored rows.
      await client.query("LOCK TABLE workspaces, meta IN ACCESS EXCLUSIVE MODE");
      await refuseUnlessEmpty(client);
      await copyMeta(client, db);
      for (const table of BACKUP_TABLES) await copyTable(client, db, table);
      await client.query("COMMIT");
    } finally {
      // Closing the connection rolls back anything uncommitted.
      client.release(true);
    }
  } finally {
    db.close();
    await pool.end();
  }
}

async function refuseUnlessEmpty(client: ClientBase): Promise<void> {
  const { rows } = await client.query("SELECT 1 FROM workspaces UNION ALL SELECT 1 FROM keys LIMIT 1");
  if (rows.length > 0) throw new UnusableDatabase("the database holds a service already");
}

/** Copies settings and the secret; they replace a secret that the empty database may have made. */
async function copyMeta(client: ClientBase, db: Sqlite.Database): Promise<void> {
  const read = db.prepare<[string], { value: Buffer }>("SELECT value FROM meta WHERE name = ?");
  const copied = BACKUP_META.map((name) => [name, read.get(name)?.value] as const);
  for (const [name, value] of [...copied, [GENERATION_NAME, newGeneration()] as const]) {
    if (value === undefined) continue;
    const text = "INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = $2";
    await client.query(text, [name, value]);
  }
}

async function copyTable(client: ClientBase, db: Sqlite.Database, table: BackupTable): Promise<void> {
  const { name, columns, isNumbered, belongs } = table;
  const names = Object.keys(columns);
  const arrays = Object.values(columns).map((type, n) => `$${n + 1}::${type}[]`);
  const own = isNumbered ? " OVERRIDING SYSTEM VALUE" : "";
  const text = `INSERT INTO ${name} (${names.join()})${own} SELECT * FROM unnest(${arrays.join()})`;
  // A folder may be younger than the parent that it was moved into; a parent's path is always
  // shorter.
  const order = name === "folders" ? " ORDER BY length(path)" : isNumbered ? " ORDER BY seq" : "";
  const where = belongs === undefined ? "" : ` WHERE ${belongs}`;
  const rows = db.prepare(`SELECT ${names.join()} FROM ${name}${where}${order}`).raw();
  let portion: unknown[][] = [];
  for (const row of rows.iterate() as Iterable<unknown[]>) {
    if (portion.push(row) < PORTION) continue;
    await client.query(text, valuesOf(table, portion));
    portion = [];
  }
  if (portion.length > 0) await client.query(text, valuesOf(table, portion));
  if (isNumbered) await setNumber(client, db, name);
}

/** Converts rows to one array of values per column. */
function valuesOf({ columns }: BackupTable, rows: readonly unknown[][]): unknown[][] {
  return Object.values(columns).map((type, n) => rows.map((row) => (type === "boolean" ? row[n] === 1 : row[n])));
}

async function setNumber(client: ClientBase, db: Sqlite.Database, name: string): Promise<void> {
  const last = db.prepare<[string], { seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = ?").get(name);
  if (last === undefined || last.seq === 0) return;
  await client.query("SELECT setval(pg_get_serial_sequence($1, 'seq'), $2)", [name, last.seq]);
}
