import type Sqlite from "better-sqlite3";

/**
 * Matches a parameter that a column is compared with. SQLite's planner uses its value, and so
 * prepares the statement again for each value: three quarters of the time of reading a file. A
 * unary plus leaves the value unchanged, but hides it from the planner.
 */
const COMPARED = /([=<>]) ([?@])/g;

/**
 * A statement of SQL that is prepared on its first run. A short-lived service runs few of about two
 * hundred statements, and preparing all took a third of its start.
 * @throws as better-sqlite3 does; an error in the SQL appears on the first run
 */
export class Statement<Values extends unknown[], Row> {
  readonly #sqlite: Sqlite.Database;
  readonly #sql: string;
  readonly #onRun: (() => void) | null;
  #prepared: Sqlite.Statement<Values, Row> | null = null;

  /** @param onRun called before each run of a statement that writes */
  constructor(sqlite: Sqlite.Database, sql: string, onRun: (() => void) | null) {
    this.#sqlite = sqlite;
    this.#sql = sql.replaceAll(COMPARED, "$1 +$2");
    this.#onRun = onRun;
  }

  get(...values: Values): Row | undefined {
    this.#onRun?.();
    return this.#ready().get(...values);
  }

  all(...values: Values): Row[] {
    this.#onRun?.();
    return this.#ready().all(...values);
  }

  /** Returns the first column of all rows; use such a statement for this method only. */
  column<Value>(...values: Values): Value[] {
    return this.#ready()
      .pluck()
      .all(...values) as unknown as Value[];
  }

  /** Yields rows one at a time; leaving the loop ends the query. */
  iterate(...values: Values): IterableIterator<Row> {
    return this.#ready().iterate(...values);
  }

  run(...values: Values): Sqlite.RunResult {
    this.#onRun?.();
    return this.#ready().run(...values);
  }

  #ready(): Sqlite.Statement<Values, Row> {
    this.#prepared ??= this.#sqlite.prepare<Values, Row>(this.#sql) as Sqlite.Statement<Values, Row>;
    return this.#prepared;
  }
}
