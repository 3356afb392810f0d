import { plural } from "../../common/count.ts";
import { declareOperations } from "../../contract/api/operations.ts";
import { searchHybrid } from "../../markdown/search/hybrid.ts";
import { foundList } from "../../page/found.ts";
import { html } from "../../page/html.ts";
import { nameView, sentenceView } from "../../page/parts.ts";
import { isRefused } from "../requests/answer.ts";
import { validate } from "../requests/validate.ts";
import { sourceOf } from "../search/search.ts";
import { DOCUMENTS, filesAddress } from "./addresses.ts";
import { type PageResult, page, refusedPage } from "./answer.ts";
import type { PageCall } from "./call.ts";
import { crumbs, inWorkspace, searchForm } from "./documents.ts";

/** LIMIT: documents of one search. */
const MOST = 50;

const { searchHybrid: OPERATION } = declareOperations("usual");

/** Shows the documents that a search finds: the same as the API finds for the same key. */
export async function showSearch(call: PageCall): Promise<PageResult> {
  const { core, query } = call;
  const words = query.get("q") ?? "";
  const folder = (query.get("in") ?? "").replace(/^\/+|\/+$/g, "");
  const found = await inWorkspace(call, async (context) => {
    return { workspace: context.workspace, sourceIn: sourceOf(context, folder === "" ? null : folder) };
  });
  if (isRefused(found)) return refusedPage(found);
  const { workspace, sourceIn } = found;
  const title = words.trim() === "" ? "Search" : `${words}: search`;
  const head = html`${crumbs(workspace, folder)}
<div class="title"><h1>Search in ${nameView(folder === "" ? workspace.name : folder)}</h1>${searchForm(workspace, folder, words)}</div>`;
  const asked = words.trim() === "" ? null : validate(OPERATION.body, { query: words });
  if (asked === null) return page({ title, here: DOCUMENTS, main: head });
  if (isRefused(asked))
    return page({
      title,
      here: DOCUMENTS,
      main: html`${head}<p class="notice asks">${sentenceView(asked.detail)}</p>`,
    });
  const { store, turns } = core.server;
  const pace = turns.paceOf(() => false);
  const result = await searchHybrid(sourceIn(store), pace, words, MOST);
  const hits = result.kind === "found" ? result.hits : [];
  const files = hits.map(({ found: { path }, snippets }) => {
    return { href: filesAddress(workspace.id, path), path, lines: snippets };
  });
  return page({
    title,
    here: DOCUMENTS,
    main: html`${head}<p>${foundText(files.length)}</p>${foundList(files)}`,
  });
}

function foundText(found: number): string {
  if (found === 0) return "Nothing found.";
  return found < MOST ? plural(found, "document") : `The best ${MOST} documents`;
}
