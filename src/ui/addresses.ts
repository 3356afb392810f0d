/** The addresses of pages and actions. */

export const SIGN_OUT = "/sign-out";

type Query = Readonly<Record<string, string | number | null>>;

/** @param part what follows the mirror's own address, encoded */
export function mirrorAddress(name: string, part = "", query: Query = {}): string {
  return `/m/${encodeURIComponent(name)}${part === "" ? "" : `/${part}`}${queryOf(query)}`;
}

/**
 * A page of one document or folder.
 * @param part which page: `docs`, `history` …
 * @param path relative to the mirrored folder; "" is that folder
 */
export function documentAddress(name: string, part: string, path: string, query: Query = {}): string {
  return mirrorAddress(name, documentPart(part, path), query);
}

/** The same, below the mirror's page. */
export function documentPart(part: string, path: string): string {
  return `${part}/${path.split("/").map(encodeURIComponent).join("/")}`;
}

/**
 * Where a page gets its changes from.
 * @param here the page's address, with its query
 */
export function eventsAddress(here: string): string {
  return `/events${here}`;
}

/** Leaves out what is null. */
function queryOf(query: Query): string {
  const given = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== null) given.set(key, String(value));
  return given.size === 0 ? "" : `?${given}`;
}
