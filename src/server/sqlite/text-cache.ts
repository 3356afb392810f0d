/** LIMIT: characters in memory, some 32 to 64 MB: the live texts of a workspace of 40,000 notes. */
const HELD_CHARACTERS = 32 * 1024 * 1024;

/**
 * Texts of changes, by id. A change never gets another text, so no entry is ever out of date. For
 * work that reads many texts repeatedly: a regex without a literal reads every one.
 */
export class TextCache {
  readonly #texts = new Map<string, string>();
  #characters = 0;

  get(changeId: string): string | undefined {
    return this.#texts.get(changeId);
  }

  add(changeId: string, text: string): void {
    this.#texts.set(changeId, text);
    this.#characters += text.length;
    // The oldest goes first: a Map keeps the order of insertion.
    for (const [id, old] of this.#texts) {
      if (this.#characters <= HELD_CHARACTERS) break;
      this.#texts.delete(id);
      this.#characters -= old.length;
    }
  }
}
