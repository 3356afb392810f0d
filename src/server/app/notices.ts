import type { Notice } from "../../page/layout.ts";

/**
 * What is said on the page that follows a form. It is kept here and named in that page's address,
 * so that showing the page changes nothing, and no words of it come from an address.
 */

/** LIMIT: sentences that are kept. */
const MOST = 200;

export class Notices {
  readonly #secret: () => string;
  readonly #kept = new Map<string, Notice>();

  constructor(secret: () => string) {
    this.#secret = secret;
  }

  /** @returns the address of the page, with the sentence */
  at(to: string, notice: Notice | null): string {
    if (notice === null) return to;
    const id = this.#secret();
    this.#kept.set(id, notice);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST) this.#kept.delete(oldest!);
    return `${to}${to.includes("?") ? "&" : "?"}said=${id}`;
  }

  of(query: URLSearchParams): Notice[] {
    const notice = this.#kept.get(query.get("said") ?? "");
    return notice === undefined ? [] : [notice];
  }
}
