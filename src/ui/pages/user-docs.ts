import { ok, trouble } from "../../common/trouble.ts";
import { parentOf } from "../../contract/path.ts";
import { html } from "../../page/html.ts";
import { documentView, type RenderedMarkdown } from "../../page/markdown.ts";
import { definePage } from "../page.ts";
import { requestedPath } from "../path-parts.ts";
import { DOCS_ADDRESS, docAddress, readUserDoc, SUBJECTS, titleOf } from "../user-docs.ts";

type Listed = { readonly name: string; readonly title: string };

/** Lists the documents for users, by subject. */
export const USER_DOCS = definePage<readonly (readonly [subject: string, documents: readonly Listed[]])[]>({
  path: DOCS_ADDRESS,
  isLive: false,
  async look() {
    return ok(Object.entries(SUBJECTS).map(([subject, names]) => [subject, names.map(listed)] as const));
  },
  show: (subjects) => ({
    title: "Help · mdmirror",
    here: DOCS_ADDRESS,
    main: html`<h1>Help</h1>
${subjects.map(
  ([subject, documents]) => html`<h2>${subject}</h2>
<ul>${documents.map(({ name, title }) => html`<li><a href="${docAddress(name)}">${title}</a></li>`)}</ul>`,
)}`,
  }),
});

function listed(name: string): Listed {
  return { name, title: titleOf(name, readUserDoc(name) ?? "") };
}

type Model = {
  readonly title: string;
  readonly text: string;
  /** Rendered document; null if the renderer is overloaded: then the source is shown. */
  readonly rendered: RenderedMarkdown | null;
};

/** Shows one document for users. */
export const USER_DOC = definePage<Model>({
  path: `${DOCS_ADDRESS}/*`,
  isLive: false,
  async look({ documents }, { params }) {
    const name = requestedPath(params);
    const text = readUserDoc(name);
    if (text === null) return trouble("usage", `no document is named ${name}`, "open the list of documents: Help");
    const base = { files: docAddress(""), folder: parentOf(name) };
    const rendered = await documents.render(text, base);
    return ok({ title: titleOf(name, text), text, rendered });
  },
  show: ({ title, text, rendered }) => ({
    title: `${title} · Help · mdmirror`,
    main: html`<p><a href="${DOCS_ADDRESS}">All documents</a></p>
${
  rendered === null
    ? html`<pre class="text">${text}</pre>`
    : html`<article class="document">${documentView(rendered)}</article>`
}`,
  }),
});
