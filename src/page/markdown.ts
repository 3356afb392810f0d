/** A rendered document. `render-markdown.ts` makes its HTML and sanitises it. */

import { Html, html } from "./html.ts";

/** Place of a document, to which its links are relative. */
export type LinkBase = {
  /** Address of the workspace's root; ends with a slash. */
  readonly files: string;
  /** The document's folder, without a slash at its ends; "" is the root. */
  readonly folder: string;
};

/** Lines of a document, from 0, whose blocks get a mark. */
export type MarkedLines = { readonly mark: "gone" | "new"; readonly lines: readonly number[] };

export type RenderedMarkdown = {
  /** The front matter, without its `---` lines; null if the document has none. */
  readonly frontMatter: string | null;
  /** Sanitised HTML. */
  readonly body: string;
};

/**
 * Shows a document as people read it, or else its source.
 * @param rendered null if the document was not rendered
 */
export function documentOf(rendered: RenderedMarkdown | null, source: string): Html {
  if (rendered === null) return html`<pre class="text" dir="auto">${source}</pre>`;
  return html`<article class="document" dir="auto">${documentView(rendered)}</article>`;
}

function documentView({ frontMatter, body }: RenderedMarkdown): Html {
  return html`${
    frontMatter !== null && html`<details><summary>Front matter</summary><pre>${frontMatter}</pre></details>`
  }${new Html(body)}`;
}
