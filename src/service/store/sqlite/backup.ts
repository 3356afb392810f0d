import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { FinishedBackup } from "../store.ts";
import type { Db } from "./database.ts";
import { limitJournal, keepJournal } from "./journal.ts";
import { ConnectionQueue } from "./group-commit.ts";

/** Name of the finished copy beside the database, until the requesting command moves it away. */
export const BACKUP_FILE = "backup.db";
const PORTION_BYTES = 1024 * 1024;

/**
 * Copies the database while it is in use. First writes the journal back into the database file. The
 * file then does not change until the copy is complete, because new writes stay in the journal.
 */
export class OnlineBackup {
  readonly #folder: string;
  readonly #db: Db;
  readonly #turns: ConnectionQueue;
  readonly #backups = new ConnectionQueue();
  /**
   * Open database file; null before the first backup. The file stays open until the database
   * closes: if a process closes any descriptor of a file, POSIX releases all locks of the process
   * on that file, and a second service could open the same folder.
   */
  #source: FileHandle | null = null;

  constructor(folder: string, db: Db, queue: ConnectionQueue) {
    this.#folder = folder;
    this.#db = db;
    this.#turns = queue;
  }

  /**
   * Makes a backup that contains every write acknowledged before the call. A call during a backup
   * waits until that backup has ended, then makes another one.
   */
  make(): Promise<FinishedBackup> {
    return this.#backups.take(() => this.#make());
  }

  /** Resolves when no backup is running. Does not reject if a backup failed. */
  ended(): Promise<void> {
    return this.#backups.take(async () => undefined);
  }

  /** ORDER: after the database was closed, because closing this file releases its lock. */
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
