/** LIMIT: characters in memory, some 32 MB: the files of a workspace of 100,000. */
const HELD_CHARACTERS = 32 * 1024 * 1024;

/**
 * How files are shown in a list, by row number, until they change: to read a row, make an object of
 * it and write that as JSON is nine tenths of a list.
 */
export class ShownFiles {
  readonly #texts = new Map<number, string>();
  #characters = 0;

  get(seq: number): string | undefined {
    return this.#texts.get(seq);
  }

  add(seq: number, text: string): void {
    this.#texts.set(seq, text);
    this.#characters += text.length;
    // The oldest goes first: a Map keeps the order of insertion.
    for (const [old] of this.#texts) {
      if (this.#characters <= HELD_CHARACTERS) break;
      this.forget(old);
    }
  }

  forget(seq: number): void {
    const text = this.#texts.get(seq);
    if (text === undefined) return;
    this.#texts.delete(seq);
    this.#characters -= text.length;
  }

  /** What is in many of them has changed: the path of a folder. */
  forgetAll(): void {
    this.#texts.clear();
    this.#characters = 0;
  }
}
