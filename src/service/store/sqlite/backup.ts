import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { FinishedBackup } from "../store.ts";
import type { Db } from "./database.ts";
import { limitJournal, keepJournal } from "./journal.ts";
import { ConnectionQueue } from "./group-commit.ts";

/**
 * Name of the complete copy. It is beside the database until the command that requested the copy
 * moves it away.
 */
export const BACKUP_FILE = "backup.db";
const PORTION_BYTES = 1024 * 1024;

/**
 * Copies the database while it is in use. First, the journal is written back into the database
 * file. Then new writes stay in the journal, so that the file does not change while it is copied.
 */
export class OnlineBackup {
  readonly #folder: string;
  readonly #db: Db;
  readonly #turns: ConnectionQueue;
  readonly #backups = new ConnectionQueue();
  /**
   * Open database file; null before the first backup. The file stays open until the database
   * closes. If a process closes a file, POSIX releases all locks that the process has on this file.
   * A second service could then open the same folder.
   */
  #source: FileHandle | null = null;

  constructor(folder: string, db: Db, queue: ConnectionQueue) {
    this.#folder = folder;
    this.#db = db;
    this.#turns = queue;
  }

  /**
   * Makes a backup with every write that was acknowledged before the call. If another backup is
   * running, waits until it has ended, and then makes a new one.
   */
  make(): Promise<FinishedBackup> {
    return this.#backups.take(() => this.#make());
  }

  /** Resolves when no backup is running, even if the last backup failed. */
  ended(): Promise<void> {
    return this.#backups.take(async () => undefined);
  }

  /**
   * ORDER: called after the database was closed, because closing this file releases the lock of the
   * database.
   */
  async close(): Promise<void> {
    await this.#source?.close();
    this.#source = null;
  }

  async #make(): Promise<FinishedBackup> {
    this.#source ??= await open(join(this.#folder, "service.db"), "r");
    await this.#turns.take(async () => keepJournal(this.#db));
    try {
      return await copyDatabase(this.#source, this.#folder);
    } finally {
      await this.#turns.take(async () => limitJournal(this.#db));
    }
  }
}

async function copyDatabase(source: FileHandle, folder: string): Promise<FinishedBackup> {
  const temporaryFile = join(folder, `${BACKUP_FILE}.new`);
  try {
    const file = await open(temporaryFile, "w", 0o600);
    try {
      await copyBytes(source, file);
      await file.sync();
      const { size } = await file.stat();
      await rename(temporaryFile, join(folder, BACKUP_FILE));
      return { file: BACKUP_FILE, bytes: size };
    } finally {
      await file.close();
    }
  } catch (error) {
    await rm(temporaryFile, { force: true });
    throw error;
  }
}

async function copyBytes(from: FileHandle, to: FileHandle): Promise<void> {
  const buffer = Buffer.allocUnsafe(PORTION_BYTES);
  for (let offset = 0; ; ) {
    const { bytesRead } = await from.read(buffer, 0, PORTION_BYTES, offset);
    if (bytesRead === 0) return;
    await to.writeFile(buffer.subarray(0, bytesRead));
    offset += bytesRead;
  }
}
