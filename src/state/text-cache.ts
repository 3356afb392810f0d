import type { Digest } from "../model/digest.ts";

/**
 * The texts that were used last, bounded by their size in memory: a pass often reads what it just
 * wrote. A Map keeps the order of insertion.
 */
export class TextCache {
  readonly #texts = new Map<Digest, string>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(digest: Digest): string | undefined {
    const text = this.#texts.get(digest);
    if (text !== undefined) {
      this.#texts.delete(digest);
      this.#texts.set(digest, text);
    }
    return text;
  }

  has(digest: Digest): boolean {
    return this.#texts.has(digest);
  }

  set(digest: Digest, text: string): void {
    if (this.#texts.has(digest) || bytesOf(text) > this.#maxBytes) return;
    this.#texts.set(digest, text);
    this.#bytes += bytesOf(text);
    for (const oldest of this.#texts.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.delete(oldest);
    }
  }

  delete(digest: Digest): void {
    const text = this.#texts.get(digest);
    if (text === undefined) return;
    this.#texts.delete(digest);
    this.#bytes -= bytesOf(text);
  }

  clear(): void {
    this.#texts.clear();
    this.#bytes = 0;
  }
}

/** An upper bound: a string takes one or two bytes a unit, and some for itself. */
function bytesOf(text: string): number {
  return text.length * 2 + 128;
}
