import { rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ReservedSpace } from "../store.ts";

/**
 * LIMIT: number of reserved bytes: twice the size at which SQLite writes the journal back into the
 * database (`limitJournal`). The database and the next journal may each grow by that size.
 */
const RESERVED_BYTES = 8 * 1024 * 1024;
/** Number of bytes that must be free on the disk before space is reserved. */
export const MIN_FREE_BYTES = 2 * RESERVED_BYTES;

/**
 * Reserved disk space, which the service releases when the disk is full. Documents can then still
 * be deleted, although a deletion first needs space in the journal.
 */
export class Reserve implements ReservedSpace {
  readonly #file: string;
  readonly #free: () => number;

  /**
   * @param folder absolute path of the data folder
   * @param readFree returns the number of free bytes on the disk
   */
  constructor(folder: string, readFree: () => number = () => readFreeBytes(folder)) {
    this.#file = join(folder, "reserve");
    this.#free = readFree;
    this.reserve();
  }

  reserve(): void {
    if (readSize(this.#file) >= RESERVED_BYTES || this.#free() < MIN_FREE_BYTES) return;
    try {
      // The file is filled with zeros, because a file without written content would reserve no
      // space.
      writeFileSync(this.#file, Buffer.alloc(RESERVED_BYTES), { mode: 0o600 });
    } catch {
      // If the disk has too little space, the partly written file is removed.
      rmSync(this.#file, { force: true });
    }
  }

  release(): boolean {
    if (readSize(this.#file) === 0) return false;
    rmSync(this.#file, { force: true });
    return true;
  }

  bytes(): number {
    return readSize(this.#file);
  }
}

function readSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function readFreeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

const PAGE_BYTES = 4_096;

type PragmaRunner = { pragma(text: string): unknown };

/**
 * Limits the size of the journal. SQLite writes the journal back into the database when the journal
 * is half as large as the reserved disk space. The database may then grow by the size of the
 * journal, and the next changes need as much space again. After a large transaction, SQLite
 * shortens a journal of more than 16 MB.
 * LIMIT: if a journal has more than 4 MB, writing it back may need more than the reserved 8 MB.
 */
export function limitJournal(db: PragmaRunner): void {
  db.pragma(`journal_size_limit = ${2 * RESERVED_BYTES}`);
  db.pragma(`wal_autocheckpoint = ${RESERVED_BYTES / 2 / PAGE_BYTES}`);
}

/**
 * Writes the whole journal back into the database file. Then the file does not change until
 * `limitJournal` is called; meanwhile, the journal grows.
 * @throws if the journal cannot be written back, which is a bug, because no other process reads the
 * file
 */
export function keepJournal(db: PragmaRunner): void {
  const [result] = db.pragma("wal_checkpoint(TRUNCATE)") as { readonly busy: number }[];
  if (result?.busy !== 0) throw new Error("the journal of service.db could not be written back");
  db.pragma("wal_autocheckpoint = 0");
}
