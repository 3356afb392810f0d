import Sqlite from "better-sqlite3";
import { createHash, type Hash } from "node:crypto";
import { closeSync, openSync, rmSync } from "node:fs";
import { GENERATION_NAME, makeGeneration } from "../meta-table.ts";
import { listMigrations, NEWEST_SCHEMA, OLDEST_SCHEMA } from "./schema.ts";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { FinishedBackup } from "../store.ts";
import type { Db } from "./database.ts";
import { keepJournal, limitJournal } from "./reserve.ts";
import { ConnectionQueue } from "./transactions.ts";

const IS_IN_EXISTING_WORKSPACE = "workspace IN (SELECT seq FROM workspaces)";
const IS_OF_EXISTING_KEY = "key IN (SELECT seq FROM keys)";

/**
 * Tables of a backup. A table comes after the tables to which its rows refer. The value of a table
 * is an SQL condition for SQLite: only rows that meet this condition are copied. All other rows
 * belong to removed items.
 */
export const BACKUP_TABLES = {
  workspaces: "true",
  folders: IS_IN_EXISTING_WORKSPACE,
  files: IS_IN_EXISTING_WORKSPACE,
  changes: "file IN (SELECT seq FROM files)",
  keys: "true",
  grants: IS_OF_EXISTING_KEY,
  kept_grants: `${IS_OF_EXISTING_KEY} AND ${IS_IN_EXISTING_WORKSPACE}`,
} as const;

type BackupTableName = keyof typeof BACKUP_TABLES;

export type BackupTable = {
  readonly name: BackupTableName;
  readonly columns: readonly string[];
  /** True if the rows have a column `seq` with their row numbers. */
  readonly isNumbered: boolean;
};

/** Returns the tables of a backup, with the columns that they had when it was made. */
export function listBackupTables(db: Sqlite.Database): BackupTable[] {
  return (Object.keys(BACKUP_TABLES) as BackupTableName[]).map((name) => {
    const columns = (db.pragma(`table_info(${name})`) as { readonly name: string }[]).map((column) => column.name);
    return { name, columns, isNumbered: columns.includes("seq") };
  });
}

/**
 * Names of the rows of the table `meta` that a restore copies. The admin key is not copied, because
 * the admin key belongs to the data folder.
 */
export const BACKUP_META: readonly string[] = ["cursor-secret", "settings"];

/**
 * Name of the row of table `meta` with the digest: the SHA-256 of all rows that a restore uses.
 * SQLite itself notices damaged pages. With the digest, a restore also notices that somebody
 * changed content, grants or keys.
 */
const DIGEST_NAME = "backup-digest";

function computeDigest(db: Sqlite.Database): Buffer {
  const hash = createHash("sha256");
  for (const name of BACKUP_META) addValue(hash, readMeta(db, name) ?? null);
  for (const table of listBackupTables(db)) addTable(hash, db, table);
  return hash.digest();
}

function setMeta(db: Sqlite.Database, name: string, value: Buffer): void {
  db.prepare("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)").run(name, value);
}

function readMeta(db: Sqlite.Database, name: string): Buffer | undefined {
  return db.prepare<[string], { value: Buffer }>("SELECT value FROM meta WHERE name = ?").get(name)?.value;
}

function addTable(hash: Hash, db: Sqlite.Database, { name, columns, isNumbered }: BackupTable): void {
  addValue(hash, `${name} ${columns.join(" ")}`);
  if (columns.length === 0) return;
  const rows = db.prepare(`SELECT * FROM ${name} ORDER BY ${isNumbered ? "seq" : columns.join(", ")}`).raw();
  for (const row of rows.iterate() as Iterable<unknown[]>) for (const value of row) addValue(hash, value);
}

/** Hashes a value with its type and length, so that different rows hash different bytes. */
function addValue(hash: Hash, value: unknown): void {
  const bytes = Buffer.isBuffer(value) ? value : Buffer.from(String(value));
  hash.update(`${value === null ? "null" : typeof value} ${bytes.length} `);
  hash.update(bytes);
}

export type BackupContents = {
  readonly workspaces: number;
  readonly documents: number;
  readonly keys: number;
};

/**
 * Error for a file that is not a complete backup, or a backup that this version of mdmirror cannot
 * read. The message is a clause.
 */
export class NoBackupError extends Error {
  override readonly name = "NoBackupError";
}

/**
 * Turns the copy of a database into a backup. Checks each page, adds the digest, and changes the
 * journal mode so that the backup is a single file.
 * @throws NoBackupError; errors of node:fs or better-sqlite3 if the copy cannot be read
 */
export function sealBackup(file: string): BackupContents {
  return openBackup(file, (db) => {
    const contents = examineDatabase(db);
    setMeta(db, DIGEST_NAME, computeDigest(db));
    return contents;
  });
}

/**
 * Checks that a backup can be restored: reads each page, and compares the digest of the backup with
 * its rows.
 * @throws the errors of `sealBackup`
 */
export function examineBackup(file: string): BackupContents {
  return openBackup(file, examineSealed);
}

/**
 * Turns the copy of a backup into the database of a service. Gives the database a new generation,
 * so that clients notice the restore.
 * @throws the errors of `sealBackup`
 */
export function renewBackup(copy: string): BackupContents {
  return openBackup(copy, (db) => {
    const contents = examineSealed(db);
    // The digest is removed, because it would be wrong after the next change of the database.
    db.prepare("DELETE FROM meta WHERE name = ?").run(DIGEST_NAME);
    setMeta(db, GENERATION_NAME, makeGeneration());
    return contents;
  });
}

function openBackup(file: string, work: (db: Sqlite.Database) => BackupContents): BackupContents {
  // SQLite reports a missing file and an unreadable file by the same error; node:fs reports two
  // different errors.
  closeSync(openSync(file, "r"));
  const db = new Sqlite(file, { fileMustExist: true });
  try {
    return work(db);
  } catch (error) {
    if (isNotDatabaseError(error)) throw new NoBackupError("is not a database");
    throw error;
  } finally {
    db.close();
  }
}

/**
 * Makes a backup in the format of SQLite for another kind of store. The backup has no search index;
 * the restored service builds the index in steps.
 * @param file absolute path; must not exist
 * @param fill writes the rows, in one transaction
 * @throws the errors of `fill`; the file is then removed
 */
export async function makeBackupFile(file: string, fill: (db: Sqlite.Database) => Promise<void>): Promise<void> {
  closeSync(openSync(file, "wx", 0o600));
  const db = new Sqlite(file);
  try {
    // The journal can stay in memory, because the file is written to the disk completely at the
    // end.
    db.pragma("journal_mode = MEMORY");
    db.exec("BEGIN");
    for (const sql of listMigrations(0)) db.exec(sql);
    db.pragma(`user_version = ${NEWEST_SCHEMA}`);
    await fill(db);
    db.exec("COMMIT");
    db.close();
  } catch (error) {
    db.close();
    rmSync(file, { force: true });
    throw error;
  }
}

function examineDatabase(db: Sqlite.Database): BackupContents {
  const version = db.pragma("user_version", { simple: true }) as number;
  if (version > NEWEST_SCHEMA) throw new NoBackupError("was made by a newer mdmirror");
  const hasServiceTables = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'workspaces'").get() !== undefined;
  if (version === 0 || !hasServiceTables) throw new NoBackupError("is not a backup of a service");
  if (version < OLDEST_SCHEMA)
    throw new NoBackupError("was made by an older mdmirror, whose data this one cannot read");
  // The copy of a database in use is in WAL mode, which needs a second file. A backup must be a
  // single file.
  db.pragma("journal_mode = DELETE");
  const [first] = db.pragma("integrity_check(1)") as { readonly integrity_check: string }[];
  const integrity = first?.integrity_check ?? "it cannot be read";
  if (integrity !== "ok") throw new NoBackupError(`is damaged (${integrity})`);
  const countRows = (table: string) => db.prepare<[], { n: number }>(`SELECT count(*) AS n FROM ${table}`).get()!.n;
  return { workspaces: countRows("workspaces"), documents: countRows("files"), keys: countRows("keys") };
}

function examineSealed(db: Sqlite.Database): BackupContents {
  const contents = examineDatabase(db);
  const digest = readMeta(db, DIGEST_NAME);
  if (digest === undefined) throw new NoBackupError("has no digest, so it is not a backup");
  if (!computeDigest(db).equals(digest)) throw new NoBackupError("is damaged (its digest does not match its content)");
  return contents;
}

function isNotDatabaseError(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "SQLITE_NOTADB" || code?.startsWith("SQLITE_CORRUPT") === true;
}

/**
 * Name of the complete copy. The copy is beside the database until the command that requested the
 * copy moves it away.
 */
export const BACKUP_FILE = "backup.db";
const PORTION_BYTES = 1024 * 1024;

/**
 * Copies the database while it is in use. First, the journal is written back into the database
 * file. Then new writes stay in the journal, so that the file does not change while it is copied.
 */
export class OnlineBackup {
  readonly #folder: string;
  readonly #db: Db;
  readonly #turns: ConnectionQueue;
  readonly #backups = new ConnectionQueue();
  /**
   * Open database file; null before the first backup. The file stays open until the database
   * closes. If a process closes a file, POSIX releases all locks that the process has on this file.
   * A second service could then open the same data folder.
   */
  #source: FileHandle | null = null;

  constructor(folder: string, db: Db, queue: ConnectionQueue) {
    this.#folder = folder;
    this.#db = db;
    this.#turns = queue;
  }

  /**
   * Makes a backup with every write that was acknowledged before the call. If another backup is
   * running, waits until it has ended, and then makes a new one.
   */
  make(): Promise<FinishedBackup> {
    return this.#backups.take(() => this.#make());
  }

  /** Resolves when no backup is running, even if the last backup failed. */
  ended(): Promise<void> {
    return this.#backups.take(async () => undefined);
  }

  /**
   * ORDER: called after the database was closed, because closing this file releases the lock of the
   * database.
   */
  async close(): Promise<void> {
    await this.#source?.close();
    this.#source = null;
  }

  async #make(): Promise<FinishedBackup> {
    this.#source ??= await open(join(this.#folder, "service.db"), "r");
    await this.#turns.take(async () => keepJournal(this.#db));
    try {
      return await copyDatabase(this.#source, this.#folder);
    } finally {
      await this.#turns.take(async () => limitJournal(this.#db));
    }
  }
}

async function copyDatabase(source: FileHandle, folder: string): Promise<FinishedBackup> {
  const temporaryFile = join(folder, `${BACKUP_FILE}.new`);
  try {
    const file = await open(temporaryFile, "w", 0o600);
    try {
      await copyBytes(source, file);
      await file.sync();
      const { size } = await file.stat();
      await rename(temporaryFile, join(folder, BACKUP_FILE));
      return { file: BACKUP_FILE, bytes: size };
    } finally {
      await file.close();
    }
  } catch (error) {
    await rm(temporaryFile, { force: true });
    throw error;
  }
}

async function copyBytes(from: FileHandle, to: FileHandle): Promise<void> {
  const buffer = Buffer.allocUnsafe(PORTION_BYTES);
  for (let offset = 0; ; ) {
    const { bytesRead } = await from.read(buffer, 0, PORTION_BYTES, offset);
    if (bytesRead === 0) return;
    await to.writeFile(buffer.subarray(0, bytesRead));
    offset += bytesRead;
  }
}
