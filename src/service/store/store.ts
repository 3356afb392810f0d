import type { DocumentSource } from "../../markdown/search/source.ts";
import type { FoundFile, SearchScope } from "./found-files.ts";
import type { DatabaseFigures, KeyHolder } from "./rows.ts";
import type { Tables } from "./tables.ts";

/**
 * The port between the core of the service and its database. `sqlite/` runs inside the process.
 *
 * Rules for the locks of a store with several writers; a store with a single writer needs no locks:
 * - In a write, `files.byId`, `files.forEdit` and `changes.review` lock the file that they find. No
 *   other transaction changes or removes the file until the end of the write.
 * - Before a caller reads what a change of the folder tree depends on, it calls `lockStructure`.
 *   Before it reads the contents of a folder, it also calls `lockTree`. `files.insert` shares the
 *   lock of the folder tree with other inserts, and checks again what the caller has read.
 * - Each read sees all earlier commits; otherwise the work runs again.
 */
export type Store = {
  /** Secret of this database, which encrypts cursors, and never changes. */
  readonly cursorSecret: Buffer;
  /** Identifier of the database, which a restore changes. Does not reveal the secret. */
  readonly generation: string;
  /** Runs `work` on one snapshot of the database. `work` only reads, and may run several times. */
  read<T>(work: (tables: Tables) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in one transaction. Rolls back if `work` throws, or if `keep` returns false for its
   * result. Resolves when the write is on the disk. `work` runs again after a serialisation
   * failure, a deadlock, or a violated constraint; so it must have no effects outside the
   * transaction.
   * ORDER: never within the `work` of another write, because the two would wait for each other.
   * @throws StoreBusyError if the repeated runs fail too
   */
  write<T>(work: (tables: Tables) => Promise<T>, keep?: (result: T) => boolean): Promise<T>;
  /** Returns the holder of the key with this SHA-256, outside any transaction. */
  holder(hash: Buffer): Promise<KeyHolder | undefined>;
  /**
   * Returns the documents in which a search may look. Each call of a method of the source is a
   * short transaction, and reads the state of that moment.
   */
  search(scope: SearchScope): DocumentSource<FoundFile>;
  figures(): Promise<DatabaseFigures>;
  /** Undefined if the store has no pool. */
  pool?(): PoolFigures;
  /** Closes the store. Resolves when every running transaction has ended. */
  close(): Promise<void>;

  /**
   * Indexes documents that wait to be indexed for search.
   * @param most `a-step`: a few milliseconds of work; `all`: all documents that wait
   * @returns `done` if no document waits
   */
  indexStep(most: "a-step" | "all"): Promise<"done" | "more">;
  /**
   * Calls `listener` after each commit, of any process, that may have added rows to
   * `Tables.outbox`. Some calls may be unnecessary.
   * @returns a function that removes the listener
   */
  onChange(listener: () => void): () => void;
  /** Disk space that is reserved for deletions; null if the database is not on a local disk. */
  readonly reserve: ReservedSpace | null;
  /** Copies the database, while in use, to a file beside it. Undefined without a local file. */
  backup?(): Promise<FinishedBackup>;
};

/** `waiting`: number of requests that wait for a connection. */
export type PoolFigures = { readonly connections: number; readonly idle: number; readonly waiting: number };

/** `file`: name of a file in the data folder. */
export type FinishedBackup = { readonly file: string; readonly bytes: number };

export type ReservedSpace = {
  reserve(): void;
  /** Releases the reserve. Returns true if space was reserved. */
  release(): boolean;
  bytes(): number;
};

/**
 * Error for a temporary failure: too many transactions needed the same rows, no connection was
 * free, or the database could not be reached. The service answers 503; the message is part of the
 * answer.
 */
export class StoreBusyError extends Error {
  override readonly name: string = "StoreBusyError";
  /** True if the write may have been committed; false if it certainly was not. */
  readonly mayBeKept: boolean = false;
}

const DISK_FULL_CODES: readonly unknown[] = ["SQLITE_FULL", "53100"];

/** Returns true if the disk had no space for a write. The write was then rolled back. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && DISK_FULL_CODES.includes(error.code);
}
