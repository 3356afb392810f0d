import { BoundedMap } from "../../common/bounded-map.ts";
import type { Digest } from "../../contract/digest.ts";

/**
 * The texts that were used last, bounded by their size in memory: a pass often reads what it just
 * wrote.
 */
export class TextCache {
  readonly #texts: BoundedMap<Digest, string>;
  readonly #maxBytes: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#texts = new BoundedMap(maxBytes, bytesOf);
  }

  get(digest: Digest): string | undefined {
    const text = this.#texts.get(digest);
    // The one that was used last is the last to go.
    if (text !== undefined) this.#texts.set(digest, text);
    return text;
  }

  has(digest: Digest): boolean {
    return this.#texts.has(digest);
  }

  set(digest: Digest, text: string): void {
    if (!this.#texts.has(digest) && bytesOf(text) <= this.#maxBytes) this.#texts.set(digest, text);
  }

  delete(digest: Digest): void {
    this.#texts.delete(digest);
  }

  clear(): void {
    this.#texts.clear();
  }
}

/** An upper bound: a string takes one or two bytes a unit, and some for itself. */
function bytesOf(text: string): number {
  return text.length * 2 + 128;
}
