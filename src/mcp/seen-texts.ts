import type { Digest } from "../contract/digest.ts";

/**
 * Keeps contents that this process has shown or written, to report what changed since an outdated
 * edit. In memory only.
 */

/** LIMIT: characters that are kept; the least recently used content is removed first. */
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

  /** Returns the content of a version; null if that version was not seen, or is no longer kept. */
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
