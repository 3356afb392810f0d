/**
 * What search needs of a database: prepared statements of SQLite with FTS5 (3.43 or later, for
 * `contentless_delete`), as better-sqlite3 gives them. Rows are objects by column name.
 */
export type SqlStatement = {
  run(...values: readonly unknown[]): unknown;
  get(...values: readonly unknown[]): unknown;
  all(...values: readonly unknown[]): readonly unknown[];
  /** Rows one at a time; leaving the loop ends the query. */
  iterate(...values: readonly unknown[]): Iterable<unknown>;
};

export type Sql = { prepare(sql: string): SqlStatement };
