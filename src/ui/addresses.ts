/** Addresses of pages and actions. */

import { encodePath, type Query, withQuery } from "../page/addresses.ts";

export const SIGN_OUT = "/sign-out";
export const LINK = "/link";

/**
 * Returns the address of a page about one linked folder.
 * @param part encoded path below the folder's own address
 */
export function mirrorAddress(name: string, part = "", query: Query = {}): string {
  return withQuery(`/m/${encodeURIComponent(name)}${part === "" ? "" : `/${part}`}`, query);
}

/**
 * Returns the address of a page about one document or folder.
 * @param part name of the page: `docs`, `history` …
 * @param path relative to the linked folder; "" is that folder
 */
export function documentAddress(name: string, part: string, path: string, query: Query = {}): string {
  return mirrorAddress(name, documentPart(part, path), query);
}

/** Returns the path of a page about a document or folder, relative to the linked folder's page. */
export function documentPart(part: string, path: string): string {
  return `${part}/${encodePath(path)}`;
}
