/** SQL fragments that statements of several tables share. */

/**
 * LIMIT: characters of a path in its index. An index row has at most 2,704 bytes, a path up to
 * 16,000. A longer path is found by its beginning, and then compared completely.
 */
const INDEXED_PATH = 500;

function near(expression: string): string {
  return `left(${expression}, ${INDEXED_PATH})`;
}

/**
 * Returns a condition: the path in the column equals the parameter.
 * @param path such as `$2`
 */
export function isAt(column: string, path: string): string {
  return `${near(column)} = ${near(path)} AND ${column} = ${path}`;
}

/** Returns a condition: the path in the column is one of an array parameter. */
export function isOneOf(column: string, paths: string): string {
  return `${near(column)} IN (SELECT ${near("each")} FROM unnest(${paths}::text[]) AS each) AND ${column} = ANY(${paths})`;
}

/**
 * Returns a condition: the path in the column is below the parameter. "0" is the character after
 * "/", so the range has every path below, and uses the index on (workspace, beginning of the path).
 */
export function isBelow(column: string, path: string): string {
  const [from, to] = [`${path} || '/'`, `${path} || '0'`];
  return `${near(column)} >= ${near(from)} AND ${near(column)} <= ${near(to)} AND ${column} > ${from} AND ${column} < ${to}`;
}

/** Returns a condition: the path in the column equals the parameter, or is below it. */
export function isWithin(column: string, path: string): string {
  return `(${isAt(column, path)} OR ${isBelow(column, path)})`;
}

/** Path of a file `x`, whose folder is joined as `d`: the root has no row. */
export const FILE_PATH = "CASE x.folder WHEN 0 THEN x.name ELSE d.path || '/' || x.name END";

/**
 * Replaces NUL, which PostgreSQL cannot store, by the replacement character, as UTF-8 does with
 * half a surrogate pair. For text that people may type, such as a label.
 */
export function writable(text: string): string {
  return text.replaceAll("\0", "\uFFFD");
}

/** Tells whether the database can store a text. */
export function isWritable(text: string): boolean {
  return !text.includes("\0");
}
