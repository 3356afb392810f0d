import type Sqlite from "better-sqlite3";
import type { ClientBase } from "pg";
import { BACKUP_META, type BackupTable, backupTables, makeBackupFile } from "../sqlite/backup-file.ts";
import { migrate } from "./migrate.ts";
import { openPool } from "./pool.ts";

/** LIMIT: rows that are in memory at the same time; the content of a row has up to 200 kB. */
const PORTION = 200;

/**
 * Copies a database to a new file, as the database was at one moment. The services on the database
 * keep running.
 * @param file absolute; nothing may exist at this path
 * @throws UnusableDatabase, or as `pg` and better-sqlite3 do; then there is no file
 */
export async function backUpDatabase(url: string, file: string): Promise<void> {
  const pool = openPool(url, () => undefined, { max: 1, statement_timeout: 0, query_timeout: 0 });
  try {
    const client = await pool.connect();
    try {
      await migrate(client);
      await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
      await makeBackupFile(file, (db) => copyAll(client, db));
      await client.query("COMMIT");
    } finally {
      client.release(true);
    }
  } finally {
    await pool.end();
  }
}

async function copyAll(client: ClientBase, db: Sqlite.Database): Promise<void> {
  const meta = await client.query("SELECT name, value FROM meta WHERE name = ANY ($1)", [BACKUP_META]);
  const insert = db.prepare("INSERT INTO meta (name, value) VALUES (?, ?)");
  for (const { name, value } of meta.rows) insert.run(name, value);
  for (const table of backupTables(db)) await copyTable(client, db, table);
}

async function copyTable(client: ClientBase, db: Sqlite.Database, { name, columns, isNumbered }: BackupTable) {
  const insert = db.prepare(`INSERT INTO ${name} (${columns.join()}) VALUES (${columns.map(() => "?").join()})`);
  const order = isNumbered ? " ORDER BY seq" : "";
  await client.query(`DECLARE copied NO SCROLL CURSOR FOR SELECT ${columns.join()} FROM ${name}${order}`);
  for (;;) {
    const { rows } = await client.query({ text: `FETCH ${PORTION} FROM copied`, rowMode: "array" });
    for (const row of rows as unknown[][]) insert.run(row.map(forSqlite));
    if (rows.length < PORTION) break;
  }
  await client.query("CLOSE copied");
  if (isNumbered) await copyNumber(client, db, name);
}

/** Copies the last value of a sequence, so that numbers of removed rows are never used again. */
async function copyNumber(client: ClientBase, db: Sqlite.Database, name: string): Promise<void> {
  const { rows } = await client.query("SELECT last_value FROM pg_sequences WHERE sequencename = $1 || '_seq_seq'", [
    name,
  ]);
  const last = Number(rows[0]?.last_value ?? 0);
  db.prepare("DELETE FROM sqlite_sequence WHERE name = ?").run(name);
  db.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)").run(name, last);
}

function forSqlite(value: unknown): unknown {
  return typeof value === "boolean" ? Number(value) : value;
}
