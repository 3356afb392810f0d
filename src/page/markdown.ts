import { Html, html } from "./html.ts";

/** A document as people read it. Its HTML is made by `render-markdown.ts`, which sanitises it. */

/** Where a document is, so that its links lead to others of its workspace. */
export type LinkBase = {
  /** The address of the workspace's root; ends with a slash. */
  readonly files: string;
  /** The document's folder, without a slash at its ends; "" is the root. */
  readonly folder: string;
};

export type RenderedMarkdown = {
  /** What stands above the document, between `---` lines; null: nothing does. */
  readonly frontMatter: string | null;
  /** Sanitised. */
  readonly body: string;
};

export function documentView({ frontMatter, body }: RenderedMarkdown): Html {
  return html`${
    frontMatter !== null && html`<details><summary>Front matter</summary><pre>${frontMatter}</pre></details>`
  }${new Html(body)}`;
}
