/**
 * Returns an insert that rewrites a row with the same key in place, so that it keeps its place in
 * the order of arrival.
 */
export function upsert(table: string, key: string, columns: readonly string[]): string {
  const rest = columns.filter((column) => column !== key).map((column) => `${column} = excluded.${column}`);
  const marks = columns.map(() => "?").join(", ");
  return `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${marks}) ON CONFLICT (${key}) DO UPDATE SET ${rest.join(", ")}`;
}
