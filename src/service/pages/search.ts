import { count, plural } from "../../common/quantities.ts";
import { OPERATIONS } from "../../contract/api/operations.ts";
import { searchHybrid } from "../../markdown/search/hybrid.ts";
import { renderEmptyState, renderFoundDocuments, renderName, renderSentence } from "../../page/parts.ts";
import { withQuery } from "../../page/addresses.ts";
import { type Html, html } from "../../page/html.ts";
import { isRefused } from "../requests/answer.ts";
import { validate } from "../requests/input.ts";
import { makeSearchScope } from "../search/search.ts";
import { makeFilesAddress, makeSearchAddress } from "./addresses.ts";
import { makePage, type PageResult } from "./answer.ts";
import type { PageCall } from "./call.ts";
import { renderTrail, runInWorkspace, renderSearchForm } from "./documents.ts";
import { renderListNav } from "./parts.ts";

/**
 * LIMIT: number of documents that a search shows, and number of documents on one page, so that
 * pages stay small.
 */
const MAX_HITS = 100;
const HITS_ON_PAGE = 20;

const { searchHybrid: OPERATION } = OPERATIONS;

/** Shows the documents that match a search, as the API returns them for the user's key. */
export async function showSearch(call: PageCall): Promise<PageResult> {
  const { core, query } = call;
  const words = query.get("q") ?? "";
  const folder = (query.get("in") ?? "").replace(/^\/+|\/+$/g, "");
  const scopeResult = await runInWorkspace(call, async (context) => {
    return { workspace: context.workspace, scope: makeSearchScope(context, folder === "" ? null : folder) };
  });
  if (isRefused(scopeResult)) return scopeResult;
  const { workspace, scope } = scopeResult;
  const title = words.trim() === "" ? "Search" : `${words}: search`;
  const pageHead = html`${renderTrail(workspace, folder)}
<div class="title"><h1>Search in ${renderName(folder === "" ? workspace.name : folder)}</h1>${renderSearchForm(workspace, folder, words)}</div>`;
  const validQuery = words.trim() === "" ? null : validate(OPERATION.body, { query: words });
  if (validQuery === null) return makePage({ title, main: pageHead });
  if (isRefused(validQuery))
    return makePage({
      title,
      main: html`${pageHead}<p class="notice asks">${renderSentence(validQuery.detail)}</p>`,
    });
  const { store, turns } = core.server;
  const permit = turns.permitFor(() => false);
  // One document more than the pages show is requested. If that document is found, the pages do not
  // show all matching documents.
  const result = await searchHybrid(store.search(scope), permit, words, MAX_HITS + 1);
  const hits = result.kind === "found" ? result.hits : [];
  const address = withQuery(makeSearchAddress(workspace.id), { q: words, in: folder === "" ? null : folder });
  const shownHits = hits.map(({ found: { path }, snippets }) => {
    return { href: makeFilesAddress(workspace.id, path), path, lines: snippets };
  });
  return makePage({ title, main: html`${pageHead}${renderHits(shownHits, address, query.get("from") ?? "")}` });
}

/** @param start number of documents on the pages before this one, as a string */
function renderHits(found: Parameters<typeof renderFoundDocuments>[0], address: string, start: string): Html {
  const firstIndex = /^\d{1,3}$/.test(start) ? Number(start) : 0;
  const hitsOnPage = found.slice(firstIndex, Math.min(firstIndex + HITS_ON_PAGE, MAX_HITS));
  if (hitsOnPage.length === 0) {
    const hint = "No document that this key may see has these words. Try fewer words, or search in all folders.";
    return renderEmptyState("Nothing found", hint);
  }
  const endIndex = firstIndex + hitsOnPage.length;
  const totalText = found.length > MAX_HITS ? `more than ${MAX_HITS} documents` : plural(found.length, "document");
  const nextAddress = endIndex < Math.min(found.length, MAX_HITS) ? `${address}&from=${endIndex}` : null;
  return html`<p>${count(firstIndex + 1)} to ${count(endIndex)} of ${totalText}, the best first</p>${renderFoundDocuments(hitsOnPage)}
${renderListNav(firstIndex === 0 ? null : address, nextAddress)}`;
}
