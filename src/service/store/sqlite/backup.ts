import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { BackupMade } from "../store.ts";
import type { Db } from "./database.ts";
import { boundJournal, holdJournal } from "./journal.ts";
import { ConnectionQueue } from "./group-commit.ts";

/** Name of the finished copy beside the database. The command that requested it moves it away. */
export const BACKUP_FILE = "backup.db";
/** Number of bytes that are read at a time. */
const PORTION_BYTES = 1024 * 1024;

/**
 * Copies the database while it is in use. First the journal is written back. Then no write-back
 * happens until the end, so that the file does not change during the copy. New writes stay in the
 * journal.
 */
export class OnlineBackup {
  readonly #folder: string;
  readonly #db: Db;
  readonly #turns: ConnectionQueue;
  readonly #backups = new ConnectionQueue();
  /**
   * The database file, from the first backup on. It stays open until the database closes: when a
   * process closes any descriptor of a file, POSIX releases all its locks on that file. A second
   * service could then open the same folder.
   */
  #source: FileHandle | null = null;

  constructor(folder: string, db: Db, queue: ConnectionQueue) {
    this.#folder = folder;
    this.#db = db;
    this.#turns = queue;
  }

  /**
   * Makes a backup with every write that was acknowledged before the call. A call during a backup
   * waits, and then makes another backup.
   */
  make(): Promise<BackupMade> {
    return this.#backups.take(() => this.#make());
  }

  /** Resolves when all backups have ended, after a success or a failure. */
  ended(): Promise<void> {
    return this.#backups.take(async () => undefined);
  }

  /**
   * Closes the database file. ORDER: called after the database was closed, because closing this
   * descriptor releases the database's lock.
   */
  async close(): Promise<void> {
    await this.#source?.close();
    this.#source = null;
  }

  async #make(): Promise<BackupMade> {
    this.#source ??= await open(join(this.#folder, "service.db"), "r");
    await this.#turns.take(async () => holdJournal(this.#db));
    try {
      return await copyDatabase(this.#source, this.#folder);
    } finally {
      await this.#turns.take(async () => boundJournal(this.#db));
    }
  }
}

async function copyDatabase(source: FileHandle, folder: string): Promise<BackupMade> {
  const fresh = join(folder, `${BACKUP_FILE}.new`);
  try {
    const file = await open(fresh, "w", 0o600);
    try {
      await copyBytes(source, file);
      await file.sync();
      const { size } = await file.stat();
      await rename(fresh, join(folder, BACKUP_FILE));
      return { file: BACKUP_FILE, bytes: size };
    } finally {
      await file.close();
    }
  } catch (error) {
    await rm(fresh, { force: true });
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
