import { refuse } from "../../common/trouble.ts";
import { parentOf } from "../../contract/path.ts";
import { html } from "../../page/html.ts";
import { renderDocument } from "../../page/markdown.ts";
import type { UiPage } from "../page.ts";
import { readRequestedPath } from "../parts.ts";
import { DOCS_ADDRESS, toDocAddress, readUserDoc, SUBJECTS, readTitle } from "../user-docs.ts";

export const USER_DOCS_PAGE: UiPage = {
  path: DOCS_ADDRESS,
  isLive: false,
  show: () => ({
    title: "Help · mdmirror",
    main: html`<h1>Help</h1>
${Object.entries(SUBJECTS).map(
  ([subject, names]) => html`<h2>${subject}</h2>
<ul>${names.map((name) => html`<li><a href="${toDocAddress(name)}">${readTitle(name, readUserDoc(name) ?? "")}</a></li>`)}</ul>`,
)}`,
  }),
};

/** Shows one document of the documentation. If it cannot be rendered now, shows its source. */
export const USER_DOC_PAGE: UiPage = {
  path: `${DOCS_ADDRESS}/*`,
  isLive: false,
  async show({ documents }, request) {
    const name = readRequestedPath(request);
    const text = readUserDoc(name);
    if (text === null) return refuse(`no document is named ${name}`, "open the list of documents: Help");
    const rendered = await documents.render(text, { files: toDocAddress(""), folder: parentOf(name) });
    return {
      title: `${readTitle(name, text)} · Help · mdmirror`,
      main: html`<p><a href="${DOCS_ADDRESS}">All documents</a></p>
${renderDocument(rendered, text)}`,
    };
  },
};
