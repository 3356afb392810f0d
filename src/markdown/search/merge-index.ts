import type { Sql, SqlStatement } from "./sql.ts";

/** LIMIT: pages that one step merges, to bound its processor time. */
const PAGES = 8;
/** LIMIT: pages that one SQL statement merges. A call for many steps runs several statements. */
const MAX_PAGES = 1_000;

/**
 * Settings of FTS5. Writes never merge; a step merges levels with at least four segments. If the
 * steps fall behind, FTS5 merges any level that reaches 64 segments, which bounds the cost of
 * searches.
 */
const SETTINGS = { automerge: 0, usermerge: 4, crisismerge: 64 } as const;

/**
 * Keeps the table of `KEY_SCHEMA` in few segments. FTS5's own merging sometimes delays the write of
 * a short text. With this class, each indexing step merges some pages, and writes merge none.
 */
export class IndexMerger {
  readonly #sql: Sql;
  readonly #automerge: SqlStatement;
  readonly #changes: SqlStatement;
  readonly #merge: SqlStatement;

  /** @param sql database with the table of `KEY_SCHEMA` */
  constructor(sql: Sql) {
    this.#sql = sql;
    this.#automerge = sql.prepare("SELECT v FROM search_keys_config WHERE k = 'automerge'");
    this.#changes = sql.prepare("SELECT total_changes() AS n");
    this.#merge = sql.prepare("INSERT INTO search_keys (search_keys, rank) VALUES ('merge', CAST(? AS INTEGER))");
  }

  /** Disables merging by writes, permanently. Call it in a transaction, before its first write. */
  takeOver(): void {
    const current = this.#automerge.get() as { v: number } | undefined;
    if (current?.v === SETTINGS.automerge) return;
    for (const [name, value] of Object.entries(SETTINGS))
      this.#sql.prepare(`INSERT INTO search_keys (search_keys, rank) VALUES ('${name}', ${value})`).run();
  }

  /**
   * Merges segments. Call it in a transaction.
   * @param steps amount of work, in steps of `PAGES` pages; Infinity merges everything
   * @returns true if pages were merged, so that more may remain; false if nothing is left
   */
  merge(steps: number): boolean {
    for (let left = PAGES * steps; left > 0; left -= MAX_PAGES) {
      if (!this.#isWritten(Math.ceil(Math.min(MAX_PAGES, left)))) return false;
    }
    return true;
  }

  /**
   * Merges pages. Returns true if a page changed: SQLite counts one change even for a merge without
   * work, and more for any other.
   */
  #isWritten(pages: number): boolean {
    const before = this.#count();
    this.#merge.run(pages);
    return this.#count() - before > 1;
  }

  #count(): number {
    return (this.#changes.get() as { n: number }).n;
  }
}
