/** What the statements of several tables share. */

/**
 * LIMIT: characters of a path that its index holds. A row of an index has at most 2,704 bytes, a
 * path up to 16,000: what is longer than this is found by its beginning, and then compared whole.
 */
const INDEXED_PATH = 500;

function near(expression: string): string {
  return `left(${expression}, ${INDEXED_PATH})`;
}

/** The path in a column is that of a parameter. @param path such as `$2` */
export function isAt(column: string, path: string): string {
  return `${near(column)} = ${near(path)} AND ${column} = ${path}`;
}

/** The path in a column is one of those of a parameter, an array. */
export function isOneOf(column: string, paths: string): string {
  return `${near(column)} IN (SELECT ${near("each")} FROM unnest(${paths}::text[]) AS each) AND ${column} = ANY(${paths})`;
}

/**
 * The path in a column is below that of a parameter. "0" is the character after "/", so the range
 * holds every path below, and is found by the index on (workspace, beginning of the path).
 */
export function isBelow(column: string, path: string): string {
  const [from, to] = [`${path} || '/'`, `${path} || '0'`];
  return `${near(column)} >= ${near(from)} AND ${near(column)} <= ${near(to)} AND ${column} > ${from} AND ${column} < ${to}`;
}

/** The path in a column is that of a parameter, or below it. */
export function isWithin(column: string, path: string): string {
  return `(${isAt(column, path)} OR ${isBelow(column, path)})`;
}

/** The path of a file `x`, whose folder is joined as `d`: the root has no row. */
export const FILE_PATH = "CASE x.folder WHEN 0 THEN x.name ELSE d.path || '/' || x.name END";

/**
 * PostgreSQL holds no NUL in a text. Where people may write one (a label), it becomes the character
 * for what cannot be written, as half a surrogate pair does in UTF-8.
 */
export function writable(text: string): string {
  return text.replaceAll("\0", "\uFFFD");
}

/** Whether a text can be one of those in the database. */
export function isWritable(text: string): boolean {
  return !text.includes("\0");
}
