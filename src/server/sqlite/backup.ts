import { constants } from "node:fs";
import { copyFile, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { BackupMade } from "../store.ts";
import type { Journal } from "./journal.ts";
import type { Turns } from "./turns.ts";

/** Beside the database, for whoever asked for it to take away. */
export const BACKUP_FILE = "backup.db";

/**
 * Copies the database while it is used. The journal is written back and then held, so that the file
 * does not change under the copy; the service goes on, into the journal.
 */
export class OnlineBackup {
  readonly #folder: string;
  readonly #journal: Journal;
  readonly #turns: Turns;
  #running: Promise<BackupMade> | null = null;

  constructor(folder: string, { journal, turns }: { readonly journal: Journal; readonly turns: Turns }) {
    this.#folder = folder;
    this.#journal = journal;
    this.#turns = turns;
  }

  /** Everything that was acknowledged before it is in it. Who asks meanwhile gets the next one. */
  async make(): Promise<BackupMade> {
    await this.ended();
    this.#running = this.#make();
    try {
      return await this.#running;
    } finally {
      this.#running = null;
    }
  }

  /** Resolves when none is under way, however it ended. */
  async ended(): Promise<void> {
    while (this.#running !== null) await this.#running.catch(() => undefined);
  }

  async #make(): Promise<BackupMade> {
    await this.#turns.take(async () => this.#journal.hold());
    try {
      return await copyDatabase(this.#folder);
    } finally {
      await this.#turns.take(async () => this.#journal.release());
    }
  }
}

async function copyDatabase(folder: string): Promise<BackupMade> {
  const fresh = join(folder, `${BACKUP_FILE}.new`);
  try {
    const file = await open(fresh, "w", 0o600);
    try {
      // Where the disk can share blocks, the copy takes none until something changes.
      await copyFile(join(folder, "service.db"), fresh, constants.COPYFILE_FICLONE);
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
