import type { Digest } from "../contract/digest.ts";
import type { LinkBase, RenderedMarkdown } from "./markdown.ts";
import { Renderer } from "./renderer.ts";

/** LIMIT: documents that are kept as they were rendered. */
const MOST = 16;

/** Documents as people read them, rendered in a thread; one that did not change is not again. */
export class Documents {
  readonly #renderer = new Renderer();
  /** The one that was used last at the end. */
  readonly #kept = new Map<string, Promise<RenderedMarkdown | null>>();

  /** @returns null: it takes too long, or too many wait; its text is there all the same */
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
