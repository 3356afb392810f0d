import type { Notice } from "./layout.ts";

/**
 * What is said on the page that follows a form. It is kept here, and that page's address names it:
 * so showing the page changes nothing, and nobody can write an address that says words of theirs.
 */

/** LIMIT: sentences that are kept. */
const MOST = 200;

export class Notices {
  readonly #secret: () => string;
  readonly #kept = new Map<string, Notice>();

  /** @param secret makes a text that an address can hold and nobody guesses */
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
    const [path, fragment] = to.split("#", 2);
    return `${path}${path!.includes("?") ? "&" : "?"}said=${id}${fragment === undefined ? "" : `#${fragment}`}`;
  }

  of(query: URLSearchParams): Notice[] {
    const notice = this.#kept.get(query.get("said") ?? "");
    return notice === undefined ? [] : [notice];
  }
}
