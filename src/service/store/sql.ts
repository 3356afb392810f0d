/**
 * Statements that run on SQLite and on PostgreSQL, and the port that runs them. Each statement is
 * written once, in SQL that both understand; a `Dialect` has the parts that differ. Parameters are
 * `$1`, `$2`, and so on. A list is one parameter, an array.
 */

/** The SQL of one kind of database, where the two kinds differ. */
export type Dialect = {
  /**
   * Returns a condition: the path in the column equals the parameter.
   * @param path such as `$2`
   */
  isAt(column: string, path: string): string;
  /** Returns a condition: the path in the column is below the parameter. */
  isBelow(column: string, path: string): string;
  /** Returns a condition: the number in the column is one of a list. */
  isOneOf(column: string, numbers: string): string;
  /** Returns a condition: the flag in the column is set. Its form allows the use of an index. */
  isSet(column: string): string;
  /**
   * Returns the clause that makes SQLite use an index; "" for PostgreSQL, which chooses by itself.
   */
  indexedBy(index: string): string;
  /** Size of the database in bytes. */
  readonly size: string;
  /** A join whose left side is read first. */
  readonly join: "JOIN" | "CROSS JOIN";
};

/** A statement, prepared once on each connection that runs it. */
export type Sql<Row> = {
  /** Name of the prepared statement; null if each run is planned with its values. */
  readonly name: string | null;
  readonly text: (dialect: Dialect) => string;
  /** Type of a row; only for the compiler, never set. */
  readonly row?: Row;
};

/** A part of a statement: SQL for both kinds of database, or SQL that depends on the kind. */
type SqlPart = string | number | ((dialect: Dialect) => string);

let statements = 0;

/** Returns a statement that each connection plans once. */
export function sql<Row = never>(texts: TemplateStringsArray, ...parts: readonly SqlPart[]): Sql<Row> {
  return { name: `sql${++statements}`, text: sqlPart(texts, ...parts) };
}

/** Returns a statement that PostgreSQL plans for each run: its best plan depends on the values. */
export function sqlPlannedByValues<Row>(texts: TemplateStringsArray, ...parts: readonly SqlPart[]): Sql<Row> {
  return { name: null, text: sqlPart(texts, ...parts) };
}

export function sqlPart(texts: TemplateStringsArray, ...parts: readonly SqlPart[]) {
  return (dialect: Dialect): string =>
    String.raw({ raw: texts }, ...parts.map((part) => (typeof part === "function" ? part(dialect) : part)));
}

export const isAt = (column: string, path: string) => (dialect: Dialect) => dialect.isAt(column, path);
export const isBelow = (column: string, path: string) => (dialect: Dialect) => dialect.isBelow(column, path);
export const isOneOf = (column: string, numbers: string) => (dialect: Dialect) => dialect.isOneOf(column, numbers);
export const isSet = (column: string) => (dialect: Dialect) => dialect.isSet(column);
export const indexedBy = (index: string) => (dialect: Dialect) => dialect.indexedBy(index);
export const JOIN = ({ join }: Dialect) => join;

/** Returns a condition: the path in the column equals the parameter, or is below it. */
export const isWithin = (column: string, path: string) => sqlPart`(${isAt(column, path)} OR ${isBelow(column, path)})`;

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
