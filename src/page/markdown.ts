/** Shows a document as HTML on a page. `render-markdown.ts` makes the HTML of the document. */

import { Html, html } from "./html.ts";

/** Address of a document on the site, to which the document's links are relative. */
export type LinkBase = {
  /** Address of the root folder of all documents; ends with a slash. */
  readonly files: string;
  /** Path of the document's folder, without slashes at its ends; "" for the root folder. */
  readonly folder: string;
};

/** Lines of a document, counted from 0, whose blocks get the CSS class `mark`. */
export type MarkedLines = { readonly mark: "gone" | "new"; readonly lines: readonly number[] };

export type RenderedMarkdown = {
  /** Content of the front matter, without its `---` lines; null if the document has none. */
  readonly frontMatter: string | null;
  /** HTML of the document, without elements and attributes that could harm the reader. */
  readonly body: string;
};

/** Shows a rendered document; the Markdown source of the document if `rendered` is null. */
export function renderDocument(rendered: RenderedMarkdown | null, source: string): Html {
  if (rendered === null) return html`<pre class="text" dir="auto">${source}</pre>`;
  return html`<article class="document" dir="auto">${renderContent(rendered)}</article>`;
}

function renderContent({ frontMatter, body }: RenderedMarkdown): Html {
  return html`${
    frontMatter !== null && html`<details><summary>Front matter</summary><pre>${frontMatter}</pre></details>`
  }${new Html(body)}`;
}
