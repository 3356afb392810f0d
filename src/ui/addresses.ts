import { encodePath, type Query, withQuery } from "../page/addresses.ts";

export const SIGN_OUT_PATH = "/sign-out";
export const LINK_PATH = "/link";

/**
 * Returns the address of a page about a linked folder. `part`: percent-encoded rest of the
 * address's path.
 */
export function mirrorAddress(name: string, part = "", query: Query = {}): string {
  return withQuery(`/m/${encodeURIComponent(name)}${part === "" ? "" : `/${part}`}`, query);
}

/**
 * Returns the address of a page about a document, or about a folder inside a linked folder.
 * @param part name of the page, such as `docs` or `history`
 * @param path "" for the linked folder itself
 */
export function documentAddress(name: string, part: string, path: string, query: Query = {}): string {
  return mirrorAddress(name, documentPart(part, path), query);
}

/** Returns the address of a page about a document, relative to the address of the linked folder. */
export function documentPart(part: string, path: string): string {
  return `${part}/${encodePath(path)}`;
}
