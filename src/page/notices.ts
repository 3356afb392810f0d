/**
 * Notices for the page that follows a form. The address of that page has only the id of a stored
 * notice. So nobody can make an address whose page shows words of their own.
 */

import { BoundedMap } from "../common/bounded-map.ts";
import type { Notice } from "./layout.ts";

/** LIMIT: number of notices that are kept, so that memory stays bounded. */
const MAX_NOTICES = 200;

export class Notices {
  readonly #secret: () => string;
  readonly #kept = new BoundedMap<string, Notice>(MAX_NOTICES);

  /** @param secret returns an id for addresses that nobody can guess */
  constructor(secret: () => string) {
    this.#secret = secret;
  }

  /** Stores a notice. Returns the address `to`, with the id of the notice. */
  at(to: string, notice: Notice | null): string {
    if (notice === null) return to;
    const id = this.#secret();
    this.#kept.set(id, notice);
    const [path, fragment] = to.split("#", 2);
    return `${path}${path!.includes("?") ? "&" : "?"}message=${id}${fragment === undefined ? "" : `#${fragment}`}`;
  }

  of(query: URLSearchParams): Notice[] {
    const notice = this.#kept.get(query.get("message") ?? "");
    return notice === undefined ? [] : [notice];
  }
}
