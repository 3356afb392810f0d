import type Sqlite from "better-sqlite3";

/**
 * A statement of SQL that is prepared when it is first run: of some two hundred, a short life of
 * the service runs few, and to prepare them all was a third of what opening it took.
 * @throws what better-sqlite3 throws, faults of the text itself at the first run
 */
export class Statement<Values extends unknown[], Row> {
  readonly #sqlite: Sqlite.Database;
  readonly #sql: string;
  readonly #onRun: () => void;
  #prepared: Sqlite.Statement<Values, Row> | null = null;

  /** @param onRun told before each `run`: every write, and the ends of a transaction, are one */
  constructor(sqlite: Sqlite.Database, sql: string, onRun: () => void) {
    this.#sqlite = sqlite;
    this.#sql = sql;
    this.#onRun = onRun;
  }

  get(...values: Values): Row | undefined {
    return this.#ready().get(...values);
  }

  all(...values: Values): Row[] {
    return this.#ready().all(...values);
  }

  /** Rows one at a time; leaving the loop ends the query. */
  iterate(...values: Values): IterableIterator<Row> {
    return this.#ready().iterate(...values);
  }

  run(...values: Values): Sqlite.RunResult {
    this.#onRun();
    return this.#ready().run(...values);
  }

  #ready(): Sqlite.Statement<Values, Row> {
    this.#prepared ??= this.#sqlite.prepare<Values, Row>(this.#sql) as Sqlite.Statement<Values, Row>;
    return this.#prepared;
  }
}
