import type { Digest } from "../contract/digest.ts";
import type { LinkBase, RenderedMarkdown } from "./markdown.ts";
import { Renderer } from "./renderer.ts";

/** LIMIT: rendered documents that are kept. */
const MOST = 16;

/** Renders documents in a thread, an unchanged one only once. */
export class Documents {
  readonly #renderer = new Renderer();
  /** The most recently used entry is last. */
  readonly #kept = new Map<string, Promise<RenderedMarkdown | null>>();

  /** Returns null if it takes too long, or too many wait; then the source is shown. */
  render({ text, digest }: { readonly text: string; readonly digest: Digest }, base: LinkBase) {
    const key = JSON.stringify([digest, base]);
    const rendered = this.#kept.get(key) ?? Promise.resolve(this.#renderer.render(text, base));
    this.#kept.delete(key);
    this.#kept.set(key, rendered);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST) this.#kept.delete(oldest!);
    return rendered;
  }

  close(): void {
    this.#renderer.close();
  }
}
