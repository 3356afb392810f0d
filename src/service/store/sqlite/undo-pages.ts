import type { Db } from "./database.ts";

/**
 * Keeps the old pages in memory that SQLite needs to undo a statement or savepoint. By default
 * SQLite keeps 64 KiB in memory and the rest in a temporary file. Creating a document changes about
 * 16 pages of 4 KiB, and the file took most of the insert's time.
 */
export class UndoPages {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
    this.#keep("MEMORY");
  }

  /** Runs a transaction that may change more pages than fit into memory. */
  async onDisk<T>(transaction: () => Promise<T>): Promise<T> {
    this.#keep("FILE");
    try {
      return await transaction();
    } finally {
      this.#keep("MEMORY");
    }
  }

  /**
   * ORDER: between two transactions: SQLite reads the setting at the first write of a transaction.
   */
  #keep(where: "MEMORY" | "FILE"): void {
    this.#db.pragma(`temp_store = ${where}`);
  }
}
