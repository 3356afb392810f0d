import { findQueryFault, searchMirror } from "../../mirror/operations/search.ts";
import { HYBRID_SEARCH_LIMITS, REGEX_SEARCH_LIMITS } from "../../contract/limits.ts";
import { plural } from "../../common/quantities.ts";
import { html, type Html } from "../../page/html.ts";
import { renderFoundDocuments, renderName, renderNextStep, renderSentence } from "../../page/parts.ts";
import { documentAddress, mirrorAddress } from "../addresses.ts";
import type { Folder } from "../folders.ts";
import { makeFolderPage, type Ui } from "../page.ts";

/** Shows search results. Writes nothing but the search index. */
export const SEARCH_PAGE = makeFolderPage({
  path: "/m/:name/search",
  section: "search",
  isLive: false,
  async show(ui, folder, request) {
    const { name } = folder;
    const query = request.query.get("q") ?? "";
    const isRegex = request.query.get("regex") !== null;
    return {
      title: `${query.trim() === "" ? "Search" : `${query}: search`} · ${name} · mdmirror`,
      scripts: ["search.js"],
      main: html`<h1>Search in ${renderName(name)}</h1>
<form id="search" role="search" method="get" action="${mirrorAddress(name, "search")}" class="row">
<label for="q">Words or parts of words</label>
<input id="q" type="search" name="q" value="${query}" dir="auto" autocomplete="off" spellcheck="false" autofocus aria-controls="found">
<label class="check"><input type="checkbox" name="regex"${isRegex && html` checked`}>regular expression (RE2)</label>
<button>Search</button>
</form>
<p id="announcement-found" role="status" class="unseen"></p>
<p id="slow" class="faint" hidden>Searching …</p>
<p id="failed" role="alert" class="notice bad" hidden>The search was not answered. Reload the page, or try again.</p>
<div id="found">${await renderResults(ui, folder, query, isRegex)}</div>`,
    };
  },
});

async function renderResults(ui: Ui, { name, root }: Folder, query: string, regex: boolean): Promise<Html> {
  if (query.trim() === "")
    return html`<p class="faint">Searches the local files, including edits that are not uploaded.</p>`;
  const fault = findQueryFault(query, regex);
  if (fault !== null) return html`<p id="count" class="notice asks">${renderSentence(fault)}</p>`;
  const limit = (regex ? REGEX_SEARCH_LIMITS : HYBRID_SEARCH_LIMITS).default;
  const searchResult = await ui.searches.answer(root, () => searchMirror(root, ui.random, { query, regex, limit }));
  if (searchResult === null)
    return html`<p id="count" data-pending>The first search reads all documents. What it finds is shown as soon as they are read.</p><noscript><p>Reload the page to see it.</p></noscript>`;
  if (searchResult.kind === "trouble") {
    const { what, next } = searchResult.trouble;
    return html`<p id="count" class="notice asks">${renderSentence(what)}</p>${renderNextStep(next)}`;
  }
  const { files, notes } = searchResult.value;
  return html`${notes.map((note) => html`<p class="notice quiet">${renderSentence(note)}</p>`)}
<p id="count">${files.length === 0 ? "Nothing found." : plural(files.length, "document")}</p>
${renderFoundDocuments(files.map(({ path, lines }) => ({ href: documentAddress(name, "docs", path), path, lines })))}`;
}
