import { MOST_RESERVED } from "./reserve.ts";

const PAGE_BYTES = 4_096;

/** Part of a database that its journal needs. */
type Pragmas = { pragma(text: string): unknown };

/** Decides when the journal is written back to the database file. */
export class Journal {
  readonly #db: Pragmas;
  #reserved = MOST_RESERVED;
  #isHeld = false;

  constructor(db: Pragmas) {
    this.#db = db;
  }

  /**
   * Limits the journal to half of the reserve. A checkpoint makes the database grow by the size of
   * the journal, and the next changes need as much again. LIMIT: from 4 MB on, the whole reserve is
   * used. After one large transaction, space beyond 16 MB is returned to the disk.
   */
  bound(reserved: number): void {
    this.#reserved = reserved;
    this.#db.pragma(`journal_size_limit = ${2 * reserved}`);
    if (!this.#isHeld) this.#db.pragma(`wal_autocheckpoint = ${Math.floor(reserved / 2 / PAGE_BYTES)}`);
  }

  /**
   * Writes the whole journal back. Until `release`, no further write-back happens: the database
   * file does not change, and the journal grows.
   * @throws if the journal cannot be written back, which is a bug, because no other process reads
   * the file
   */
  hold(): void {
    const [told] = this.#db.pragma("wal_checkpoint(TRUNCATE)") as { readonly busy: number }[];
    if (told?.busy !== 0) throw new Error("the journal of service.db could not be written back");
    this.#db.pragma("wal_autocheckpoint = 0");
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    this.bound(this.#reserved);
  }
}
