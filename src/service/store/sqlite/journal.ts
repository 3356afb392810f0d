import { MOST_RESERVED } from "./reserve.ts";

const PAGE_BYTES = 4_096;

/** The part of a database that its journal needs. */
type Pragmas = { pragma(text: string): unknown };

/** When what is in the journal is written back to the database file. */
export class Journal {
  readonly #db: Pragmas;
  #reserved = MOST_RESERVED;
  #isHeld = false;

  constructor(db: Pragmas) {
    this.#db = db;
  }

  /**
   * A checkpoint makes the database grow by as much as the journal holds, and the next changes need
   * as much again, so the journal may have half of the reserve.
   * LIMIT: the whole reserve is used from 4 MB on; what one large transaction takes beyond 16 MB is
   * returned to the disk.
   */
  bound(reserved: number): void {
    this.#reserved = reserved;
    this.#db.pragma(`journal_size_limit = ${2 * reserved}`);
    if (!this.#isHeld) this.#db.pragma(`wal_autocheckpoint = ${Math.floor(reserved / 2 / PAGE_BYTES)}`);
  }

  /**
   * Writes all of it back, and from then on nothing: the file stays as it is until `release`, and
   * what is written meanwhile makes the journal grow.
   * @throws when that is not possible, which is a bug: nobody else reads the file
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
