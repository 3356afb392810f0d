/** SQL fragments that statements of several tables share: parameters, and conditions on paths. */

/** A folder by its path, and everything below it. */
export type Subtree = { readonly workspace: number; readonly path: string };

/**
 * Returns a condition: the path in the column is below `@path`. "0" is the character after "/", so
 * the range has every path below, and can use an index on (workspace, path).
 */
export function isBelow(column: string): string {
  return `${column} > @path || '/' AND ${column} < @path || '0'`;
}

/** Returns a condition: the path in the column equals `@path`, or is below it. */
export function isWithin(column: string): string {
  return `(${column} = @path OR (${isBelow(column)}))`;
}

/** Path of a file `x`, whose folder is joined as `d`: the root has no row. */
export const FILE_PATH = "CASE x.folder WHEN 0 THEN x.name ELSE d.path || '/' || x.name END";
