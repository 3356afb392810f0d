export type Query = Readonly<Record<string, string | number | null>>;

/** Returns an address with a query. Null leaves a member of the query out. */
export function withQuery(address: string, members: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) if (value !== null) parameters.set(name, String(value));
  return parameters.size === 0 ? address : `${address}?${parameters}`;
}

export function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}
