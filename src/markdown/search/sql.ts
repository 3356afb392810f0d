/**
 * A prepared statement of SQLite, as better-sqlite3 provides it. Search needs FTS5 of SQLite 3.43
 * or later, for `contentless_delete`. Rows are objects by column name.
 */
export type SqlStatement = {
  run(...values: readonly unknown[]): unknown;
  get(...values: readonly unknown[]): unknown;
  all(...values: readonly unknown[]): readonly unknown[];
};

export type Sql = { prepare(sql: string): SqlStatement };
