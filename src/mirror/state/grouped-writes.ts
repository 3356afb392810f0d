import { faultOf } from "./database.ts";
import { enterWal, flushCommits } from "./wal-mode.ts";
import { WithStatements } from "./statement.ts";

/**
 * LIMIT: writes in one commit within a transaction of the state: a long one must not let the WAL
 * grow without end.
 */
const GROUP_WRITES = 1_024;

/**
 * Transactions of the file of contents. Each write is committed immediately or, between `begin` and
 * `commit`, in groups.
 */
export class GroupedWrites extends WithStatements {
  readonly #begin = this.sql("BEGIN IMMEDIATE");
  readonly #commit = this.sql("COMMIT");
  readonly #rollback = this.sql("ROLLBACK");
  #inWal = false;
  #isGrouping = false;
  /** Writes of the group that is not committed yet. */
  #count = 0;

  begin(): void {
    this.#isGrouping = true;
    this.#count = 0;
  }

  commit(): void {
    this.#isGrouping = false;
    this.commitGroup();
  }

  /**
   * Called after the state rolled back. Contents are not rolled back with it, if they can be
   * committed.
   */
  abandon(): void {
    this.#isGrouping = false;
    try {
      this.commitGroup();
    } catch {
      // The exception that made the state roll back is on its way to the caller, and is the one
      // that counts.
      if (this.db.inTransaction) this.#rollback.run();
    }
  }

  /** Writes in a commit of its own, or as part of the group's. */
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
      // Whoever began a group rolls it back.
      if (!written && !this.#isGrouping && this.db.inTransaction) this.#rollback.run();
    }
  }

  /**
   * Enters WAL mode before the first write. If a reader prevents that, commits are as safe, and
   * slower.
   */
  enterWal(): void {
    if (this.#inWal || this.db.inTransaction) return;
    try {
      enterWal(this.db);
      this.#inWal = true;
    } catch (error) {
      if (faultOf(error)?.kind !== "unusable") throw error;
    }
  }

  /**
   * @throws also if a failed write has rolled the group back and that exception was caught: rows
   * must not name missing contents
   */
  commitGroup(): void {
    if (this.#count === 0) return;
    this.#commit.run();
    this.#count = 0;
  }

  /** Makes everything that is committed survive a power cut. */
  secure(): void {
    this.commitGroup();
    if (this.db.memory) return;
    this.enterWal();
    flushCommits(this.db);
  }
}
