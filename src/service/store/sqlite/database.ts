import Sqlite from "better-sqlite3";
import { accessSync, closeSync, constants, existsSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { Statement } from "../../../common/statement.ts";
import { makeFolders } from "../../../common/make-folders.ts";
import { checkSchema } from "../other-version.ts";
import { boundJournal } from "./journal.ts";
import { migrationsFrom, NEWEST_SCHEMA, OLDEST_SCHEMA } from "./schema.ts";

/**
 * Matches a parameter with which a column is compared. SQLite's planner uses its value, and so
 * prepares the statement again for each value, which is slow. A unary plus leaves the value
 * unchanged, but hides it from the planner.
 */
const COMPARED = /([=<>]) ([?@$])/g;

export class Db extends Sqlite {
  readonly #inode = this.memory ? null : inodeOf(this.name);

  /**
   * Checks that the database is still the file at its path. Writes into a file that was deleted or
   * moved away would be lost at the next start.
   * @throws Error with the code `database-moved`
   */
  checkPath(): void {
    if (this.memory || inodeOf(this.name) === this.#inode) return;
    const what = `${this.name} was moved or deleted while the service runs: nothing more is saved; restore the file or restart the service`;
    throw Object.assign(new Error(what), { code: "database-moved" });
  }

  /** Returns a statement that is planned once, on its first run. */
  statement<Values extends unknown[] = unknown[], Row = unknown>(text: string): Statement<Values, Row> {
    return new Statement<Values, Row>(this, text.replaceAll(COMPARED, "$1 +$2"));
  }
}

/** Returns the inode of a file; null if there is no file. */
function inodeOf(path: string): bigint | null {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino ?? null;
}

/**
 * `:memory:`, the folder with `service.db`, or a copy of a database (`SqliteStore.copy`) that a
 * service in memory continues.
 */
export type DatabaseLocation = ":memory:" | DataFolder | { readonly copy: Uint8Array };

type DataFolder = {
  readonly folder: string;
  /** Milliseconds to wait while another process has the database open (default 2,000). */
  readonly waitMs?: number;
};

const WAIT_MS = 2_000;

/**
 * Opens the database and brings it to the newest schema.
 * @throws if the folder cannot be used, another process has it open, or a newer program wrote it
 */
export function openDatabase(location: DatabaseLocation): Db {
  const disk = onDisk(location);
  const db = new Db(sourceOf(location), { timeout: disk?.waitMs ?? WAIT_MS });
  try {
    if (disk !== null) {
      // Allows only one process for each folder. The operating system ends the lock with the
      // process, even after kill -9.
      db.pragma("locking_mode = EXCLUSIVE");
      db.pragma("journal_mode = WAL");
      // FULL: an acknowledged write survives a power loss and a killed process.
      db.pragma("synchronous = FULL");
      // On macOS, fsync leaves bytes in the medium's own cache. On other systems, this pragma
      // changes nothing.
      db.pragma("fullfsync = ON");
      boundJournal(db);
    }
    db.pragma("cache_size = -65536");
    // SQLite copies old pages to undo a statement or savepoint. By default a copy of more than 64
    // KiB is a file, which is slow.
    db.pragma("temp_store = MEMORY");
    migrate(db, disk?.folder ?? null);
  } catch (error) {
    db.close();
    throw error;
  }
  return db;
}

/** Returns the data folder of a database; null for a database in memory. */
export function onDisk(location: DatabaseLocation): DataFolder | null {
  return location !== ":memory:" && "folder" in location ? location : null;
}

function sourceOf(location: DatabaseLocation): string | Buffer {
  if (location === ":memory:") return location;
  return "folder" in location ? ownFile(location.folder) : Buffer.from(location.copy);
}

/**
 * Creates the file with its mode before SQLite would make the file readable for all users. SQLite
 * gives the companion files the same mode.
 */
function ownFile(folder: string): string {
  makeFolders(folder, 0o700);
  const file = join(folder, "service.db");
  // Does not open an existing file: closing the file would release the lock of a service in this
  // process.
  if (existsSync(file)) accessSync(file, constants.R_OK | constants.W_OK);
  else closeSync(openSync(file, "a", 0o600));
  return file;
}

/**
 * Migrates to the newest schema.
 * @param folder folder for a copy of the database with the old schema, which is kept until a start
 * has nothing to migrate; null for no copy
 */
function migrate(db: Db, folder: string | null): void {
  const version = db.pragma("user_version", { simple: true }) as number;
  checkSchema("service.db", version, OLDEST_SCHEMA, NEWEST_SCHEMA);
  const before = folder === null ? null : join(folder, "service.db.before");
  if (version === NEWEST_SCHEMA) {
    if (before !== null) rmSync(before, { force: true });
    return;
  }
  if (before !== null && version > 0) keepBefore(db, before);
  db.transaction(() => {
    for (const sql of migrationsFrom(version)) db.exec(sql);
    db.pragma(`user_version = ${NEWEST_SCHEMA}`);
  }).immediate();
}

/**
 * Copies the file before a migration. ORDER: the copy is complete before the first step of the
 * migration; an interrupted copy is replaced.
 */
function keepBefore(db: Db, path: string): void {
  const fresh = `${path}.new`;
  rmSync(fresh, { force: true });
  closeSync(openSync(fresh, "wx", 0o600));
  try {
    db.prepare("VACUUM INTO ?").run(fresh);
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}
