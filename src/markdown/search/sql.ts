/**
 * Prepared statement of SQLite, as in the package `better-sqlite3`. A row is an object with the
 * names of the columns. The search index needs SQLite 3.43, because it uses `contentless_delete` of
 * FTS5.
 */
export type SqlStatement = {
  run(...values: readonly unknown[]): unknown;
  get(...values: readonly unknown[]): unknown;
  all(...values: readonly unknown[]): readonly unknown[];
};

export type SqlDatabase = { prepare(sql: string): SqlStatement };
