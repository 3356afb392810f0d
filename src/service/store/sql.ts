/**
 * Builds statements that run on SQLite and on PostgreSQL, and declares the port that runs them.
 * Each statement is written once; parts that differ are a `SqlPart`. Parameters are `$1`, `$2`, and
 * so on; a list is one parameter, an array.
 */

export type SqlPart = { readonly sqlite: string; readonly postgres: string };

/** A statement, which each connection prepares once. */
export type Sql<Row> = SqlPart & {
  /** Name of the prepared statement; null if the database plans each run by its values. */
  readonly name: string | null;
  /** Type of a result row, for the compiler only; never set. */
  readonly row?: Row;
};

type SqlParts = readonly (string | number | SqlPart)[];

let statementCount = 0;

/** Returns a statement that is planned once on each connection. */
export function sql<Row = never>(texts: TemplateStringsArray, ...parts: SqlParts): Sql<Row> {
  return { name: `sql${++statementCount}`, ...joinSql(texts, ...parts) };
}

/** Returns a statement that PostgreSQL plans for each run: its best plan depends on the values. */
export function sqlPlannedByValues<Row>(texts: TemplateStringsArray, ...parts: SqlParts): Sql<Row> {
  return { name: null, ...joinSql(texts, ...parts) };
}

export function joinSql(texts: TemplateStringsArray, ...parts: SqlParts): SqlPart {
  const joinText = (database: keyof SqlPart) =>
    String.raw({ raw: texts }, ...parts.map((part) => (typeof part === "object" ? part[database] : part)));
  return { sqlite: joinText("sqlite"), postgres: joinText("postgres") };
}

/**
 * LIMIT: characters of a path in PostgreSQL's index, because an index row has at most 2,704 bytes,
 * and a path up to 16,000. A longer path is found by its beginning, then compared completely.
 */
const INDEXED_PATH_CHARACTERS = 500;
const cutToIndexed = (path: string) => `left(${path}, ${INDEXED_PATH_CHARACTERS})`;

/** @param path placeholder of the parameter, such as `$2` */
export function isAt(column: string, path: string): SqlPart {
  const isEqual = `${column} = ${path}`;
  return { sqlite: isEqual, postgres: `${cutToIndexed(column)} = ${cutToIndexed(path)} AND ${isEqual}` };
}

export function isBelow(column: string, path: string): SqlPart {
  // "0" is the character after "/", so this range contains every path below the folder, and the
  // database can use an index on (workspace, path).
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

/** Returns the SQL condition that a flag is set, in a form for which an index can be used. */
export const isSet = (column: string): SqlPart => ({ sqlite: `${column} = 1`, postgres: column });

/** Returns the clause that makes SQLite use an index. PostgreSQL chooses by itself. */
export const useIndex = (index: string): SqlPart => ({ sqlite: `INDEXED BY ${index}`, postgres: "" });

/** Join operator that makes SQLite read the table on the left first. */
export const ORDERED_JOIN: SqlPart = { sqlite: "CROSS JOIN", postgres: "JOIN" };

/** Returns true if a statement changes nothing. */
export function isReading(text: string): boolean {
  return /^\s*(?:SELECT|WITH)\b/.test(text);
}

export type Session = {
  /** Takes a lock in a write, if the database can have several writers. */
  lock(name: LockName, ...values: readonly unknown[]): void;
  /** @throws the error of this statement, or of the first earlier statement that failed */
  all<Row>(statement: Sql<Row>, ...values: readonly unknown[]): Promise<Row[]>;
  one<Row>(statement: Sql<Row>, ...values: readonly unknown[]): Promise<Row | undefined>;
  /** Runs a statement without reading rows. A later `all`, or the commit, may throw its error. */
  send(statement: Sql<never>, ...values: readonly unknown[]): void;
};

/**
 * Names of locks. Until the end of the transaction, no other transaction can change the locked
 * rows, so the next statement reads their latest state.
 * - `structure`: the folder tree of a workspace (see `Tables.lockStructure`).
 * - `tree`: the files below a path of a workspace.
 * - `file`: a file, by its workspace and id; `fileOf`: the file of a change.
 * - `workspace`: everything in a workspace, before it is removed.
 */
export type LockName = "structure" | "tree" | "file" | "fileOf" | "workspace" | "keys" | "settings";

/** SQL for the path of a file `x` with its folder `d`. A file in the root has no `d`. */
export const FILE_PATH = "CASE x.folder WHEN 0 THEN x.name ELSE d.path || '/' || x.name END";
