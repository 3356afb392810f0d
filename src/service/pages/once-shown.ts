/**
 * Keeps the secret of a new key between the form that makes the key and the page that shows the
 * secret once. No address contains the secret, and no page shows it again.
 */

/** LIMIT: secrets that have not been shown yet. */
const MOST = 50;

type NewText = { readonly label: string; readonly text: string };

export class OnceShown {
  readonly #secret: () => string;
  readonly #kept = new Map<string, NewText & { readonly csrf: string }>();

  constructor(secret: () => string) {
    this.#secret = secret;
  }

  /**
   * Keeps a secret.
   * @param csrf token of the session that may see it
   * @returns the ticket with which the page takes the secret
   */
  keep(csrf: string, text: NewText): string {
    const ticket = this.#secret();
    this.#kept.set(ticket, { ...text, csrf });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST) this.#kept.delete(oldest!);
    return ticket;
  }

  /**
   * Returns a secret once.
   * @returns null if it was shown already, or belongs to another session
   */
  take(csrf: string, ticket: string): NewText | null {
    const kept = this.#kept.get(ticket);
    if (kept === undefined || kept.csrf !== csrf) return null;
    this.#kept.delete(ticket);
    return kept;
  }
}
