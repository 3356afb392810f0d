import type { Statement } from "../../../common/statement.ts";
import type { Session, Sql } from "../sql.ts";
import type { Db } from "./database.ts";

/**
 * The connection to SQLite. Each statement is prepared on its first run, because a short process
 * needs few statements. It is prepared only once, because better-sqlite3 frees statements only when
 * the database closes.
 */
export class SqliteSession implements Session {
  readonly #db: Db;
  readonly #statements = new Map<Sql<unknown>, Statement>();

  constructor(db: Db) {
    this.#db = db;
  }

  lock(): void {
    // Does nothing, because only one connection writes.
  }

  async all<Row>(statement: Sql<Row>, ...values: readonly unknown[]): Promise<Row[]> {
    return this.allNow(statement, ...values);
  }

  async one<Row>(statement: Sql<Row>, ...values: readonly unknown[]): Promise<Row | undefined> {
    return this.oneNow(statement, ...values);
  }

  send(statement: Sql<never>, ...values: readonly unknown[]): void {
    this.#prepared(statement).run(toParameters(values));
  }

  /** Runs a statement like `all`, but immediately, without waiting for other statements. */
  allNow<Row>(statement: Sql<Row>, ...values: readonly unknown[]): Row[] {
    return this.#prepared(statement).all(toParameters(values)) as Row[];
  }

  oneNow<Row>(statement: Sql<Row>, ...values: readonly unknown[]): Row | undefined {
    return this.#prepared(statement).get(toParameters(values)) as Row | undefined;
  }

  #prepared(statement: Sql<unknown>): Statement {
    const knownStatement = this.#statements.get(statement) ?? this.#db.statement(statement.sqlite);
    this.#statements.set(statement, knownStatement);
    return knownStatement;
  }
}

function toParameters(values: readonly unknown[]): object {
  return Object.fromEntries(values.map((value, index) => [index + 1, toSqliteValue(value)]));
}

function toSqliteValue(value: unknown): unknown {
  if (typeof value === "boolean") return value ? 1 : 0;
  return Array.isArray(value) ? JSON.stringify(value) : value;
}
