import type { Notice } from "../page/layout.ts";

/**
 * What is said on the page that follows a form. It is kept here and named in that page's address,
 * so that showing the page changes nothing, and no words of it come from an address.
 */

/** LIMIT: sentences that are kept. */
const MOST = 200;
const DIGITS = 16;

export class Said {
  readonly #random: (digits: number) => string;
  readonly #notices = new Map<string, Notice>();

  constructor(random: (digits: number) => string) {
    this.#random = random;
  }

  /** @returns the address of the page, with the sentence */
  at(to: string, notice: Notice | null): string {
    if (notice === null) return to;
    const id = this.#random(DIGITS);
    this.#notices.set(id, notice);
    const [oldest] = this.#notices.keys();
    if (this.#notices.size > MOST) this.#notices.delete(oldest!);
    const [path, fragment] = to.split("#", 2);
    return `${path}${path!.includes("?") ? "&" : "?"}said=${id}${fragment === undefined ? "" : `#${fragment}`}`;
  }

  of(query: URLSearchParams): Notice[] {
    const notice = this.#notices.get(query.get("said") ?? "");
    return notice === undefined ? [] : [notice];
  }
}
