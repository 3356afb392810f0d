/** The addresses of pages and actions. */

/** @param part below the mirror's page, encoded; "": that page */
export function mirrorAddress(name: string, part = ""): string {
  return `/m/${encodeURIComponent(name)}${part === "" ? "" : `/${part}`}`;
}

/** Where the changes of a page are told. @param here its address, with its query */
export function eventsAddress(here: string): string {
  return `/events${here}`;
}
