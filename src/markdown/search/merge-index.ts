import type { SqlDatabase, SqlStatement } from "./sql.ts";

/** LIMIT: number of database pages that one step merges, so that a step is short. */
const PAGES_PER_STEP = 8;
/**
 * LIMIT: number of database pages that one SQL statement merges, so that a statement is short. More
 * pages need several statements.
 */
const MAX_PAGES_PER_STATEMENT = 1_000;

/**
 * Settings of FTS5, which stores its index as segments in several levels.
 * - `automerge`: writes merge no segments
 * - `usermerge`: a step merges levels with at least four segments
 * - `crisismerge`: FTS5 itself merges a level with 64 segments, so that searches never become slow
 */
const FTS_SETTINGS = { automerge: 0, usermerge: 4, crisismerge: 64 } as const;

/**
 * Merges the segments of the search index in small steps, so that searches stay fast. Otherwise
 * FTS5 itself would sometimes merge many segments while a short document is written.
 */
export class IndexMerger {
  readonly #sql: SqlDatabase;
  readonly #selectAutomerge: SqlStatement;
  readonly #selectChanges: SqlStatement;
  readonly #mergeStatement: SqlStatement;

  constructor(sql: SqlDatabase) {
    this.#sql = sql;
    this.#selectAutomerge = sql.prepare("SELECT v FROM search_keys_config WHERE k = 'automerge'");
    this.#selectChanges = sql.prepare("SELECT total_changes() AS n");
    this.#mergeStatement = sql.prepare(
      "INSERT INTO search_keys (search_keys, rank) VALUES ('merge', CAST(? AS INTEGER))",
    );
  }

  /**
   * Applies `FTS_SETTINGS`, so that writes merge no segments. The caller must call this in a
   * transaction, before its first write.
   */
  takeOver(): void {
    const automergeRow = this.#selectAutomerge.get() as { v: number } | undefined;
    if (automergeRow?.v === FTS_SETTINGS.automerge) return;
    for (const [name, value] of Object.entries(FTS_SETTINGS))
      this.#sql.prepare(`INSERT INTO search_keys (search_keys, rank) VALUES ('${name}', ${value})`).run();
  }

  /**
   * Merges segments. The caller must call this in a transaction.
   * @param steps number of steps; infinity to merge everything
   * @returns false if nothing is left to merge
   */
  merge(steps: number): boolean {
    for (let left = PAGES_PER_STEP * steps; left > 0; left -= MAX_PAGES_PER_STATEMENT) {
      if (!this.#mergePages(Math.ceil(Math.min(MAX_PAGES_PER_STATEMENT, left)))) return false;
    }
    return true;
  }

  /**
   * Returns true if a page was merged. SQLite counts one change for a merge without any work, and
   * more than one for a merge of pages.
   */
  #mergePages(pages: number): boolean {
    const before = this.#countChanges();
    this.#mergeStatement.run(pages);
    return this.#countChanges() - before > 1;
  }

  #countChanges(): number {
    return (this.#selectChanges.get() as { n: number }).n;
  }
}
