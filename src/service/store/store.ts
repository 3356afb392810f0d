import type { Holder } from "./rows.ts";
import type { Tables } from "./tables.ts";

/**
 * The port between the request core and a database. `sqlite/` is the one inside the process.
 *
 * Locks, of a store with several writers; one with a single writer needs none:
 * - In a write, `files.byId`, `files.forEdit` and `changes.review` lock the file that they find:
 *   nobody else changes or removes it until the end.
 * - In a write, `folders.byId` and the deepest folder of `folders.along` are held: until the end
 *   nobody moves or removes them, and everybody may put something in.
 * - `lockStructure` is called before the first look that a structural change stands on, and
 *   `lockTree` before one that stands on what is in a subtree.
 * - Each look sees what was committed before it, or the work is run again.
 */
export type Store = {
  /** The secret of this database, made once, with which cursors are encrypted. */
  readonly cursorSecret: Buffer;
  /** Another one since the database was last restored from a backup; never the secret itself. */
  readonly generation: string;
  /** Runs `work` on one consistent snapshot. It writes nothing, and may be run again. */
  read<T>(work: (tables: Tables) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in one transaction; rolled back when it throws, or when `keep` refuses its result.
   * Resolved, it is on the disk. After a serialisation failure, a deadlock, or two that took one
   * place (a unique constraint), `work` is run again, so it must have no other effects; the look
   * before the insert then finds who was first.
   * ORDER: never within another's `work`, which would wait for its own end: see `Tables.nested`.
   * @param reach `tree`: it may change any number of rows; default `rows`: some
   * @throws StoreBusy when that does not end
   */
  write<T>(work: (tables: Tables) => Promise<T>, keep?: (result: T) => boolean, reach?: Reach): Promise<T>;
  /** A `write` that a power cut may undo, for what can be made again or lost. */
  writeUnsynced<T>(work: (tables: Tables) => Promise<T>): Promise<T>;
  /** Whose key it is, outside of any transaction. @param hash SHA-256 of the key */
  holder(hash: Buffer): Promise<Holder | undefined>;
  figures(): Promise<Figures>;
  /** How its connections stand at the moment. Left out: it has no pool of them. */
  pool?(): PoolFigures;
  /** Ends when every transaction under way has. */
  close(): Promise<void>;

  /** Indexes for search what was written, if that is not done with the write. */
  readonly indexing?: Indexing;
  /** Tells that something changed. Left out: nobody can listen. */
  readonly outbox?: Outbox;
  /** Space on this machine's disk that is kept for deletions. */
  readonly reserve?: ReservedSpace;
  /** Copies the database beside itself while it is used, if it is a file of this machine. */
  backup?(): Promise<BackupMade>;
  /** The whole database as it is between two transactions, if it fits into memory. */
  copy?(): Promise<Uint8Array>;
};

export type Reach = "rows" | "tree";

/** What an operator watches: documents of all workspaces, and what is to be indexed. */
export type Figures = { readonly documents: number; readonly indexing: number };

/** `waiting`: requests that have no connection yet. */
export type PoolFigures = { readonly connections: number; readonly idle: number; readonly waiting: number };

/** `file` is a name in the data folder. */
export type BackupMade = { readonly file: string; readonly bytes: number };

export type Outbox = {
  /**
   * Calls `listener` after each commit that may have added to `Tables.outbox`, here or elsewhere,
   * perhaps too often.
   * @returns what ends it
   */
  onChange(listener: () => void): () => void;
};

export type Indexing = {
  /** @param most what the step may cost, or `all`. @returns `done`: nothing is left */
  step(most: "a-step" | "all"): Promise<"done" | "more">;
};

export type ReservedSpace = {
  /** Reserves more if there is less than the disk can spare. */
  hold(): void;
  /** @returns whether there was any to release */
  release(): boolean;
  /** Bytes that are reserved now; null: there is no disk. */
  bytes(): number | null;
};

/**
 * Too many wanted the same rows, no connection was free, or the database is away. Answered 503; the
 * message is for the caller.
 */
export class StoreBusy extends Error {
  override readonly name: string = "StoreBusy";
  /** Whether a write may have been kept; false: nothing was done. */
  readonly mayBeKept: boolean = false;
}

/** The codes of SQLite and of PostgreSQL. */
const FULL: readonly unknown[] = ["SQLITE_FULL", "53100"];

/** Whether there was no space for a write, which is then rolled back. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && FULL.includes(error.code);
}
