import { closeSync, fsyncSync } from "node:fs";
import { basename, dirname } from "node:path";
import { readErrorCode } from "../../common/trouble.ts";
import { openOwnDatabase } from "./own-database.ts";
import { createOwnFile, readOwnFile, removeOwnFile, renameOwnFile, statOwnFile } from "./own-files.ts";
import type { DatabaseSchema } from "./schema.ts";
import Sqlite from "better-sqlite3";

export type SqliteDatabase = Sqlite.Database;

/**
 * LIMIT: milliseconds for which mdmirror waits for a lock of another connection, so that no command
 * hangs. Such locks are usually short.
 */
const LOCK_WAIT_MS = 5_000;
/** Size in bytes to which a checkpoint shortens a larger WAL. */
const KEPT_WAL_BYTES = 16 * 1024 * 1024;

/** Reason why a database file cannot be used. `detail` never quotes a document. */
export type DatabaseFault =
  | { readonly kind: "damaged"; readonly detail: string }
  | { readonly kind: "newer"; readonly version: number; readonly known: number }
  /**
   * The file cannot be opened or written: permission is missing, the disk is full, the folder is
   * missing, or another process does not release its lock. `code`: code of SQLite, or errno of the
   * system.
   */
  | { readonly kind: "unusable"; readonly code: string; readonly detail: string };

export type OpenedDatabase = { readonly kind: "opened"; readonly db: SqliteDatabase } | DatabaseFault;

/**
 * Opens a file for writing, and upgrades it to the newest schema. Creates a missing file, which
 * only its owner can read.
 */
export function openForWriting(path: string, schema: DatabaseSchema): OpenedDatabase {
  return attemptOpen(
    () => openOwnDatabase(path, { make: true, timeout: LOCK_WAIT_MS }),
    (db) => {
      const fault = findOwnershipFault(db, schema);
      if (fault !== null) return fault;
      // ORDER: the page size is set before the first page is written. Later, the page size would
      // have no effect.
      if (schema.pageSize !== undefined) db.pragma(`page_size = ${schema.pageSize}`);
      limitPageCache(db);
      enterWal(db);
      flushMedium(db);
      db.pragma(`journal_size_limit = ${KEPT_WAL_BYTES}`);
      db.pragma(`wal_autocheckpoint = ${MAX_WAL_BYTES / (db.pragma("page_size", { simple: true }) as number)}`);
      const isNew = readSchemaVersion(db) === 0;
      if (!isNew && isOlder(db, schema)) keepCopyBeforeMigration(db, path);
      createOrUpgradeTables(db, schema);
      if (isNew && !db.memory) securePages(db);
      return null;
    },
  );
}

/**
 * Makes SQLite use F_FULLFSYNC on macOS, where a plain fsync leaves bytes in the cache of the disk.
 * Other systems ignore this pragma.
 */
function flushMedium(db: SqliteDatabase): void {
  db.pragma("fullfsync = ON");
}

/** Size of the page cache in KiB, for a few thousand rows of each index that mdmirror writes. */
const CACHE_KIB = 2_000;

/** Limits the page cache, which better-sqlite3 would let grow to 16 MB. */
export function limitPageCache(db: SqliteDatabase): void {
  if (!db.memory) db.pragma(`cache_size = -${CACHE_KIB}`);
}

/**
 * Opens an existing file for reading, even while another process writes the file. A file with an
 * older schema is copied into memory, and only the copy is upgraded.
 */
export function openForReading(path: string, schema: DatabaseSchema): OpenedDatabase {
  const openedFile = openUnchanged(path, schema);
  if (openedFile.kind === "opened")
    return isOlder(openedFile.db, schema) ? openCopy(() => serializeDatabase(openedFile.db), schema) : openedFile;
  if (openedFile.kind !== "unusable" || !/^SQLITE_(CANTOPEN|READONLY)/.test(openedFile.code)) return openedFile;
  // In a folder without write permission, SQLite can open a file in WAL mode only while another
  // process has the file open. Otherwise the main file is complete, and mdmirror reads a copy of
  // it.
  const [folder, name] = [dirname(path), basename(path)];
  const walBytes = statOwnFile(folder, `${name}-wal`, "own-file")?.size ?? 0;
  const mainFile = walBytes > 0 ? null : readOwnFile(folder, name);
  if (mainFile === null) return openedFile;
  const openedCopy = openCopy(() => mainFile.bytes, schema);
  return openedCopy.kind === "unusable" ? openedFile : openedCopy;
}

/** Opens an existing file of this or an older schema for reading. */
function openUnchanged(path: string, schema: DatabaseSchema): OpenedDatabase {
  return attemptOpen(
    () => openOwnDatabase(path, { make: false, readonly: true, timeout: LOCK_WAIT_MS }),
    (db) => findOwnershipFault(db, schema),
  );
}

/** Returns the fault of a file that a newer mdmirror wrote; null for any other file. */
export function findNewerSchema(path: string, schema: DatabaseSchema): DatabaseFault | null {
  const openedFile = openUnchanged(path, schema);
  if (openedFile.kind === "opened") openedFile.db.close();
  return openedFile.kind === "newer" ? openedFile : null;
}

function isOlder(db: SqliteDatabase, schema: DatabaseSchema): boolean {
  return readSchemaVersion(db) < schema.version;
}

function readSchemaVersion(db: SqliteDatabase): number {
  return db.pragma("user_version", { simple: true }) as number;
}

/** Returns the bytes of a database as this connection reads it, including the WAL. */
function serializeDatabase(db: SqliteDatabase): Buffer {
  try {
    return db.serialize();
  } finally {
    db.close();
  }
}

/**
 * Opens a copy of a database in memory. Bytes 18 and 19 of the header say whether the database has
 * a WAL, which is impossible in memory. Therefore both bytes are set to 1, for "no WAL". The format
 * of pages does not depend on these bytes.
 * LIMIT: the whole file is in memory, so that the file itself stays unchanged.
 */
function openCopy(bytes: () => Buffer, schema: DatabaseSchema): OpenedDatabase {
  return attemptOpen(
    () => {
      const copy = bytes();
      return new Sqlite(copy.length === 0 ? ":memory:" : copy.fill(1, 18, 20), { timeout: LOCK_WAIT_MS });
    },
    (db) => {
      const fault = findOwnershipFault(db, schema);
      if (fault !== null) return fault;
      createOrUpgradeTables(db, schema);
      db.pragma("query_only = ON");
      return null;
    },
  );
}

function attemptOpen(open: () => SqliteDatabase, check: (db: SqliteDatabase) => DatabaseFault | null): OpenedDatabase {
  let db: SqliteDatabase | null = null;
  try {
    db = open();
    const fault = check(db);
    if (fault === null) return { kind: "opened", db };
    db.close();
    return fault;
  } catch (error) {
    db?.close();
    const fault = toDatabaseFault(error);
    if (fault === null) throw error;
    return fault;
  }
}

/**
 * Returns a fault if the file does not belong to mdmirror. Also returns a fault for a file that is
 * no database or has a damaged first page. This is the first access to the file.
 */
function findOwnershipFault(db: SqliteDatabase, schema: DatabaseSchema): DatabaseFault | null {
  const version = readSchemaVersion(db);
  const applicationId = db.pragma("application_id", { simple: true }) as number;
  const tableCount = db.prepare("SELECT count(*) FROM sqlite_schema").pluck().get() as number;
  if (version === 0 && applicationId === 0 && tableCount === 0) return null;
  if (applicationId !== schema.applicationId) return { kind: "damaged", detail: "contains another program's tables" };
  const newestVersion = schema.version;
  if (version > newestVersion) return { kind: "newer", version, known: newestVersion };
  const isKnownVersion = version === newestVersion || version in schema.upgrades;
  return isKnownVersion
    ? null
    : { kind: "damaged", detail: `has version ${version}, which no released mdmirror wrote` };
}

/**
 * Creates or upgrades the tables in one transaction. If the process is killed, the file stays
 * unchanged.
 */
function createOrUpgradeTables(db: SqliteDatabase, schema: DatabaseSchema): void {
  const version = readSchemaVersion(db);
  if (version === schema.version) return;
  const migration = db.transaction(() => {
    db.exec(version === 0 ? schema.tables : schema.upgrades[version]!);
    db.pragma(`application_id = ${schema.applicationId}`);
    db.pragma(`user_version = ${schema.version}`);
  });
  migration.exclusive();
}

/**
 * Returns the fault for an exception of SQLite or of the system; null for other exceptions, which
 * are bugs.
 */
export function toDatabaseFault(error: unknown): DatabaseFault | null {
  const code = readErrorCode(error);
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

/** Runs SQLite's own check of the pages. Does not check the contents of indexes. */
export function findPageFault(db: SqliteDatabase): DatabaseFault | null {
  try {
    limitPageCache(db);
    const checkResult = db.pragma("quick_check(1)", { simple: true });
    return checkResult === "ok" ? null : { kind: "damaged", detail: String(checkResult) };
  } catch (error) {
    const fault = toDatabaseFault(error);
    if (fault === null) throw error;
    return fault;
  }
}

/**
 * LIMIT: number of bytes in the WAL above which a checkpoint writes it back to the database file.
 * The number is large, because a first sync changes most pages of an index many times, and a
 * checkpoint writes each page only once.
 */
export const MAX_WAL_BYTES = 64 * 1024 * 1024;

/** Switches a database to WAL mode. Not allowed within a transaction. */
function enterWal(db: SqliteDatabase): void {
  if (!db.memory) switchMode(db, "WAL");
}

/**
 * Flushes all commits and leaves WAL mode, unless another process reads the file. The checkpoint
 * names the main database, because after some upgrades SQLite would refuse a checkpoint of the
 * temporary database.
 */
export function leaveWal(db: SqliteDatabase): void {
  const [checkpoint] = db.pragma("main.wal_checkpoint(TRUNCATE)") as { busy: number }[];
  if (checkpoint?.busy === 0) switchMode(db, "DELETE");
  else flushCommits(db);
}

/**
 * Flushes the commits of all connections. Not allowed within a transaction. A checkpoint would
 * leave out pages that another process reads. Therefore this function makes a commit with
 * `synchronous = FULL`, which flushes the whole WAL. The commit writes `user_version` without a
 * change.
 */
export function flushCommits(db: SqliteDatabase): void {
  withSynchronous(db, "FULL", () => db.pragma(`user_version = ${db.pragma("user_version", { simple: true })}`));
}

/**
 * Switches the mode of the journal.
 * ASSUMES: the whole WAL was written back before, so that the switch changes only the mode in the
 * first page. This page is not flushed, because a flush would be slow, and the file is complete in
 * either mode. A flush of a new WAL also flushes the folder. Therefore the removal of the old
 * journal survives a power loss before SQLite writes a page back.
 */
function switchMode(db: SqliteDatabase, mode: "WAL" | "DELETE"): void {
  withSynchronous(db, "OFF", () => db.pragma(`journal_mode = ${mode}`));
}

/**
 * Flushes a new database file. Otherwise a power loss could leave the file without pages, and
 * SQLite would then remove its WAL with all commits.
 */
function securePages(db: SqliteDatabase): void {
  withSynchronous(db, "FULL", () => db.pragma("main.wal_checkpoint(TRUNCATE)"));
}

/** Runs `work` with another level of flushing. FULL flushes each commit; OFF flushes none. */
export function withSynchronous<T>(db: SqliteDatabase, level: "FULL" | "OFF", work: () => T): T {
  db.pragma(`synchronous = ${level}`);
  try {
    return work();
  } finally {
    // NORMAL is mdmirror's usual level: commits survive the end of the process, but a power loss
    // may remove the last commits. The file is still consistent then, and a scan finds the lost
    // facts again.
    db.pragma("synchronous = NORMAL");
  }
}

/** Suffix of the copy's name, beside `state.db`. */
const COPY_SUFFIX = ".before";

/**
 * Copies a state file before this newer mdmirror upgrades the file, so that the user can go back to
 * the older mdmirror. A run that ends in sync removes the copy. If an earlier copy was interrupted
 * (`….before.new`), copies the file again.
 * ORDER: the copy is flushed before the upgrade begins. Otherwise a power loss could damage both
 * files.
 * @throws as SQLite and node:fs do; the state file is then unchanged
 */
export function keepCopyBeforeMigration(db: Sqlite.Database, path: string): void {
  const [folder, name] = [dirname(path), `${basename(path)}${COPY_SUFFIX}`];
  const newCopyName = `${name}.new`;
  removeOwnFile(folder, newCopyName);
  try {
    // mdmirror creates the file, and SQLite accepts an empty file. If SQLite created the file,
    // other users could read it.
    const fd = createOwnFile(folder, newCopyName);
    try {
      db.prepare("VACUUM INTO ?").run(`${folder}/${newCopyName}`);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameOwnFile(folder, newCopyName, name);
  } catch (error) {
    removeOwnFile(folder, newCopyName);
    throw error;
  }
}

/**
 * Removes the copy of the older state file.
 * ORDER: called only after the newer mdmirror has completed a sync.
 * @param folder absolute path of `.mdmirror`
 */
export function removeCopyBeforeMigration(folder: string, file: string): void {
  if (statOwnFile(folder, `${file}${COPY_SUFFIX}`, "file") !== null) removeOwnFile(folder, `${file}${COPY_SUFFIX}`);
}
