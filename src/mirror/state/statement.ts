import type Sqlite from "better-sqlite3";

type Result = Sqlite.RunResult;
type Mode = "rows" | "raw" | "pluck";

/**
 * A SQL statement that is prepared on its first run. A short run needs only a few of some sixty
 * statements.
 * @throws as better-sqlite3 does; faults of the SQL itself at the first run
 */
export class Statement<Values extends unknown[] | object = unknown[], Row = unknown> {
  readonly #db: Sqlite.Database;
  readonly #sql: string;
  readonly #mode: Mode;
  #prepared: Sqlite.Statement<unknown[], Row> | null = null;

  /**
   * Keeps the SQL.
   * @param mode a row as an object, as an array of its columns (`raw`), or its first column
   * (`pluck`)
   */
  constructor(db: Sqlite.Database, sql: string, mode: Mode = "rows") {
    this.#db = db;
    this.#sql = sql;
    this.#mode = mode;
  }

  get(...values: ArgumentsOf<Values>): Row | undefined {
    return this.#ready().get(...values);
  }

  all(...values: ArgumentsOf<Values>): Row[] {
    return this.#ready().all(...values);
  }

  run(...values: ArgumentsOf<Values>): Result {
    return this.#ready().run(...values);
  }

  #ready(): Sqlite.Statement<unknown[], Row> {
    this.#prepared ??= this.#prepare();
    return this.#prepared;
  }

  #prepare(): Sqlite.Statement<unknown[], Row> {
    const made = this.#db.prepare<unknown[], Row>(this.#sql);
    if (this.#mode === "raw") made.raw();
    if (this.#mode === "pluck") made.pluck();
    return made as Sqlite.Statement<unknown[], Row>;
  }
}

type ArgumentsOf<Values> = Values extends unknown[] ? Values : [Values];

/** Base of classes that keep statements of one connection. */
export abstract class WithStatements {
  protected readonly db: Sqlite.Database;

  constructor(db: Sqlite.Database) {
    this.db = db;
  }

  protected sql<Values extends unknown[] | object = unknown[], Row = unknown>(sql: string, mode: Mode = "rows") {
    return new Statement<Values, Row>(this.db, sql, mode);
  }
}

/**
 * Returns the SQL of an insert. A row with the same key is rewritten, so that it keeps its place in
 * the order of arrival.
 */
export function upsert(table: string, key: string, columns: readonly string[]): string {
  const rest = columns.filter((column) => column !== key).map((column) => `${column} = excluded.${column}`);
  const marks = columns.map(() => "?").join(", ");
  return `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${marks}) ON CONFLICT (${key}) DO UPDATE SET ${rest.join(", ")}`;
}
