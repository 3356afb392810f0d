import type { DocumentSource } from "../../markdown/search/source.ts";
import type { FoundFile, SearchScope } from "./found-files.ts";
import type { DatabaseFigures, KeyHolder } from "./rows.ts";
import type { Tables } from "./tables.ts";

/**
 * The interface between the request handlers of the service and its database. The store in
 * `sqlite/` runs in the process of the service; the one in `postgres/` connects to a server.
 *
 * Rules for the locks of a store with several writers (a store with one writer needs no locks):
 * - In a write, `files.byId`, `files.forEdit` and `changes.review` lock the file that they find.
 *   Until the end of the write, no other transaction changes or removes this file.
 * - A caller that changes the folder tree calls `lockStructure` before it reads the tree. Before
 *   such a caller reads the contents of a folder, it also calls `lockTree`.
 * - `files.insert` does not exclude other inserts, but excludes changes of the folder tree. It
 *   repeats the checks of its caller: the name must be free, and the folder must exist.
 * - Each read sees all earlier commits; otherwise the work runs again.
 */
export type Store = {
  /** Secret of this database, which never changes. Cursors are encrypted with this secret. */
  readonly cursorSecret: Buffer;
  /** Generation of the database, which only a restore changes, and which reveals no secret. */
  readonly generation: string;
  /** Runs `work` on one snapshot of the database. `work` only reads, and may run several times. */
  read<T>(work: (tables: Tables) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in one transaction. Rolls back if `work` throws, or if `keep` returns false for the
   * result. Resolves when the write is on the disk. After a serialisation failure, a deadlock or a
   * violated constraint, `work` runs again. So `work` must have no effects outside the transaction.
   * ORDER: never called within the `work` of another write, because each would wait for the other.
   * @throws StoreBusyError if the last permitted run of `work` fails too
   */
  write<T>(work: (tables: Tables) => Promise<T>, keep?: (result: T) => boolean): Promise<T>;
  /** Returns the holder of the key with this SHA-256. The read is not part of a transaction. */
  holder(hash: Buffer): Promise<KeyHolder | undefined>;
  /**
   * Returns the documents of a search. Each method call on the result is a short transaction of its
   * own, and sees the data of that moment.
   */
  search(scope: SearchScope): DocumentSource<FoundFile>;
  figures(): Promise<DatabaseFigures>;
  /** Returns the figures of the connection pool. Undefined if the store has no pool. */
  pool?(): PoolFigures;
  /** Closes the store. Resolves when every running transaction has ended. */
  close(): Promise<void>;

  /**
   * Adds documents to the search index that are not in the index yet.
   * @param most `a-step`: a few milliseconds of work; `all`: all these documents
   * @returns `done` if no document is left
   */
  indexStep(most: "a-step" | "all"): Promise<"done" | "more">;
  /**
   * Calls `listener` after each commit that may have added rows to `Tables.outbox`, in this process
   * or another one. The listener may also be called when no row was added.
   * @returns a function that removes the listener
   */
  onChange(listener: () => void): () => void;
  /** Disk space that is reserved for deletions; null if the database is not on a local disk. */
  readonly reserve: ReservedSpace | null;
  /**
   * Copies the database to a file in its folder, while the database is in use. Undefined if the
   * database is not a local file.
   */
  backup?(): Promise<FinishedBackup>;
};

/** Numbers of connections. `waiting`: number of requests that wait for a connection. */
export type PoolFigures = { readonly connections: number; readonly idle: number; readonly waiting: number };

/** A backup. `file`: name of the backup in the data folder. */
export type FinishedBackup = { readonly file: string; readonly bytes: number };

export type ReservedSpace = {
  reserve(): void;
  /** Releases the reserved space. Returns false if no space was reserved. */
  release(): boolean;
  bytes(): number;
};

/**
 * Error for a temporary failure: too many transactions needed the same rows, no connection was
 * free, or the database could not be reached. The service answers 503 with the message of the
 * error.
 */
export class StoreBusyError extends Error {
  override readonly name: string = "StoreBusyError";
  /** True if the write may have been committed; false if it certainly was not committed. */
  readonly mayBeKept: boolean = false;
}

const DISK_FULL_CODES: readonly unknown[] = ["SQLITE_FULL", "53100"];

/** Returns true if the disk was too full for a write. The write was then rolled back. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && DISK_FULL_CODES.includes(error.code);
}

/** Error for a database of another version of mdmirror whose schema is not known. */
class OtherVersionError extends Error {
  readonly code: "newer-data" | "older-data";

  constructor(database: string, version: number, known: string, age: "newer" | "older") {
    const writerVersion = age === "newer" ? "a newer" : "an older";
    super(`${database} was written by ${writerVersion} mdmirror (schema ${version}, this one knows ${known})`);
    this.code = `${age}-data`;
  }
}

/**
 * Checks that this version of mdmirror knows the schema of a database.
 * @param database name of the database, for the message
 * @param version number of the schema; 0 for an empty database
 * @throws OtherVersionError if `version` is less than `oldest` or greater than `newest`
 */
export function checkSchema(database: string, version: number, oldest: number, newest: number): void {
  if (version > newest) throw new OtherVersionError(database, version, `${newest}`, "newer");
  if (version > 0 && version < oldest)
    throw new OtherVersionError(database, version, `${oldest} to ${newest}`, "older");
}
