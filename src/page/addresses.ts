/** Parts of addresses. */

export type Query = Readonly<Record<string, string | number | null>>;

/**
 * Adds a query to an address.
 * @param members values of the query; members that are null are left out
 */
export function withQuery(address: string, members: Query): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) if (value !== null) given.set(name, String(value));
  return given.size === 0 ? address : `${address}?${given}`;
}

/** Encodes the names of a path for an address. */
export function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}
