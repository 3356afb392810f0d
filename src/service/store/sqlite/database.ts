import Sqlite from "better-sqlite3";
import { accessSync, closeSync, constants, existsSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { Statement } from "../../../common/statement.ts";
import { makeFolders } from "../../../common/make-folders.ts";
import { checkSchema } from "../store.ts";
import { limitJournal } from "./reserve.ts";
import { listMigrations, NEWEST_SCHEMA, OLDEST_SCHEMA } from "./schema.ts";
import type { Session, Sql } from "../sql.ts";

/**
 * Matches a parameter in a comparison with a column. SQLite would plan the statement for each new
 * value of such a parameter, which is slow. A unary plus before the parameter prevents the new
 * plan, because the planner then ignores the value. The plus changes nothing else.
 */
const COMPARED_PARAMETER = /([=<>]) ([?@$])/g;

export class Db extends Sqlite {
  readonly #inode = this.memory ? null : readInode(this.name);

  /**
   * Checks that the open database is still the file at its path. If somebody has moved or deleted
   * this file, the next start would not find the writes.
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
 * Location of a database: `:memory:`, a data folder with the file `service.db`, or the bytes of a
 * database (`SqliteStore.copy`). Bytes are opened in memory.
 */
export type DatabaseLocation = ":memory:" | DataFolderOptions | { readonly copy: Uint8Array };

type DataFolderOptions = {
  readonly folder: string;
  /** Milliseconds to wait until another process closes the database. Default 2,000. */
  readonly waitMs?: number;
};

const WAIT_MS = 2_000;

/**
 * Opens the database and migrates it to the newest schema.
 * @throws if the folder cannot be used, another process has the database open, or a newer version
 * of mdmirror wrote it
 */
export function openDatabase(location: DatabaseLocation): Db {
  const dataFolder = findDataFolder(location);
  const db = new Db(toSqliteSource(location), { timeout: dataFolder?.waitMs ?? WAIT_MS });
  try {
    if (dataFolder !== null) {
      // The locking mode EXCLUSIVE locks the database, so that only one process can open it. The
      // operating system ends the lock with the process, even after kill -9.
      db.pragma("locking_mode = EXCLUSIVE");
      db.pragma("journal_mode = WAL");
      // With `synchronous = FULL`, an acknowledged write survives a power loss.
      db.pragma("synchronous = FULL");
      // On macOS, fsync leaves the bytes in the cache of the disk without `fullfsync`. On other
      // systems, `fullfsync` has no effect.
      db.pragma("fullfsync = ON");
      limitJournal(db);
    }
    db.pragma("cache_size = -65536");
    // SQLite keeps old pages, so that it can undo a statement or savepoint. Without `temp_store =
    // MEMORY`, SQLite writes old pages to a file if they take more than 64 KiB, which is slow.
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
 * Creates the database file with permission for its owner only, because SQLite would let all users
 * read it. SQLite gives its other files the same permissions.
 */
function createOwnFile(folder: string): string {
  makeFolders(folder, 0o700);
  const file = join(folder, "service.db");
  // An existing file is checked without opening it, because closing the file would release the lock
  // of another service in this process.
  if (existsSync(file)) accessSync(file, constants.R_OK | constants.W_OK);
  else closeSync(openSync(file, "a", 0o600));
  return file;
}

/**
 * Migrates a database.
 * @param folder folder in which the database with the old schema is copied first; null for no copy.
 * The next start without a migration deletes the copy
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

/**
 * ORDER: the copy is made before the first step of the migration, so that the copy has the old
 * schema.
 */
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

/**
 * The connection to SQLite. Each statement is prepared on its first run, because a short process
 * needs few statements. Each statement is prepared only once, because better-sqlite3 frees
 * statements only when the database closes.
 */
export class SqliteSession implements Session {
  readonly #db: Db;
  readonly #statements = new Map<Sql<unknown>, Statement>();

  constructor(db: Db) {
    this.#db = db;
  }

  lock(): void {
    // Does nothing: a database with only one writer needs no lock.
  }

  async all<Row>(statement: Sql<Row>, ...values: readonly unknown[]): Promise<Row[]> {
    return this.allNow(statement, ...values);
  }

  async one<Row>(statement: Sql<Row>, ...values: readonly unknown[]): Promise<Row | undefined> {
    return this.oneNow(statement, ...values);
  }

  send(statement: Sql<never>, ...values: readonly unknown[]): void {
    this.#prepared(statement).run(toParameters(values));
  }

  /** Runs a statement like `all`, but immediately, without waiting for other statements. */
  allNow<Row>(statement: Sql<Row>, ...values: readonly unknown[]): Row[] {
    return this.#prepared(statement).all(toParameters(values)) as Row[];
  }

  oneNow<Row>(statement: Sql<Row>, ...values: readonly unknown[]): Row | undefined {
    return this.#prepared(statement).get(toParameters(values)) as Row | undefined;
  }

  #prepared(statement: Sql<unknown>): Statement {
    const knownStatement = this.#statements.get(statement) ?? this.#db.statement(statement.sqlite);
    this.#statements.set(statement, knownStatement);
    return knownStatement;
  }
}

function toParameters(values: readonly unknown[]): object {
  return Object.fromEntries(values.map((value, index) => [index + 1, toSqliteValue(value)]));
}

function toSqliteValue(value: unknown): unknown {
  if (typeof value === "boolean") return value ? 1 : 0;
  return Array.isArray(value) ? JSON.stringify(value) : value;
}
