import type { DocumentSource } from "../../markdown/search/source.ts";
import type { FoundFile, SearchScope } from "./found-files.ts";
import type { Figures, Holder } from "./rows.ts";
import type { Tables } from "./tables.ts";

/**
 * The port between the request core and a database. `sqlite/` runs inside the process.
 *
 * Locks of a store with several writers; a store with a single writer needs none:
 * - In a write, `files.byId`, `files.forEdit` and `changes.review` lock the file that they find:
 *   no other transaction changes or removes it until the end.
 * - A caller calls `lockStructure` before the first read that a structural change depends on, and
 *   then `lockTree` before a read of a subtree's contents. `files.insert` shares the lock of the
 *   structure with other inserts, and checks what was read before.
 * - Each read sees all earlier commits, or the work runs again.
 */
export type Store = {
  /** Secret of this database, made once, that encrypts cursors. */
  readonly cursorSecret: Buffer;
  /**
   * Identifier that changes when the database is restored from a backup. The identifier does not
   * reveal the secret.
   */
  readonly generation: string;
  /** Runs `work` on one consistent snapshot. `work` writes nothing, and may run again. */
  read<T>(work: (tables: Tables) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in one transaction; rolls back if `work` throws, or if `keep` refuses the result.
   * When the promise resolves, the write is on the disk. `work` runs again after a serialisation
   * failure, a deadlock, or a constraint that two transactions broke. So `work` must have no other
   * effects; its read before the insert then finds the other row. ORDER: never within another
   * write's `work`, which would wait for itself.
   * @throws StoreBusyError if the repeated runs fail
   */
  write<T>(work: (tables: Tables) => Promise<T>, keep?: (result: T) => boolean): Promise<T>;
  /**
   * Returns the key with that hash and its access, outside any transaction.
   * @param hash SHA-256 of the key
   */
  holder(hash: Buffer): Promise<Holder | undefined>;
  /**
   * Returns the documents that a search may find. Each call of the source is a short transaction,
   * and reads the state of that moment.
   */
  search(scope: SearchScope): DocumentSource<FoundFile>;
  figures(): Promise<Figures>;
  /** Returns the counts of the connection pool. Undefined if the store has no pool. */
  pool?(): PoolFigures;
  /** Resolves when every running transaction has ended. */
  close(): Promise<void>;

  /**
   * Indexes queued documents for search.
   * @param most cost of the step
   * @returns `done` if nothing is left
   */
  indexStep(most: "a-step" | "all"): Promise<"done" | "more">;
  /**
   * Calls `listener` after each commit of any process that may have added to `Tables.outbox`; some
   * calls may be unnecessary.
   * @returns a function that removes the listener
   */
  onChange(listener: () => void): () => void;
  /** Space on the local disk that is kept for deletions; null if the database is not on it. */
  readonly reserve: ReservedSpace | null;
  /** Copies the database beside itself while it is in use, if it is a local file. */
  backup?(): Promise<BackupMade>;
};

/** Figures of a pool; `waiting` counts requests without a connection. */
export type PoolFigures = { readonly connections: number; readonly idle: number; readonly waiting: number };

/** A finished backup; `file` is a name in the data folder. */
export type BackupMade = { readonly file: string; readonly bytes: number };

export type ReservedSpace = {
  /** Reserves more space if the disk has enough. */
  reserve(): void;
  /**
   * Releases the reserve.
   * @returns true if space was reserved
   */
  release(): boolean;
  /** Returns the reserved bytes. */
  bytes(): number;
};

/**
 * Error for a temporary failure: too many transactions needed the same rows, no connection was
 * free, or the database cannot be reached. Answered with 503; the message is for the caller.
 */
export class StoreBusyError extends Error {
  override readonly name: string = "StoreBusyError";
  /** True if the write may have been committed; false if nothing was done. */
  readonly mayBeKept: boolean = false;
}

/** Codes of SQLite and of PostgreSQL for a full disk. */
const FULL: readonly unknown[] = ["SQLITE_FULL", "53100"];

/** Returns true if there was no space for a write, which is then rolled back. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && FULL.includes(error.code);
}
