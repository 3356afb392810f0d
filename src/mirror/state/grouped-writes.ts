import { faultOf } from "./database.ts";
import { enterWal, flushCommits } from "./wal-mode.ts";
import { WithStatements } from "./statement.ts";

/**
 * LIMIT: writes in one commit, within a transaction of the state. In a long transaction, the WAL
 * would otherwise grow without limit.
 */
const GROUP_WRITES = 1_024;

/**
 * Transactions of the content store. Each write is committed immediately or, between `begin` and
 * `commit`, in groups.
 */
export class GroupedWrites extends WithStatements {
  readonly #begin = this.sql("BEGIN IMMEDIATE");
  readonly #commit = this.sql("COMMIT");
  readonly #rollback = this.sql("ROLLBACK");
  #inWal = false;
  #isGrouping = false;
  /** Number of writes in the group that is not committed yet. */
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
   * Called after the state rolled back. Stored contents are committed if possible, not rolled back.
   */
  abandon(): void {
    this.#isGrouping = false;
    try {
      this.commitGroup();
    } catch {
      // The caller already receives the exception that made the state roll back, and that exception
      // is the important one.
      if (this.db.inTransaction) this.#rollback.run();
    }
    this.#count = 0;
  }

  /** Writes in a separate commit, or as part of the present group. */
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
      // If a group was begun, the code that began it rolls it back.
      if (!written && !this.#isGrouping && this.db.inTransaction) this.#rollback.run();
    }
  }

  /**
   * Enters WAL mode before the first write. If a reader prevents that, commits are equally safe,
   * but slower.
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
   * Commits the present group.
   * @throws also if a failed write has rolled the group back and that exception was caught: rows
   * must not name missing contents
   */
  commitGroup(): void {
    if (this.#count === 0) return;
    this.#commit.run();
    this.#count = 0;
  }

  /** Makes everything that is committed survive a power loss. */
  secure(): void {
    this.commitGroup();
    if (this.db.memory) return;
    this.enterWal();
    flushCommits(this.db);
  }
}
