/**
 * Notices for the page that follows a form. They are stored, and the address of that page contains
 * only an id: so showing the page changes nothing, and nobody can make an address with words of
 * their own.
 */

import { BoundedMap } from "../common/bounded-map.ts";
import type { Notice } from "./layout.ts";

/** LIMIT: notices that are kept. */
const MAX_NOTICES = 200;

export class Notices {
  readonly #secret: () => string;
  readonly #kept = new BoundedMap<string, Notice>(MAX_NOTICES);

  /** @param secret returns an unguessable id for a notice, in characters that a URL may contain */
  constructor(secret: () => string) {
    this.#secret = secret;
  }

  /** Returns the address of the page, with the notice. */
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
