import { basename, dirname } from "node:path";
import { errorCodeOf } from "../../common/trouble.ts";
import { keepCopyBeforeMigration } from "./before-migration.ts";
import { openOwnDatabase } from "./own-database.ts";
import { readOwn, statOwn } from "./own-files.ts";
import type { Schema } from "./schema.ts";
import { enterWal, securePages, WAL_BYTES } from "./wal-mode.ts";
import Sqlite from "better-sqlite3";

export type Db = Sqlite.Database;

/**
 * LIMIT: milliseconds that a statement waits for the lock of another connection. Other connections
 * lock only briefly (`status`, checkpoints).
 */
const BUSY_MS = 5_000;
/** Size in bytes to which the next checkpoint cuts a WAL that grew in a first sync. */
const KEPT_WAL_BYTES = 16 * 1024 * 1024;

/** Reason why a file cannot be used. `detail` never has content. */
export type DatabaseFault =
  | { readonly kind: "damaged"; readonly detail: string }
  /** A newer mdmirror wrote the file. */
  | { readonly kind: "newer"; readonly version: number; readonly known: number }
  /**
   * The file cannot be used: missing permission, a full disk, a missing folder, or a lock that is
   * not released. `code`: code of SQLite or of the system.
   */
  | { readonly kind: "unusable"; readonly code: string; readonly detail: string };

export type OpenedDatabase = { readonly kind: "opened"; readonly db: Db } | DatabaseFault;

/**
 * Opens a file for writing, and migrates it to the newest schema. Creates a missing file that only
 * its owner may read.
 */
export function openForWriting(path: string, schema: Schema): OpenedDatabase {
  return attemptOpen(
    () => openOwnDatabase(path, { make: true, timeout: BUSY_MS }),
    (db) => {
      const fault = ownershipFault(db, schema);
      if (fault !== null) return fault;
      // ORDER: set before the first page is written; in a file that has pages, the setting has no
      // effect.
      if (schema.pageSize !== undefined) db.pragma(`page_size = ${schema.pageSize}`);
      keepFewPages(db);
      enterWal(db);
      flushMedium(db);
      db.pragma(`journal_size_limit = ${KEPT_WAL_BYTES}`);
      db.pragma(`wal_autocheckpoint = ${WAL_BYTES / (db.pragma("page_size", { simple: true }) as number)}`);
      const isNew = versionOf(db) === 0;
      if (!isNew && isOlder(db, schema)) keepCopyBeforeMigration(db, path);
      migrate(db, schema);
      if (isNew && !db.memory) securePages(db);
      return null;
    },
  );
}

/**
 * Makes fsync reach the storage medium. On macOS, fsync leaves bytes in the medium's own cache, in
 * an undefined order; this pragma asks for F_FULLFSYNC, as Node's fsync does. On other systems, the
 * pragma changes nothing.
 */
function flushMedium(db: Db): void {
  db.pragma("fullfsync = ON");
}

/** Size in KiB of SQLite's cache for a file: a few thousand rows of each index that is written. */
const CACHE_KIB = 2_000;

/** Limits the cache of a connection: better-sqlite3's default is 16 MB. */
export function keepFewPages(db: Db): void {
  if (!db.memory) db.pragma(`cache_size = -${CACHE_KIB}`);
}

/**
 * Opens an existing file for reading, beside a process that may be writing it. A file of an older
 * schema is copied and migrated in memory, and stays unchanged.
 */
export function openForReading(path: string, schema: Schema): OpenedDatabase {
  const plain = attemptOpen(
    () => openOwnDatabase(path, { make: false, readonly: true, timeout: BUSY_MS }),
    (db) => ownershipFault(db, schema),
  );
  if (plain.kind === "opened") return isOlder(plain.db, schema) ? readCopy(() => takeBytes(plain.db), schema) : plain;
  if (plain.kind !== "unusable" || !/^SQLITE_(CANTOPEN|READONLY)/.test(plain.code)) return plain;
  // In a folder that cannot be written, SQLite can open a WAL file only while its writer runs.
  // Without a writer, the main file is complete, and is read as a copy.
  const [folder, name] = [dirname(path), basename(path)];
  const walBytes = statOwn(folder, `${name}-wal`, "own-file")?.size ?? 0;
  const bytes = walBytes > 0 ? null : readOwn(folder, name);
  if (bytes === null) return plain;
  const copy = readCopy(() => bytes.bytes, schema);
  return copy.kind === "unusable" ? plain : copy;
}

function isOlder(db: Db, schema: Schema): boolean {
  return versionOf(db) < schema.version;
}

/** Returns the schema version of a file; 0 if the file was just created. */
function versionOf(db: Db): number {
  return db.pragma("user_version", { simple: true }) as number;
}

/** Returns the bytes of the database as this connection sees them, including the WAL. */
function takeBytes(db: Db): Buffer {
  try {
    return db.serialize();
  } finally {
    db.close();
  }
}

/**
 * Opens a copy in memory. LIMIT: the whole file is in memory. Bytes 18 and 19 of the header say
 * that the database has a WAL, which is impossible in memory. They are set to 1, which means "no
 * WAL"; the pages are the same in both modes.
 */
function readCopy(bytes: () => Buffer, schema: Schema): OpenedDatabase {
  return attemptOpen(
    () => {
      const copy = bytes();
      // An empty file is an empty database, so it is opened as an empty database in memory.
      return new Sqlite(copy.length === 0 ? ":memory:" : copy.fill(1, 18, 20), { timeout: BUSY_MS });
    },
    (db) => {
      const fault = ownershipFault(db, schema);
      if (fault !== null) return fault;
      migrate(db, schema);
      db.pragma("query_only = ON");
      return null;
    },
  );
}

function attemptOpen(open: () => Db, check: (db: Db) => DatabaseFault | null): OpenedDatabase {
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
 * Checks whether the file belongs to mdmirror. Reading the schema is the first access, so this
 * check also finds a file that is not a database, or is damaged at its root.
 */
function ownershipFault(db: Db, schema: Schema): DatabaseFault | null {
  const version = versionOf(db);
  const owner = db.pragma("application_id", { simple: true }) as number;
  const tables = db.prepare("SELECT count(*) FROM sqlite_schema").pluck().get() as number;
  if (version === 0 && owner === 0 && tables === 0) return null;
  if (owner !== schema.applicationId) return { kind: "damaged", detail: "holds another program's tables" };
  const known = schema.version;
  if (version > known) return { kind: "newer", version, known };
  const isKnown = version === known || version in schema.upgrades;
  return isKnown ? null : { kind: "damaged", detail: `has version ${version}, which no released mdmirror wrote` };
}

/** Creates or upgrades the tables in one transaction: after a kill the file is unchanged. */
function migrate(db: Db, schema: Schema): void {
  const version = versionOf(db);
  if (version === schema.version) return;
  const migration = db.transaction(() => {
    db.exec(version === 0 ? schema.tables : schema.upgrades[version]!);
    db.pragma(`application_id = ${schema.applicationId}`);
    db.pragma(`user_version = ${schema.version}`);
  });
  migration.exclusive();
}

/**
 * Returns what an exception of SQLite or the system means for the file; null for any other
 * exception, which is a bug.
 */
export function faultOf(error: unknown): DatabaseFault | null {
  const code = errorCodeOf(error);
  if (!(error instanceof Error) || code === null) return null;
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
 * Runs SQLite's own check of the pages and their order, but not of the indexes' contents. Returns
 * null if there is no fault.
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
