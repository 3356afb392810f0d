/**
 * Builds statements for SQLite and PostgreSQL, and declares the port that runs them. Each statement
 * is written once; a part that differs between the two databases is a `SqlPart`. Parameters are
 * `$1`, `$2`, and so on. A list is one parameter, an array.
 */

export type SqlPart = { readonly sqlite: string; readonly postgres: string };

/** An SQL statement, which is prepared at most once on each connection. */
export type Sql<Row> = SqlPart & {
  /** Name of the prepared statement; null if PostgreSQL plans the statement again for each run. */
  readonly name: string | null;
  /** Type of a row of the result. Only the compiler uses this field, which is never set. */
  readonly row?: Row;
};

type SqlParts = readonly (string | number | SqlPart)[];

let statementCount = 0;

/** Returns a statement that is planned once on each connection. */
export function sql<Row = never>(texts: TemplateStringsArray, ...parts: SqlParts): Sql<Row> {
  return { name: `sql${++statementCount}`, ...joinSql(texts, ...parts) };
}

/** Returns a statement that PostgreSQL plans for each run: the best plan depends on values. */
export function sqlPlannedByValues<Row>(texts: TemplateStringsArray, ...parts: SqlParts): Sql<Row> {
  return { name: null, ...joinSql(texts, ...parts) };
}

export function joinSql(texts: TemplateStringsArray, ...parts: SqlParts): SqlPart {
  const joinText = (database: keyof SqlPart) =>
    String.raw({ raw: texts }, ...parts.map((part) => (typeof part === "object" ? part[database] : part)));
  return { sqlite: joinText("sqlite"), postgres: joinText("postgres") };
}

/**
 * LIMIT: number of characters of a path in PostgreSQL's index, because a row of the index has at
 * most 2,704 bytes. A path may have up to 16,000 bytes. The index finds a longer path by its
 * beginning; then the whole path is compared.
 */
const INDEXED_PATH_CHARACTERS = 500;
const cutToIndexed = (path: string) => `left(${path}, ${INDEXED_PATH_CHARACTERS})`;

/**
 * Returns the SQL condition that a column is equal to a path.
 * @param path placeholder of the parameter, such as `$2`
 */
export function isAt(column: string, path: string): SqlPart {
  const isEqual = `${column} = ${path}`;
  return { sqlite: isEqual, postgres: `${cutToIndexed(column)} = ${cutToIndexed(path)} AND ${isEqual}` };
}

export function isBelow(column: string, path: string): SqlPart {
  // "0" is the next character after "/". So the paths between "/" and "0" are exactly the paths
  // below the folder, and the database can use an index on (workspace, path).
  const [from, to] = [`${path} || '/'`, `${path} || '0'`];
  const isWithinRange = `${column} > ${from} AND ${column} < ${to}`;
  const isIndexed = `${cutToIndexed(column)} >= ${cutToIndexed(from)} AND ${cutToIndexed(column)} <= ${cutToIndexed(to)}`;
  return { sqlite: isWithinRange, postgres: `${isIndexed} AND ${isWithinRange}` };
}

export const isWithin = (column: string, path: string) => joinSql`(${isAt(column, path)} OR ${isBelow(column, path)})`;

export const isOneOf = (column: string, numbers: string): SqlPart => ({
  sqlite: `${column} IN (SELECT value FROM json_each(${numbers}))`,
  postgres: `${column} = ANY(${numbers}::bigint[])`,
});

/** Returns the SQL condition that a flag is true, for which both databases can use an index. */
export const isSet = (column: string): SqlPart => ({ sqlite: `${column} = 1`, postgres: column });

/** Returns the clause that makes SQLite use an index. PostgreSQL chooses an index by itself. */
export const useIndex = (index: string): SqlPart => ({ sqlite: `INDEXED BY ${index}`, postgres: "" });

/** Join operator that makes SQLite read the table on the left first. */
export const ORDERED_JOIN: SqlPart = { sqlite: "CROSS JOIN", postgres: "JOIN" };

export type Session = {
  /** Takes a lock until the end of the write. Does nothing if the database has only one writer. */
  lock(name: LockName, ...values: readonly unknown[]): void;
  /**
   * Returns the rows of a statement.
   * @throws the error of this statement, or of the first earlier statement that failed
   */
  all<Row>(statement: Sql<Row>, ...values: readonly unknown[]): Promise<Row[]>;
  one<Row>(statement: Sql<Row>, ...values: readonly unknown[]): Promise<Row | undefined>;
  /**
   * Runs a statement without reading rows. If the statement fails, a later `all`, or the commit,
   * throws its error.
   */
  send(statement: Sql<never>, ...values: readonly unknown[]): void;
};

/**
 * Names of locks. Until the end of the transaction, no other transaction can change the locked
 * data. So the next statement reads the latest state of these data.
 * - `structure`: the folder tree of a workspace (see `Tables.lockStructure`).
 * - `tree`: the files below a path of a workspace.
 * - `file`: a file, by its workspace and id; `fileOf`: the file of a change.
 * - `workspace`: everything in a workspace, before it is removed.
 */
export type LockName = "structure" | "tree" | "file" | "fileOf" | "workspace" | "keys" | "settings";

/** SQL for the path of a file `x` with its folder `d`. For a file in the root, `d` is null. */
export const FILE_PATH = "CASE x.folder WHEN 0 THEN x.name ELSE d.path || '/' || x.name END";
