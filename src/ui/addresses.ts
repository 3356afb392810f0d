/** The addresses of pages and actions. */

export const SIGN_OUT = "/sign-out";

type Query = Readonly<Record<string, string | number | null>>;

/** @param part below the mirror's page, encoded; "": that page */
export function mirrorAddress(name: string, part = "", query: Query = {}): string {
  return `/m/${encodeURIComponent(name)}${part === "" ? "" : `/${part}`}${queryOf(query)}`;
}

/**
 * A page of one document or folder.
 * @param part which one: `docs`, `history` …
 * @param path below the mirrored folder; "": that folder
 */
export function documentAddress(name: string, part: string, path: string, query: Query = {}): string {
  return mirrorAddress(name, documentPart(part, path), query);
}

/** The same, below the mirror's page. */
export function documentPart(part: string, path: string): string {
  return `${part}/${path.split("/").map(encodeURIComponent).join("/")}`;
}

/** Where the changes of a page are told. @param here its address, with its query */
export function eventsAddress(here: string): string {
  return `/events${here}`;
}

/** What is null is left out. */
function queryOf(query: Query): string {
  const given = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== null) given.set(key, String(value));
  return given.size === 0 ? "" : `?${given}`;
}
