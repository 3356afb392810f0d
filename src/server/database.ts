import { closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { MOST_RESERVED } from "./reserve.ts";
import { MIGRATIONS } from "./schema.ts";
import { Statement } from "./statement.ts";

/** What the tables see of SQLite. */
export class Db {
  readonly #sqlite: Sqlite.Database;
  readonly #onRun = (): void => void this.#runs++;
  #runs = 0;

  constructor(sqlite: Sqlite.Database) {
    this.#sqlite = sqlite;
  }

  /** Grows with each `run`: while it stands still, what was read is as it was. */
  get runs(): number {
    return this.#runs;
  }

  get inTransaction(): boolean {
    return this.#sqlite.inTransaction;
  }

  prepare<Values extends unknown[] | object = unknown[], Row = unknown>(
    sql: string,
  ): Statement<Values extends unknown[] ? Values : [Values], Row> {
    return new Statement(this.#sqlite, sql, this.#onRun);
  }

  pragma(text: string): unknown {
    return this.#sqlite.pragma(text);
  }

  /** The whole database, as a file would hold it. */
  serialize(): Buffer {
    return this.#sqlite.serialize();
  }

  close(): void {
    this.#sqlite.close();
  }
}

/**
 * `:memory:`, the folder that holds `service.db`, or a copy of a database (`Service.copy`) to go on
 * from in memory.
 */
export type DatabaseLocation = ":memory:" | { readonly folder: string } | { readonly copy: Uint8Array };

/**
 * Opens the database and brings it to the newest schema.
 * @throws when the folder cannot be used, another process holds it, or a newer program wrote it
 */
export function openDatabase(location: DatabaseLocation): Db {
  const sqlite = new Sqlite(sourceOf(location), { timeout: 2_000 });
  const db = new Db(sqlite);
  try {
    if (location !== ":memory:" && "folder" in location) {
      // One process a folder: the lock is the system's and ends with the process, also with kill
      // -9.
      db.pragma("locking_mode = EXCLUSIVE");
      db.pragma("journal_mode = WAL");
      // FULL: an acknowledged write outlives a power cut as well as a killed process.
      db.pragma("synchronous = FULL");
      boundJournal(db, MOST_RESERVED);
    }
    db.pragma("cache_size = -65536");
    migrate(sqlite);
  } catch (error) {
    db.close();
    throw error;
  }
  return db;
}

const PAGE_BYTES = 4_096;

/**
 * Where it is written back, the database grows by as much, and the next changes need as much again:
 * so the journal may have half of the reserve.
 * LIMIT: with the whole reserve from 4 MB on; what one great transaction takes beyond 16 MB is
 * given back to the disk.
 */
export function boundJournal(db: Db, reserved: number): void {
  db.pragma(`wal_autocheckpoint = ${Math.floor(reserved / 2 / PAGE_BYTES)}`);
  db.pragma(`journal_size_limit = ${2 * reserved}`);
}

function sourceOf(location: DatabaseLocation): string | Buffer {
  if (location === ":memory:") return location;
  return "folder" in location ? ownFile(location.folder) : Buffer.from(location.copy);
}

/**
 * Made before SQLite would make it with everyone's right to read; the files beside it take its
 * mode.
 */
function ownFile(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, "service.db");
  closeSync(openSync(file, "a", 0o600));
  return file;
}

function migrate(db: Sqlite.Database): void {
  const version = db.pragma("user_version", { simple: true }) as number;
  if (version > MIGRATIONS.length)
    throw new Error(`service.db has schema ${version}, newer than this program's ${MIGRATIONS.length}`);
  db.transaction(() => {
    for (const sql of MIGRATIONS.slice(version)) db.exec(sql);
    db.pragma(`user_version = ${MIGRATIONS.length}`);
  }).immediate();
}

/** `BEGIN` and its ends; within a transaction, a savepoint and its ends. */
export class Transactions {
  readonly #db: Db;
  readonly #outer: ReturnType<typeof prepare>;
  readonly #inner: ReturnType<typeof prepare>;

  constructor(db: Db) {
    this.#db = db;
    this.#outer = prepare(db, "BEGIN IMMEDIATE", "COMMIT", "ROLLBACK");
    this.#inner = prepare(db, "SAVEPOINT request", "RELEASE request", "ROLLBACK TO request");
  }

  /** Runs `work`; rolled back when it throws or its result is not kept. */
  run<T>(work: () => T, keep: (result: T) => boolean): T {
    const nested = this.#db.inTransaction;
    const { begin, commit, rollback } = nested ? this.#inner : this.#outer;
    begin.run();
    let kept = false;
    try {
      const result = work();
      kept = keep(result);
      if (kept) commit.run();
      return result;
    } catch (error) {
      kept = false;
      throw error;
    } finally {
      // SQLite may have rolled back by itself (disk full); a savepoint rolled back to is still to
      // be released.
      if (!kept && this.#db.inTransaction) {
        rollback.run();
        if (nested) commit.run();
      }
    }
  }
}

function prepare(db: Db, begin: string, commit: string, rollback: string) {
  return { begin: db.prepare(begin), commit: db.prepare(commit), rollback: db.prepare(rollback) };
}
