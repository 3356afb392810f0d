/**
 * What two services name differently: ids, keys, cursors. By the order in which they come, each
 * gets one name that is the same for both; so answers can be compared, and requests written for
 * both.
 */

const NAMED =
  /\b(?:doc|dir|chg|key|wsp|req)_[a-z0-9]{14,20}\b|\bcur_[\w-]{32}|\bmdm_[\w-]{43}|(?<="nextCursor":")\d+(?=")/g;
const ALIAS = /~[a-z]+~\d+~/g;

export class Aliases {
  readonly #aliases = new Map<string, string>();
  readonly #real = new Map<string, string>();

  /** The text with every name replaced. */
  conceal(text: string): string {
    return text.replace(NAMED, (real) => {
      const known = this.#aliases.get(real);
      if (known !== undefined) return known;
      const alias = `~${/^[a-z]+/.exec(real)?.[0] ?? "page"}~${this.#aliases.size}~`;
      this.#aliases.set(real, alias);
      this.#real.set(alias, real);
      return alias;
    });
  }

  /** The text with the names of this service. */
  reveal(text: string): string {
    return text.replace(ALIAS, (alias) => this.#real.get(alias) ?? alias);
  }
}
