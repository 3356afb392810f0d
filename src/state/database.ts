import { basename, dirname } from "node:path";
import Sqlite from "better-sqlite3";
import { openOwnDatabase } from "./own-database.ts";
import { lookAtOwn, readOwn } from "./own-files.ts";
import type { Schema } from "./schema.ts";

export type Db = Sqlite.Database;

/**
 * How long a statement waits for another connection's lock: readers of `status` and checkpoints are
 * short.
 */
const BUSY_MS = 5_000;
/** A WAL that grew in a clone is cut back to this at the next checkpoint. */
const WAL_BYTES = 16 * 1024 * 1024;

/** What stands between a file and its use. `detail` never holds a text. */
export type DatabaseFault =
  | { readonly kind: "damaged"; readonly detail: string }
  /** Written by a newer program. */
  | { readonly kind: "newer"; readonly version: number; readonly known: number }
  /**
   * Permission, a full disk, no such folder, a lock that does not end. `code`: SQLite's or the
   * system's.
   */
  | { readonly kind: "unusable"; readonly code: string; readonly detail: string };

export type OpenedDatabase = { readonly kind: "opened"; readonly db: Db } | DatabaseFault;

/**
 * Opens a file for writing (made, if it is not there, for its owner alone) and brings it to the
 * newest schema.
 * @param wal false: not in WAL mode yet; who writes calls `enterWal` before the first time
 */
export function openForWriting(path: string, schema: Schema, wal = true): OpenedDatabase {
  return attempt(
    () => openOwnDatabase(path, { make: true, timeout: BUSY_MS }),
    (db) => {
      const fault = ownership(db, schema);
      if (fault !== null) return fault;
      // ORDER: before the first page is written; on a file with pages it does nothing.
      if (schema.pageSize !== undefined) db.pragma(`page_size = ${schema.pageSize}`);
      if (wal) enterWal(db);
      // NORMAL: a commit outlives the process; a power cut may lose the last ones, never
      // consistency. What they told is found again by looking.
      db.pragma("synchronous = NORMAL");
      db.pragma(`journal_size_limit = ${WAL_BYTES}`);
      // A checkpoint fsyncs both files: in a clone of 10,000 the usual 1,000 pages make a dozen of
      // them.
      db.pragma(`wal_autocheckpoint = ${WAL_BYTES / (db.pragma("page_size", { simple: true }) as number)}`);
      migrate(db, schema);
      return null;
    },
  );
}

/** Of each schema, a database without rows, as its file would be. */
const EMPTY = new Map<Schema, Buffer>();

/** One in memory that holds nothing. Its tables are made once a process: a copy costs a tenth. */
export function openEmpty(schema: Schema): OpenedDatabase {
  const empty = EMPTY.get(schema);
  if (empty !== undefined) {
    return attempt(
      () => new Sqlite(empty),
      () => null,
    );
  }
  const made = openForWriting(":memory:", schema);
  if (made.kind === "opened") EMPTY.set(schema, made.db.serialize());
  return made;
}

const CACHE_KIB = { few: 2_000, usual: 16_000 } as const;

/**
 * How much of the file SQLite keeps in memory: `few` while all of it is read once, for none of that
 * is read again soon.
 */
export function keepPages(db: Db, how: keyof typeof CACHE_KIB): void {
  if (!db.memory) db.pragma(`cache_size = -${CACHE_KIB[how]}`);
}

/** Not within a transaction. */
export function enterWal(db: Db): void {
  if (!db.memory) db.pragma("journal_mode = WAL");
}

/**
 * Closes a file that was opened for writing, and takes it out of WAL mode: a reader of a WAL file
 * makes a `-wal` and a `-shm` where there are none and cannot take them away again, so that even
 * `status` would write (I23). While another process reads it, it stays as it is.
 */
export function closeWritten(db: Db): void {
  try {
    if (db.memory || db.readonly || !db.open) return;
    db.pragma("busy_timeout = 0");
    db.pragma("journal_mode = DELETE");
  } catch (error) {
    // Busy, a full disk, a damaged file: closing leaves a sound WAL file behind, or what was
    // damaged before.
    if (faultOf(error) === null) throw error;
  } finally {
    db.close();
  }
}

/**
 * Opens an existing file beside a process that may be writing it. One of an older schema is read as
 * a copy, brought to the newest in memory: the file stays as it is.
 */
export function openForReading(path: string, schema: Schema): OpenedDatabase {
  const plain = attempt(
    () => openOwnDatabase(path, { make: false, readonly: true, timeout: BUSY_MS }),
    (db) => ownership(db, schema),
  );
  if (plain.kind === "opened") return isOlder(plain.db, schema) ? readCopy(() => takeBytes(plain.db), schema) : plain;
  if (plain.kind !== "unusable" || !/^SQLITE_(CANTOPEN|READONLY)/.test(plain.code)) return plain;
  // A WAL file cannot be opened in a folder that may not be written unless its writer is at work;
  // else the file holds all, and is read as a copy.
  const [folder, name] = [dirname(path), basename(path)];
  const walBytes = lookAtOwn(folder, `${name}-wal`, "own-file")?.size ?? 0;
  const bytes = walBytes > 0 ? null : readOwn(folder, name);
  if (bytes === null) return plain;
  const copy = readCopy(() => bytes.bytes, schema);
  return copy.kind === "unusable" ? plain : copy;
}

function isOlder(db: Db, schema: Schema): boolean {
  return (db.pragma("user_version", { simple: true }) as number) < schema.migrations.length;
}

/** As this connection sees it, with what lies in the WAL. */
function takeBytes(db: Db): Buffer {
  try {
    return db.serialize();
  } finally {
    db.close();
  }
}

/**
 * LIMIT: all of it in memory. Bytes 18 and 19 of the header say "WAL", which memory has not: 1 is
 * the mode that reads the same pages without.
 */
function readCopy(bytes: () => Buffer, schema: Schema): OpenedDatabase {
  return attempt(
    () => {
      const copy = bytes();
      // An empty file is an empty database, also in memory.
      return new Sqlite(copy.length === 0 ? ":memory:" : copy.fill(1, 18, 20), { timeout: BUSY_MS });
    },
    (db) => {
      const fault = ownership(db, schema);
      if (fault !== null) return fault;
      migrate(db, schema);
      db.pragma("query_only = ON");
      return null;
    },
  );
}

function attempt(open: () => Db, check: (db: Db) => DatabaseFault | null): OpenedDatabase {
  let db: Db | null = null;
  try {
    db = open();
    const fault = check(db);
    if (fault === null) return { kind: "opened", db };
    db.close();
    return fault;
  } catch (error) {
    db?.close();
    const fault = faultOf(error);
    if (fault === null) throw error;
    return fault;
  }
}

/**
 * Reading the schema is the first touch: what is no database, or damaged at its root, shows itself
 * here.
 */
function ownership(db: Db, schema: Schema): DatabaseFault | null {
  const version = db.pragma("user_version", { simple: true }) as number;
  const owner = db.pragma("application_id", { simple: true }) as number;
  const tables = db.prepare("SELECT count(*) FROM sqlite_schema").pluck().get() as number;
  if (version === 0 && owner === 0 && tables === 0) return null;
  if (owner !== schema.applicationId) return { kind: "damaged", detail: "holds another program's tables" };
  const known = schema.migrations.length;
  return version > known ? { kind: "newer", version, known } : null;
}

/** One transaction: a kill leaves the file as it was before. */
function migrate(db: Db, schema: Schema): void {
  const version = db.pragma("user_version", { simple: true }) as number;
  if (version === schema.migrations.length) return;
  db.exec("BEGIN EXCLUSIVE");
  try {
    for (const sql of schema.migrations.slice(version)) db.exec(sql);
    db.pragma(`application_id = ${schema.applicationId}`);
    db.pragma(`user_version = ${schema.migrations.length}`);
    db.exec("COMMIT");
  } catch (error) {
    if (db.inTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

/** What an exception of SQLite or the system says of the file; null for any other (a bug). */
export function faultOf(error: unknown): DatabaseFault | null {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return null;
  const code = error.code;
  if (/^SQLITE_(CORRUPT|NOTADB|FORMAT)/.test(code)) return { kind: "damaged", detail: error.message };
  if (
    /^SQLITE_(CANTOPEN|READONLY|PERM|AUTH|BUSY|LOCKED|FULL|IOERR|NOLFS|PROTOCOL)/.test(code) ||
    /^E[A-Z0-9]+$/.test(code)
  ) {
    return { kind: "unusable", code, detail: error.message };
  }
  return null;
}
