/**
 * Texts of new keys, between the form that makes a key and the page that shows it, once. They are
 * in no address and in no page that could be asked for again.
 */

/** LIMIT: keys whose text nobody has looked at yet. */
const MOST = 50;

type NewText = { readonly label: string; readonly text: string };

export class OnceShown {
  readonly #secret: () => string;
  readonly #kept = new Map<string, NewText & { readonly csrf: string }>();

  constructor(secret: () => string) {
    this.#secret = secret;
  }

  /** @param csrf of the session that may see it @returns what it is asked for by */
  keep(csrf: string, text: NewText): string {
    const ticket = this.#secret();
    this.#kept.set(ticket, { ...text, csrf });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST) this.#kept.delete(oldest!);
    return ticket;
  }

  /** @returns null: it was shown already, or is another's */
  take(csrf: string, ticket: string): NewText | null {
    const kept = this.#kept.get(ticket);
    if (kept === undefined || kept.csrf !== csrf) return null;
    this.#kept.delete(ticket);
    return kept;
  }
}
