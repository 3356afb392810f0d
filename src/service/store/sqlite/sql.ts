/** What the statements of several tables share: parameters, and conditions on paths. */

/** A folder by its path, with all that is below it. */
export type Subtree = { readonly workspace: number; readonly path: string };

/**
 * The path in a column is below `@path`. "0" is the character after "/", so the range holds every
 * path below, and can use an index on (workspace, path).
 */
export function isBelow(column: string): string {
  return `${column} > @path || '/' AND ${column} < @path || '0'`;
}

/** The path in a column is `@path`, or below it. */
export function isWithin(column: string): string {
  return `(${column} = @path OR (${isBelow(column)}))`;
}

/** The path of a file `x`, whose folder is joined as `d`: the root has no row. */
export const FILE_PATH = "CASE x.folder WHEN 0 THEN x.name ELSE d.path || '/' || x.name END";
