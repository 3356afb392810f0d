/**
 * Statements that run on SQLite and on PostgreSQL, and the port that runs them. Each statement is
 * written once, in SQL that both understand; some parts of it differ. Parameters are `$1`, `$2`,
 * and so on. A list is one parameter, an array.
 */

/** SQL for each kind of database. */
export type SqlPart = { readonly sqlite: string; readonly postgres: string };

/** A statement, prepared once on each connection that runs it. */
export type Sql<Row> = SqlPart & {
  /** Name of the prepared statement; null if each run is planned with its values. */
  readonly name: string | null;
  /** Type of a row; only for the compiler, never set. */
  readonly row?: Row;
};

type Parts = readonly (string | number | SqlPart)[];

let statements = 0;

/** Returns a statement that each connection plans once. */
export function sql<Row = never>(texts: TemplateStringsArray, ...parts: Parts): Sql<Row> {
  return { name: `sql${++statements}`, ...sqlPart(texts, ...parts) };
}

/** Returns a statement that PostgreSQL plans for each run: its best plan depends on the values. */
export function sqlPlannedByValues<Row>(texts: TemplateStringsArray, ...parts: Parts): Sql<Row> {
  return { name: null, ...sqlPart(texts, ...parts) };
}

export function sqlPart(texts: TemplateStringsArray, ...parts: Parts): SqlPart {
  const textFor = (database: keyof SqlPart) =>
    String.raw({ raw: texts }, ...parts.map((part) => (typeof part === "object" ? part[database] : part)));
  return { sqlite: textFor("sqlite"), postgres: textFor("postgres") };
}

/**
 * LIMIT: characters of a path in PostgreSQL's index. An index row has at most 2,704 bytes, a path
 * up to 16,000. A longer path is found by its beginning, and then compared completely.
 */
const INDEXED_PATH = 500;
const indexed = (path: string) => `left(${path}, ${INDEXED_PATH})`;

/**
 * Returns a condition: the path in the column equals the parameter.
 * @param path such as `$2`
 */
export function isAt(column: string, path: string): SqlPart {
  const isEqual = `${column} = ${path}`;
  return { sqlite: isEqual, postgres: `${indexed(column)} = ${indexed(path)} AND ${isEqual}` };
}

/** Returns a condition: the path in the column is below the parameter. */
export function isBelow(column: string, path: string): SqlPart {
  // "0" is the character after "/", so the range has every path below, and can use an index on
  // (workspace, path).
  const [from, to] = [`${path} || '/'`, `${path} || '0'`];
  const isWithinRange = `${column} > ${from} AND ${column} < ${to}`;
  const isIndexed = `${indexed(column)} >= ${indexed(from)} AND ${indexed(column)} <= ${indexed(to)}`;
  return { sqlite: isWithinRange, postgres: `${isIndexed} AND ${isWithinRange}` };
}

/** Returns a condition: the path in the column equals the parameter, or is below it. */
export const isWithin = (column: string, path: string) => sqlPart`(${isAt(column, path)} OR ${isBelow(column, path)})`;

/** Returns a condition: the number in the column is one of a list. */
export const isOneOf = (column: string, numbers: string): SqlPart => ({
  sqlite: `${column} IN (SELECT value FROM json_each(${numbers}))`,
  postgres: `${column} = ANY(${numbers}::bigint[])`,
});

/** Returns a condition: the flag in the column is set. Its form allows the use of an index. */
export const isSet = (column: string): SqlPart => ({ sqlite: `${column} = 1`, postgres: column });

/** Returns the clause that makes SQLite use an index; PostgreSQL chooses by itself. */
export const indexedBy = (index: string): SqlPart => ({ sqlite: `INDEXED BY ${index}`, postgres: "" });

/** A join whose left side is read first. */
export const JOIN: SqlPart = { sqlite: "CROSS JOIN", postgres: "JOIN" };

/** Returns true if a statement only reads. */
export function isReading(text: string): boolean {
  return /^\s*(?:SELECT|WITH)\b/.test(text);
}

/** A connection within one transaction. */
export type Session = {
  /** Takes a lock, if this is a write on a database with several writers. */
  lock(name: LockName, ...values: readonly unknown[]): void;
  /**
   * Runs a statement and returns its rows.
   * @throws the error of this statement, or of the first earlier statement that failed
   */
  all<Row>(statement: Sql<Row>, ...values: readonly unknown[]): Promise<Row[]>;
  one<Row>(statement: Sql<Row>, ...values: readonly unknown[]): Promise<Row | undefined>;
  /** Runs a statement without reading rows. A later `all`, or the commit, may report its error. */
  send(statement: Sql<never>, ...values: readonly unknown[]): void;
};

/**
 * Names of locks, which last until the end of the transaction. A lock prevents other transactions
 * from changing the rows, so that the next statement reads their latest state.
 * - `structure`: the structure of a workspace, as `Tables.lockStructure` promises.
 * - `tree`: the files of the subtree at a path of a workspace.
 * - `file`: a file by its workspace and id; `fileOf`: the file of a change.
 * - `workspace`: everything in a workspace that is to be removed.
 */
export type LockName = "structure" | "tree" | "file" | "fileOf" | "workspace" | "keys" | "settings";

/** Path of a file `x`, whose folder is joined as `d`: the root has no row. */
export const FILE_PATH = "CASE x.folder WHEN 0 THEN x.name ELSE d.path || '/' || x.name END";
