import type { Digest } from "../contract/digest.ts";

/**
 * The texts that this process has shown or written, so that a stale edit can be told what changed
 * since. Memory alone.
 */

/** LIMIT: characters that are kept; the text that was used last is the last to go. */
const MOST = 8 * 1024 * 1024;

export class SeenTexts {
  readonly #texts = new Map<string, string>();
  #characters = 0;

  add(version: Digest, text: string): void {
    this.#drop(version);
    this.#texts.set(version, text);
    this.#characters += text.length;
    for (const oldest of this.#texts.keys()) {
      if (this.#characters <= MOST) break;
      this.#drop(oldest);
    }
  }

  /** null: it was not seen, or is no longer kept. */
  get(version: string): string | null {
    return this.#texts.get(version) ?? null;
  }

  #drop(version: string): void {
    const text = this.#texts.get(version);
    if (text === undefined) return;
    this.#texts.delete(version);
    this.#characters -= text.length;
  }
}
