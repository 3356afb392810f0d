import Sqlite from "better-sqlite3";
import type { ClientBase } from "pg";
import { GENERATION_NAME, makeGeneration } from "../meta-table.ts";
import { BACKUP_META, BACKUP_TABLES, type BackupTable, listBackupTables, makeBackupFile } from "../sqlite/backup.ts";
import { migrate, UnusableDatabaseError } from "./schema.ts";
import { openPool } from "./pool.ts";

/**
 * LIMIT: number of rows that are read or written together. More rows would need too much memory,
 * because one row can have 200 kB.
 */
const ROWS_TOGETHER = 200;

/**
 * Copies a database to a new file. The copy has the state of one moment, although services may use
 * the database meanwhile.
 * @param file absolute path; must not exist
 * @throws UnusableDatabaseError, or errors of `pg`, better-sqlite3 and node:fs; no incomplete file
 * then remains
 */
export function backUpDatabase(url: string, file: string): Promise<void> {
  return withDatabase(url, async (client) => {
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    await makeBackupFile(file, (db) => copyTables(client, db));
    await client.query("COMMIT");
  });
}

/** Migrates a database and runs `work` on it. Rolls back uncommitted changes. */
async function withDatabase(url: string, work: (client: ClientBase) => Promise<void>): Promise<void> {
  const pool = openPool(url, () => undefined, { max: 1, statement_timeout: 0, query_timeout: 0 });
  try {
    const client = await pool.connect();
    try {
      await migrate(client);
      await work(client);
    } finally {
      client.release(true);
    }
  } finally {
    await pool.end();
  }
}

async function copyTables(client: ClientBase, db: Sqlite.Database): Promise<void> {
  const metaResult = await client.query("SELECT name, value FROM meta WHERE name = ANY ($1)", [BACKUP_META]);
  const insertMeta = db.prepare("INSERT INTO meta (name, value) VALUES (?, ?)");
  for (const { name, value } of metaResult.rows) insertMeta.run(name, value);
  for (const table of listBackupTables(db)) await copyTable(client, db, table);
}

async function copyTable(client: ClientBase, db: Sqlite.Database, { name, columns, isNumbered }: BackupTable) {
  const insertRow = db.prepare(`INSERT INTO ${name} (${columns.join()}) VALUES (${columns.map(() => "?").join()})`);
  const orderClause = isNumbered ? " ORDER BY seq" : "";
  await client.query(`DECLARE copied NO SCROLL CURSOR FOR SELECT ${columns.join()} FROM ${name}${orderClause}`);
  for (;;) {
    const { rows } = await client.query({ text: `FETCH ${ROWS_TOGETHER} FROM copied`, rowMode: "array" });
    for (const row of rows as unknown[][]) insertRow.run(row.map(toSqliteValue));
    if (rows.length < ROWS_TOGETHER) break;
  }
  await client.query("CLOSE copied");
  if (isNumbered) await copySequence(client, db, name);
}

/**
 * Copies the last number that a sequence gave. Without this number, the restored database would use
 * the numbers of removed rows again.
 */
async function copySequence(client: ClientBase, db: Sqlite.Database, name: string): Promise<void> {
  const { rows } = await client.query("SELECT last_value FROM pg_sequences WHERE sequencename = $1 || '_seq_seq'", [
    name,
  ]);
  const lastNumber = Number(rows[0]?.last_value ?? 0);
  db.prepare("DELETE FROM sqlite_sequence WHERE name = ?").run(name);
  db.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)").run(name, lastNumber);
}

function toSqliteValue(value: unknown): unknown {
  return typeof value === "boolean" ? Number(value) : value;
}

/**
 * Fills an empty database from a backup. If the restore fails, the database stays empty.
 * @param file absolute path of a backup that was checked
 * @throws UnusableDatabaseError if the database is not empty; otherwise errors of `pg`
 */
export async function restoreDatabase(file: string, url: string): Promise<void> {
  const db = new Sqlite(file, { readonly: true, fileMustExist: true });
  try {
    await withDatabase(url, async (client) => {
      await client.query("BEGIN");
      // A service that starts during the restore waits for the lock on these tables, and then finds
      // the restored rows.
      await client.query("LOCK TABLE workspaces, meta IN ACCESS EXCLUSIVE MODE");
      await refuseUnlessEmpty(client);
      await restoreMeta(client, db);
      for (const table of listBackupTables(db)) await restoreTable(client, db, table);
      await client.query("COMMIT");
    });
  } finally {
    db.close();
  }
}

async function refuseUnlessEmpty(client: ClientBase): Promise<void> {
  const { rows } = await client.query("SELECT 1 FROM workspaces UNION ALL SELECT 1 FROM keys LIMIT 1");
  if (rows.length > 0) throw new UnusableDatabaseError("the database holds a service already");
}

/** Replaces the settings and the secret of the empty database by those of the backup. */
async function restoreMeta(client: ClientBase, db: Sqlite.Database): Promise<void> {
  const selectMeta = db.prepare<[string], { value: Buffer }>("SELECT value FROM meta WHERE name = ?");
  const copiedMeta = BACKUP_META.map((name) => [name, selectMeta.get(name)?.value] as const);
  for (const [name, value] of [...copiedMeta, [GENERATION_NAME, makeGeneration()] as const]) {
    if (value === undefined) continue;
    const upsertMeta = "INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = $2";
    await client.query(upsertMeta, [name, value]);
  }
}

async function restoreTable(client: ClientBase, db: Sqlite.Database, table: BackupTable): Promise<void> {
  const { name, columns, isNumbered } = table;
  // Parents must be inserted before their children. The order of creation does not ensure this,
  // because a folder may have been moved into a newer folder. The path of a parent is always
  // shorter than the paths of its children.
  const orderClause = name === "folders" ? " ORDER BY length(path)" : isNumbered ? " ORDER BY seq" : "";
  const rows = db.prepare(`SELECT ${columns.join()} FROM ${name} WHERE ${BACKUP_TABLES[name]}${orderClause}`).raw();
  let portion: unknown[][] = [];
  for (const row of rows.iterate() as Iterable<unknown[]>) {
    if (portion.push(row) < ROWS_TOGETHER) continue;
    await insert(client, table, portion);
    portion = [];
  }
  if (portion.length > 0) await insert(client, table, portion);
  if (isNumbered) await setSequence(client, db, name);
}

/** Inserts rows. The server converts values to the types of the columns. */
async function insert(client: ClientBase, { name, columns, isNumbered }: BackupTable, rows: readonly unknown[][]) {
  const overridingClause = isNumbered ? " OVERRIDING SYSTEM VALUE" : "";
  const placeholders = rows.map(
    (row, n) => `(${row.map((_, column) => `$${n * columns.length + column + 1}`).join()})`,
  );
  await client.query(
    `INSERT INTO ${name} (${columns.join()})${overridingClause} VALUES ${placeholders.join()}`,
    rows.flat(),
  );
}

async function setSequence(client: ClientBase, db: Sqlite.Database, name: string): Promise<void> {
  const lastNumber = db.prepare<[string], { seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = ?").get(name);
  if (lastNumber === undefined || lastNumber.seq === 0) return;
  await client.query("SELECT setval(pg_get_serial_sequence($1, 'seq'), $2)", [name, lastNumber.seq]);
}
