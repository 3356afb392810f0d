import type { Statement } from "../../../common/statement.ts";
import type { Dialect, Session, Sql } from "../sql.ts";
import type { Db } from "./database.ts";

const SQLITE: Dialect = {
  isAt: (column, path) => `${column} = ${path}`,
  // "0" is the character after "/", so the range has every path below, and can use an index on
  // (workspace, path).
  isBelow: (column, path) => `${column} > ${path} || '/' AND ${column} < ${path} || '0'`,
  isOneOf: (column, numbers) => `${column} IN (SELECT value FROM json_each(${numbers}))`,
  isSet: (column) => `${column} = 1`,
  indexedBy: (index) => `INDEXED BY ${index}`,
  size: "(SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size())",
  join: "CROSS JOIN",
};

/**
 * The connection to SQLite. A statement is prepared on its first run, because a short-lived service
 * runs few of them. It is prepared only once, because better-sqlite3 frees statements only when the
 * database closes.
 */
export class SqliteSession implements Session {
  readonly #db: Db;
  readonly #statements = new Map<Sql<unknown>, Statement>();

  constructor(db: Db) {
    this.#db = db;
  }

  lock(): void {
    // Only one connection writes, so no locks are needed.
  }

  async all<Row>(statement: Sql<Row>, ...values: readonly unknown[]): Promise<Row[]> {
    return this.allNow(statement, ...values);
  }

  async one<Row>(statement: Sql<Row>, ...values: readonly unknown[]): Promise<Row | undefined> {
    return this.oneNow(statement, ...values);
  }

  send(statement: Sql<never>, ...values: readonly unknown[]): void {
    this.#prepared(statement).run(bound(values));
  }

  /** Runs a statement immediately, as `all` does, before any other statement of this process. */
  allNow<Row>(statement: Sql<Row>, ...values: readonly unknown[]): Row[] {
    return this.#prepared(statement).all(bound(values)) as Row[];
  }

  oneNow<Row>(statement: Sql<Row>, ...values: readonly unknown[]): Row | undefined {
    return this.#prepared(statement).get(bound(values)) as Row | undefined;
  }

  #prepared(statement: Sql<unknown>): Statement {
    const known = this.#statements.get(statement) ?? this.#db.statement(statement.text(SQLITE));
    this.#statements.set(statement, known);
    return known;
  }
}

/** Returns an object with each value by the number of its parameter (`?1`). */
function bound(values: readonly unknown[]): object {
  return Object.fromEntries(values.map((value, index) => [index + 1, boundAs(value)]));
}

function boundAs(value: unknown): unknown {
  if (typeof value === "boolean") return value ? 1 : 0;
  return Array.isArray(value) ? JSON.stringify(value) : value;
}
