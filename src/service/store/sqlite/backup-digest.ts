import { createHash, type Hash } from "node:crypto";
import type Sqlite from "better-sqlite3";
import { BACKUP_META, BACKUP_TABLES, type BackupTable } from "../../backup/backup-columns.ts";

/**
 * The digest of a backup: SHA-256 of what is restored of it, row by row. SQLite's own check finds a
 * damaged page; this finds a text, a grant or a key that is another one than was backed up.
 */

const NAME = "backup-digest";

/** Writes the digest into a backup that was just made. */
export function writeDigest(db: Sqlite.Database): void {
  db.prepare("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)").run(NAME, digestOf(db));
}

/** Removes the digest: what is restored changes from now on. */
export function dropDigest(db: Sqlite.Database): void {
  db.prepare("DELETE FROM meta WHERE name = ?").run(NAME);
}

/** Compares a backup with its digest. */
export function checkDigest(db: Sqlite.Database): "same" | "another" | "none" {
  const written = metaOf(db, NAME);
  if (written === undefined) return "none";
  return digestOf(db).equals(written) ? "same" : "another";
}

function digestOf(db: Sqlite.Database): Buffer {
  const hash = createHash("sha256");
  for (const name of BACKUP_META) addValue(hash, metaOf(db, name) ?? null);
  for (const table of BACKUP_TABLES) addTable(hash, db, table);
  return hash.digest();
}

function metaOf(db: Sqlite.Database, name: string): Buffer | undefined {
  return db.prepare<[string], { value: Buffer }>("SELECT value FROM meta WHERE name = ?").get(name)?.value;
}

/** A backup of an older mdmirror has the tables and columns of its time. */
function addTable(hash: Hash, db: Sqlite.Database, { name, isNumbered }: BackupTable): void {
  const columns = (db.pragma(`table_info(${name})`) as { readonly name: string }[]).map((column) => column.name);
  addValue(hash, `${name} ${columns.join(" ")}`);
  if (columns.length === 0) return;
  const rows = db.prepare(`SELECT * FROM ${name} ORDER BY ${isNumbered ? "seq" : columns.join(", ")}`).raw();
  for (const row of rows.iterate() as Iterable<unknown[]>) for (const value of row) addValue(hash, value);
}

/** With type and length, so that no two rows of values are the same bytes. */
function addValue(hash: Hash, value: unknown): void {
  const bytes = Buffer.isBuffer(value) ? value : Buffer.from(String(value));
  hash.update(`${value === null ? "null" : typeof value} ${bytes.length} `);
  hash.update(bytes);
}
