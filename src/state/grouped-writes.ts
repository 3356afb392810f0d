import { type Db, enterWal, faultOf } from "./database.ts";
import { Statement } from "./statement.ts";

/**
 * Within one transaction of the state, so many writes are one commit: a long one does not grow the
 * WAL without end.
 */
const GROUP_WRITES = 512;

/**
 * The transactions of the texts' file: each write is committed at once, or, between `begin` and
 * `commit`, in groups.
 */
export class GroupedWrites {
  readonly #db: Db;
  readonly #begin;
  readonly #commit;
  readonly #rollback;
  #inWal = false;
  #isGrouping = false;
  /** Writes of the group that is not committed yet. */
  #count = 0;

  constructor(db: Db) {
    this.#db = db;
    this.#begin = new Statement(db, "BEGIN IMMEDIATE");
    this.#commit = new Statement(db, "COMMIT");
    this.#rollback = new Statement(db, "ROLLBACK");
  }

  begin(): void {
    this.#isGrouping = true;
    this.#count = 0;
  }

  commit(): void {
    this.#isGrouping = false;
    this.commitGroup();
  }

  /** After the state rolled back: texts are not rolled back with it, if they can be committed. */
  abandon(): void {
    this.#isGrouping = false;
    try {
      this.commitGroup();
    } catch {
      // The exception that made the state roll back is on its way to the caller, and matters more.
      if (this.#db.inTransaction) this.#rollback.run();
    }
  }

  /** One commit, or a part of the group's. */
  write(work: () => void): void {
    this.enterWal();
    if (this.#isGrouping && this.#count >= GROUP_WRITES) this.commitGroup();
    if (!this.#isGrouping || this.#count === 0) this.#begin.run();
    if (this.#isGrouping) this.#count++;
    let written = false;
    try {
      work();
      if (!this.#isGrouping) this.#commit.run();
      written = true;
    } finally {
      // Of a group, whoever began it gives it up.
      if (!written && !this.#isGrouping && this.#db.inTransaction) this.#rollback.run();
    }
  }

  /**
   * WAL mode from the first write on. While a reader keeps the file from it, commits are as safe,
   * and slower.
   */
  enterWal(): void {
    if (this.#inWal || this.#db.inTransaction) return;
    try {
      enterWal(this.#db);
      this.#inWal = true;
    } catch (error) {
      if (faultOf(error)?.kind !== "unusable") throw error;
    }
  }

  /**
   * @throws also when a failed write had rolled the group back, were that exception caught: rows
   * must not name what is not there
   */
  commitGroup(): void {
    if (this.#count === 0) return;
    this.#commit.run();
    this.#count = 0;
  }
}
