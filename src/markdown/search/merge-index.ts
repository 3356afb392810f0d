import type { Sql, SqlStatement } from "./sql.ts";

/** LIMIT: pages that one step merges, at most 2 ms of processor time. */
const PAGES = 8;
/** Of more steps at once, so many pages at a time. */
const MOST_PAGES = 1_000;

/**
 * No write merges by itself; a step merges what is four of a kind. Where the steps do not keep up,
 * FTS5 merges all at 64 of a kind, so that no search has more to look into.
 */
const SETTINGS = { automerge: 0, usermerge: 4, crisismerge: 64 } as const;

/**
 * Keeps the table of `KEY_SCHEMA` in few segments. By itself FTS5 merges while it writes, which now
 * and then makes the write of one short text take a tenth of a second; with this class each step of
 * indexing merges some pages, and a write none.
 */
export class IndexMerger {
  readonly #sql: Sql;
  readonly #automerge: SqlStatement;
  readonly #changes: SqlStatement;
  readonly #merge: SqlStatement;

  /** @param sql the table of `KEY_SCHEMA` */
  constructor(sql: Sql) {
    this.#sql = sql;
    this.#automerge = sql.prepare("SELECT v FROM search_keys_config WHERE k = 'automerge'");
    this.#changes = sql.prepare("SELECT total_changes() AS n");
    this.#merge = sql.prepare("INSERT INTO search_keys (search_keys, rank) VALUES ('merge', CAST(? AS INTEGER))");
  }

  /** Takes merging out of the writes, for good. Within a transaction, before its first write. */
  takeOver(): void {
    const kept = this.#automerge.get() as { v: number } | undefined;
    if (kept?.v === SETTINGS.automerge) return;
    for (const [name, value] of Object.entries(SETTINGS))
      this.#sql.prepare(`INSERT INTO search_keys (search_keys, rank) VALUES ('${name}', ${value})`).run();
  }

  /**
   * Within a transaction.
   * @param steps so many times the work of one step, Infinity for all that there is
   * @returns whether anything was merged: there may be more
   */
  merge(steps: number): boolean {
    for (let left = PAGES * steps; left > 0; left -= MOST_PAGES) {
      if (!this.#isWritten(Math.ceil(Math.min(MOST_PAGES, left)))) return false;
    }
    return true;
  }

  /** SQLite counts one change for a merge that found nothing to do. */
  #isWritten(pages: number): boolean {
    const before = this.#count();
    this.#merge.run(pages);
    return this.#count() - before > 1;
  }

  #count(): number {
    return (this.#changes.get() as { n: number }).n;
  }
}
