import type Sqlite from "better-sqlite3";

/**
 * A parameter that a column is compared with. As it stands, SQLite's planner looks at its value,
 * and so prepares the statement anew each time that one is bound: three quarters of the time of
 * reading a file. A plus changes no value, and hides it.
 */
const COMPARED = /([=<>]) ([?@])/g;

/**
 * A statement of SQL that is prepared when it first runs. A short life of the service runs few of
 * some two hundred, and preparing them all took a third of its opening.
 * @throws as better-sqlite3 does; a fault of the text itself at the first run
 */
export class Statement<Values extends unknown[], Row> {
  readonly #sqlite: Sqlite.Database;
  readonly #sql: string;
  readonly #onRun: (() => void) | null;
  #prepared: Sqlite.Statement<Values, Row> | null = null;

  /** @param onRun called before each `run` */
  constructor(sqlite: Sqlite.Database, sql: string, onRun: (() => void) | null) {
    this.#sqlite = sqlite;
    this.#sql = sql.replaceAll(COMPARED, "$1 +$2");
    this.#onRun = onRun;
  }

  get(...values: Values): Row | undefined {
    return this.#ready().get(...values);
  }

  all(...values: Values): Row[] {
    return this.#ready().all(...values);
  }

  /** The first column of all rows; a statement that is asked so is asked for nothing else. */
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
