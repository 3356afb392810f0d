import type { Dialect } from "../sql.ts";

/**
 * LIMIT: characters of a path in its index. An index row has at most 2,704 bytes, a path up to
 * 16,000. A longer path is found by its beginning, and then compared completely.
 */
const INDEXED_PATH = 500;

function near(expression: string): string {
  return `left(${expression}, ${INDEXED_PATH})`;
}

export const POSTGRES: Dialect = {
  isAt: (column, path) => `${near(column)} = ${near(path)} AND ${column} = ${path}`,
  // "0" is the character after "/", so the range has every path below, and uses the index on
  // (workspace, beginning of the path).
  isBelow(column, path) {
    const [from, to] = [`${path} || '/'`, `${path} || '0'`];
    return `${near(column)} >= ${near(from)} AND ${near(column)} <= ${near(to)} AND ${column} > ${from} AND ${column} < ${to}`;
  },
  isOneOf: (column, numbers) => `${column} = ANY(${numbers}::bigint[])`,
  isSet: (column) => column,
  by: () => "",
  join: "JOIN",
};
