export type Query = Readonly<Record<string, string | number | null>>;

/**
 * Returns an address with a query.
 * @param members names and values of the query; null leaves a name out
 */
export function withQuery(address: string, members: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) if (value !== null) parameters.set(name, String(value));
  return parameters.size === 0 ? address : `${address}?${parameters}`;
}

/** Percent-encodes each name of a path, and keeps the slashes. */
export function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}
