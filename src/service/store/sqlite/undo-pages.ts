import type { Db } from "./database.ts";

/**
 * Where SQLite keeps pages as they were, to undo a statement or a savepoint until it has ended: in
 * memory. By itself it keeps 64 KiB there and the rest in a temporary file, and to create a
 * document changes some 16 pages of 4 KiB: most of the time of its insert went there.
 */
export class UndoPages {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
    this.#keep("MEMORY");
  }

  /** Runs a transaction that may change more pages than memory should hold. */
  async onDisk<T>(transaction: () => Promise<T>): Promise<T> {
    this.#keep("FILE");
    try {
      return await transaction();
    } finally {
      this.#keep("MEMORY");
    }
  }

  /** ORDER: between two transactions: it is decided when one begins to write. */
  #keep(where: "MEMORY" | "FILE"): void {
    this.#db.pragma(`temp_store = ${where}`);
  }
}
