import type Sqlite from "better-sqlite3";
import { type RowMode, Statement } from "../../common/statement.ts";

/** Base class for tables. Prepares statements for one connection, and keeps them. */
export abstract class TableWithStatements {
  protected readonly db: Sqlite.Database;

  constructor(db: Sqlite.Database) {
    this.db = db;
  }

  protected sql<Values extends unknown[] | object = unknown[], Row = unknown>(sql: string, mode: RowMode = "rows") {
    return new Statement<Values, Row>(this.db, sql, mode);
  }
}

/**
 * Returns SQL that inserts a row, or updates the row with the same key. An updated row keeps its
 * position in the order of rows.
 */
export function makeUpsertSql(table: string, key: string, columns: readonly string[]): string {
  const updates = columns.filter((column) => column !== key).map((column) => `${column} = excluded.${column}`);
  const placeholders = columns.map(() => "?").join(", ");
  return `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${placeholders}) ON CONFLICT (${key}) DO UPDATE SET ${updates.join(", ")}`;
}
