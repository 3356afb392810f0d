import { basename, dirname } from "node:path";
import { keepBefore } from "./before-migration.ts";
import { openOwnDatabase } from "./own-database.ts";
import { readOwn, statOwn } from "./own-files.ts";
import type { Schema } from "./schema.ts";
import { enterWal, securePages, WAL_BYTES } from "./wal-mode.ts";
import Sqlite from "better-sqlite3";

export type Db = Sqlite.Database;

/**
 * LIMIT: milliseconds that a statement waits for another connection's lock; those are short
 * (`status`, checkpoints).
 */
const BUSY_MS = 5_000;
/** A WAL that grew in a first sync is cut back to this size at the next checkpoint. */
const KEPT_WAL_BYTES = 16 * 1024 * 1024;

/** Reason why a file cannot be used. `detail` never has content. */
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
 * Opens a file for writing (creates it for its owner alone if needed) and brings it to the newest
 * schema.
 * @param wal false: not in WAL mode yet; a writer calls `enterWal` before the first write
 */
export function openForWriting(path: string, schema: Schema, wal = true): OpenedDatabase {
  return attempt(
    () => openOwnDatabase(path, { make: true, timeout: BUSY_MS }),
    (db) => {
      const fault = ownership(db, schema);
      if (fault !== null) return fault;
      // ORDER: before the first page is written; on a file with pages it does nothing.
      if (schema.pageSize !== undefined) db.pragma(`page_size = ${schema.pageSize}`);
      keepFewPages(db);
      if (wal) enterWal(db);
      else db.pragma("synchronous = NORMAL");
      flushMedium(db);
      db.pragma(`journal_size_limit = ${KEPT_WAL_BYTES}`);
      db.pragma(`wal_autocheckpoint = ${WAL_BYTES / (db.pragma("page_size", { simple: true }) as number)}`);
      if (schema.keepsBefore === true && !db.memory && isOlder(db, schema) && versionOf(db) > 0) keepBefore(db, path);
      const isNew = versionOf(db) === 0;
      migrate(db, schema);
      if (isNew && wal && !db.memory) securePages(db);
      return null;
    },
  );
}

/**
 * On macOS fsync leaves bytes in the medium's own cache, in no certain order; this asks for
 * F_FULLFSYNC, as Node's fsync does by itself. Elsewhere it changes nothing.
 */
function flushMedium(db: Db): void {
  db.pragma("fullfsync = ON");
}

/** An empty database of each schema, as the bytes of its file. */
const EMPTY = new Map<Schema, Buffer>();

/**
 * Opens an empty database in memory. Its tables are made once in a process, because a copy costs a
 * tenth.
 */
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

/** Memory of SQLite for a file: a few thousand rows of each index that is written. */
const CACHE_KIB = 2_000;

/** For each connection: better-sqlite3 would let it keep 16 MB. */
export function keepFewPages(db: Db): void {
  if (!db.memory) db.pragma(`cache_size = -${CACHE_KIB}`);
}

/**
 * Opens an existing file beside a process that may be writing it. One of an older schema is copied
 * and migrated in memory: the file stays as it is.
 */
export function openForReading(path: string, schema: Schema): OpenedDatabase {
  const plain = attempt(
    () => openOwnDatabase(path, { make: false, readonly: true, timeout: BUSY_MS }),
    (db) => ownership(db, schema),
  );
  if (plain.kind === "opened") return isOlder(plain.db, schema) ? readCopy(() => takeBytes(plain.db), schema) : plain;
  if (plain.kind !== "unusable" || !/^SQLITE_(CANTOPEN|READONLY)/.test(plain.code)) return plain;
  // In a folder that cannot be written, a WAL file can only be opened while its writer is at work.
  // Otherwise the file has everything, and is read as a copy.
  const [folder, name] = [dirname(path), basename(path)];
  const walBytes = statOwn(folder, `${name}-wal`, "own-file")?.size ?? 0;
  const bytes = walBytes > 0 ? null : readOwn(folder, name);
  if (bytes === null) return plain;
  const copy = readCopy(() => bytes.bytes, schema);
  return copy.kind === "unusable" ? plain : copy;
}

function isOlder(db: Db, schema: Schema): boolean {
  return versionOf(db) < schema.migrations.length;
}

/** 0: it was just made. */
function versionOf(db: Db): number {
  return db.pragma("user_version", { simple: true }) as number;
}

/** Returns the bytes as this connection sees them, including the WAL. */
function takeBytes(db: Db): Buffer {
  try {
    return db.serialize();
  } finally {
    db.close();
  }
}

/**
 * LIMIT: all of it in memory. Bytes 18 and 19 of the header say "WAL", which a database in memory
 * cannot have; 1 is the mode that reads the same pages without.
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
 * Checks whose file it is. Reading the schema is the first access, so a file that is no database,
 * or is damaged at its root, is noticed then.
 */
function ownership(db: Db, schema: Schema): DatabaseFault | null {
  const version = versionOf(db);
  const owner = db.pragma("application_id", { simple: true }) as number;
  const tables = db.prepare("SELECT count(*) FROM sqlite_schema").pluck().get() as number;
  if (version === 0 && owner === 0 && tables === 0) return null;
  if (owner !== schema.applicationId) return { kind: "damaged", detail: "holds another program's tables" };
  const known = schema.migrations.length;
  return version > known ? { kind: "newer", version, known } : null;
}

/** Migrates in one transaction: after a kill the file is unchanged. */
function migrate(db: Db, schema: Schema): void {
  const version = versionOf(db);
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

/**
 * Returns what an exception of SQLite or the system means for the file; null for any other
 * exception (a bug).
 */
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

/**
 * Runs SQLite's own check of the pages and their order, without the indexes' contents. null: no
 * fault.
 */
export function pageFault(db: Db): DatabaseFault | null {
  try {
    keepFewPages(db);
    const verdict = db.pragma("quick_check(1)", { simple: true });
    return verdict === "ok" ? null : { kind: "damaged", detail: String(verdict) };
  } catch (error) {
    const fault = faultOf(error);
    if (fault === null) throw error;
    return fault;
  }
}
