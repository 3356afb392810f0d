import Sqlite from "better-sqlite3";
import { accessSync, closeSync, constants, existsSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { Statement } from "../../../common/statement.ts";
import { makeFolders } from "../../../common/make-folders.ts";
import { checkSchema } from "../other-version.ts";
import { limitJournal } from "./journal.ts";
import { listMigrations, NEWEST_SCHEMA, OLDEST_SCHEMA } from "./schema.ts";

/**
 * Matches a parameter with which a column is compared. SQLite would plan the statement again for
 * each value of such a parameter, which is slow. A unary plus before the parameter hides the value
 * from the planner and changes nothing else.
 */
const COMPARED_PARAMETER = /([=<>]) ([?@$])/g;

export class Db extends Sqlite {
  readonly #inode = this.memory ? null : readInode(this.name);

  /**
   * Checks that the file at the path is still the open database. If somebody deleted or moved the
   * file, writes would be lost at the next start.
   * @throws Error with the code `database-moved`
   */
  checkPath(): void {
    if (this.memory || readInode(this.name) === this.#inode) return;
    const failure = `${this.name} was moved or deleted while the service runs: nothing more is saved; restore the file or restart the service`;
    throw Object.assign(new Error(failure), { code: "database-moved" });
  }

  /** Returns a statement that is planned once, on its first run. */
  statement<Values extends unknown[] = unknown[], Row = unknown>(text: string): Statement<Values, Row> {
    return new Statement<Values, Row>(this, text.replaceAll(COMPARED_PARAMETER, "$1 +$2"));
  }
}

function readInode(path: string): bigint | null {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino ?? null;
}

/**
 * Place of a database: `:memory:`, a data folder with `service.db`, or the bytes of a database
 * (`SqliteStore.copy`) that is opened in memory.
 */
export type DatabaseLocation = ":memory:" | DataFolderOptions | { readonly copy: Uint8Array };

type DataFolderOptions = {
  readonly folder: string;
  /** Milliseconds to wait while another process has the database open. Default 2,000. */
  readonly waitMs?: number;
};

const WAIT_MS = 2_000;

/**
 * Opens the database and brings it to the newest schema.
 * @throws if the folder cannot be used, another process has the database open, or a newer version
 * of mdmirror wrote it
 */
export function openDatabase(location: DatabaseLocation): Db {
  const dataFolder = findDataFolder(location);
  const db = new Db(toSqliteSource(location), { timeout: dataFolder?.waitMs ?? WAIT_MS });
  try {
    if (dataFolder !== null) {
      // Only one process may open the database of a folder. The operating system ends the lock with
      // the process, even after kill -9.
      db.pragma("locking_mode = EXCLUSIVE");
      db.pragma("journal_mode = WAL");
      // With FULL, an acknowledged write survives a power loss.
      db.pragma("synchronous = FULL");
      // On macOS, fsync alone leaves bytes in the cache of the disk. On other systems, this pragma
      // changes nothing.
      db.pragma("fullfsync = ON");
      limitJournal(db);
    }
    db.pragma("cache_size = -65536");
    // To undo a statement or savepoint, SQLite keeps old pages. By default, more than 64 KiB of
    // these pages go to a file, which is slow.
    db.pragma("temp_store = MEMORY");
    migrate(db, dataFolder?.folder ?? null);
  } catch (error) {
    db.close();
    throw error;
  }
  return db;
}

export function findDataFolder(location: DatabaseLocation): DataFolderOptions | null {
  return location !== ":memory:" && "folder" in location ? location : null;
}

function toSqliteSource(location: DatabaseLocation): string | Buffer {
  if (location === ":memory:") return location;
  return "folder" in location ? createOwnFile(location.folder) : Buffer.from(location.copy);
}

/**
 * Creates the database file readable for its owner only, because SQLite would make it readable for
 * all users. SQLite gives its other files the mode of this file.
 */
function createOwnFile(folder: string): string {
  makeFolders(folder, 0o700);
  const file = join(folder, "service.db");
  // An existing file is not opened, because closing it would release the lock of another service in
  // this process.
  if (existsSync(file)) accessSync(file, constants.R_OK | constants.W_OK);
  else closeSync(openSync(file, "a", 0o600));
  return file;
}

/**
 * @param folder folder for a copy of the database with the old schema; null for no copy. The next
 * start without a migration removes the copy
 */
function migrate(db: Db, folder: string | null): void {
  const version = db.pragma("user_version", { simple: true }) as number;
  checkSchema("service.db", version, OLDEST_SCHEMA, NEWEST_SCHEMA);
  const copyPath = folder === null ? null : join(folder, "service.db.before");
  if (version === NEWEST_SCHEMA) {
    if (copyPath !== null) rmSync(copyPath, { force: true });
    return;
  }
  if (copyPath !== null && version > 0) copyBeforeMigration(db, copyPath);
  db.transaction(() => {
    for (const sql of listMigrations(version)) db.exec(sql);
    db.pragma(`user_version = ${NEWEST_SCHEMA}`);
  }).immediate();
}

/** ORDER: the copy is complete before the first step of the migration. */
function copyBeforeMigration(db: Db, path: string): void {
  const temporaryFile = `${path}.new`;
  rmSync(temporaryFile, { force: true });
  closeSync(openSync(temporaryFile, "wx", 0o600));
  try {
    db.prepare("VACUUM INTO ?").run(temporaryFile);
    renameSync(temporaryFile, path);
  } catch (error) {
    rmSync(temporaryFile, { force: true });
    throw error;
  }
}
