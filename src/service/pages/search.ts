import { count, plural } from "../../common/count.ts";
import { OPERATIONS } from "../../contract/api/operations.ts";
import { searchHybrid } from "../../markdown/search/hybrid.ts";
import { foundList } from "../../page/found.ts";
import { withQuery } from "../../page/addresses.ts";
import { type Html, html } from "../../page/html.ts";
import { emptyOf, nameView, sentenceView } from "../../page/parts.ts";
import { isRefused } from "../requests/answer.ts";
import { validate } from "../requests/validate.ts";
import { scopeOf } from "../search/search.ts";
import { filesAddress, searchAddress } from "./addresses.ts";
import { type PageResult, page, refusedPage } from "./answer.ts";
import type { PageCall } from "./call.ts";
import { crumbs, inWorkspace, searchForm } from "./documents.ts";
import { listNav } from "./parts.ts";

/** LIMIT: number of documents that a search shows, and number of documents on one page. */
const MAX_FOUND = 100;
const ON_PAGE = 20;

const { searchHybrid: OPERATION } = OPERATIONS;

/**
 * Shows the documents that match a search. They are the ones that the API would return for the same
 * key.
 */
export async function showSearch(call: PageCall): Promise<PageResult> {
  const { core, query } = call;
  const words = query.get("q") ?? "";
  const folder = (query.get("in") ?? "").replace(/^\/+|\/+$/g, "");
  const asked = await inWorkspace(call, async (context) => {
    return { workspace: context.workspace, scope: scopeOf(context, folder === "" ? null : folder) };
  });
  if (isRefused(asked)) return refusedPage(asked);
  const { workspace, scope } = asked;
  const title = words.trim() === "" ? "Search" : `${words}: search`;
  const head = html`${crumbs(workspace, folder)}
<div class="title"><h1>Search in ${nameView(folder === "" ? workspace.name : folder)}</h1>${searchForm(workspace, folder, words)}</div>`;
  const read = words.trim() === "" ? null : validate(OPERATION.body, { query: words });
  if (read === null) return page({ title, main: head });
  if (isRefused(read))
    return page({
      title,
      main: html`${head}<p class="notice asks">${sentenceView(read.detail)}</p>`,
    });
  const { store, turns } = core.server;
  const pace = turns.permitFor(() => false);
  // One more document than the pages show is requested, to find out if there are more.
  const result = await searchHybrid(store.search(scope), pace, words, MAX_FOUND + 1);
  const hits = result.kind === "found" ? result.hits : [];
  const address = withQuery(searchAddress(workspace.id), { q: words, in: folder === "" ? null : folder });
  const found = hits.map(({ found: { path }, snippets }) => {
    return { href: filesAddress(workspace.id, path), path, lines: snippets };
  });
  return page({ title, main: html`${head}${foundPart(found, address, query.get("from") ?? "")}` });
}

/**
 * Shows one page of the matching documents.
 * @param start number of documents on the earlier pages, as a string
 */
function foundPart(found: Parameters<typeof foundList>[0], address: string, start: string): Html {
  const from = /^\d{1,3}$/.test(start) ? Number(start) : 0;
  const shown = found.slice(from, Math.min(from + ON_PAGE, MAX_FOUND));
  if (shown.length === 0) {
    const hint = "No document that this key may see has these words. Try fewer words, or search in all folders.";
    return emptyOf("Nothing found", hint);
  }
  const end = from + shown.length;
  const total = found.length > MAX_FOUND ? `more than ${MAX_FOUND} documents` : plural(found.length, "document");
  const next = end < Math.min(found.length, MAX_FOUND) ? `${address}&from=${end}` : null;
  return html`<p>${count(from + 1)} to ${count(end)} of ${total}, the best first</p>${foundList(shown)}
${listNav(from === 0 ? null : address, next)}`;
}
