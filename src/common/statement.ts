import type Sqlite from "better-sqlite3";

type RunResult = Sqlite.RunResult;

/** Form of a result row: an object (`rows`), an array (`raw`), or its first column (`pluck`). */
export type RowMode = "rows" | "raw" | "pluck";

/**
 * An SQL statement, which is prepared on its first run, because most commands run few of the
 * statements of a database.
 * @throws errors of better-sqlite3; errors in the SQL are thrown only by the first run
 */
export class Statement<Values extends unknown[] | object = unknown[], Row = unknown> {
  readonly #db: Sqlite.Database;
  readonly #sql: string;
  readonly #mode: RowMode;
  #prepared: Sqlite.Statement<unknown[], Row> | null = null;

  constructor(db: Sqlite.Database, sql: string, mode: RowMode = "rows") {
    this.#db = db;
    this.#sql = sql;
    this.#mode = mode;
  }

  get(...values: ArgumentsOf<Values>): Row | undefined {
    return this.#preparedOnce().get(...values);
  }

  all(...values: ArgumentsOf<Values>): Row[] {
    return this.#preparedOnce().all(...values);
  }

  run(...values: ArgumentsOf<Values>): RunResult {
    return this.#preparedOnce().run(...values);
  }

  #preparedOnce(): Sqlite.Statement<unknown[], Row> {
    this.#prepared ??= this.#prepare();
    return this.#prepared;
  }

  #prepare(): Sqlite.Statement<unknown[], Row> {
    const preparedStatement = this.#db.prepare<unknown[], Row>(this.#sql);
    if (this.#mode === "raw") preparedStatement.raw();
    if (this.#mode === "pluck") preparedStatement.pluck();
    return preparedStatement as Sqlite.Statement<unknown[], Row>;
  }
}

type ArgumentsOf<Values> = Values extends unknown[] ? Values : [Values];
