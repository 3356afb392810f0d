import { type Html, html } from "../../page/html.ts";
import { badgeOf, nameView } from "../../page/parts.ts";
import { differenceOf } from "../../page/side-by-side.ts";
import type { RequestContext } from "../requests/context.ts";
import { isRefused } from "../requests/answer.ts";
import type { HistoryRow } from "../store/changes-table.ts";
import type { FileRow, WorkspaceRow } from "../store/rows.ts";
import { DOCUMENTS, filesAddress, reviewAddress, withQuery } from "./addresses.ts";
import { type PageResult, notShown, page, refusedPage } from "./answer.ts";
import type { PageCall } from "./call.ts";
import { crumbs, find, inWorkspace, NOT_THERE, pathOf } from "./documents.ts";
import { agoOf, listNav } from "./parts.ts";

/** LIMIT: changes on one page. */
const MOST = 50;

type Texts = { readonly text: string | null; readonly before: string | null };

type History = {
  readonly workspace: WorkspaceRow;
  readonly row: FileRow;
  readonly changes: readonly HistoryRow[];
  /** The change whose content is shown, with the content before. */
  readonly shown: HistoryRow & Texts;
  /** Place of the next page; null if this page is the last. */
  readonly next: string | null;
};

/**
 * Shows the changes of a document, and what one of them changed. For administrators: the API gives
 * no key the earlier versions of a document.
 */
export async function showHistory(call: PageCall): Promise<PageResult> {
  const history = await inWorkspace(call, (context) => read(context, call));
  if (isRefused(history)) return refusedPage(history);
  return history === null ? notShown(NOT_THERE) : historyPage(history, call);
}

async function read(context: RequestContext, call: PageCall): Promise<History | null> {
  const { tables, workspace } = context;
  const found = await find(context, pathOf(call));
  if (found?.kind !== "file") return null;
  const { row } = found;
  const asked = call.query.get("before") ?? "";
  const from = /^\d{1,15}$/.test(asked) ? Number(asked) : Number.MAX_SAFE_INTEGER;
  const rows = await tables.changes.ofFile(row.seq, from, MOST + 1);
  const changes = rows.slice(0, MOST);
  const change = changes.find(({ id }) => id === call.query.get("change")) ?? changes[0];
  if (change === undefined) return null;
  const text = (await tables.changes.base(change.id, row.seq))!.text;
  const before = change.baseId === null ? "" : ((await tables.changes.base(change.baseId, row.seq))?.text ?? null);
  const next = rows.length > MOST ? String(changes.at(-1)!.seq) : null;
  return { workspace, row, changes, shown: { ...change, text, before }, next };
}

function historyPage({ workspace, row, changes, shown, next }: History, { query, now }: PageCall): PageResult {
  const here = filesAddress(workspace.id, row.path, "history");
  const before = query.get("before");
  const links = changes.map((change) => {
    const href = withQuery(here, { before, change: change.id });
    return html`<li class="step"${change.id === shown.id && html` aria-current="true"`}><p><a href="${href}">${agoOf(change.at, now)}</a></p>
<p class="faint">${eventOf(change)}${change.id === row.changeId && html` ${badgeOf("good", "published")}`}</p></li>`;
  });
  return page({
    title: `History of ${row.path}`,
    here: DOCUMENTS,
    main: html`${crumbs(workspace, row.path)}
<div class="title"><h1>History of ${nameView(row.name)}</h1><a class="button" href="${filesAddress(workspace.id, row.path)}">Open document</a></div>
<div class="with-tree"><div><ol class="timeline">${links}</ol>${listNav(before === null ? null : here, next === null ? null : withQuery(here, { before: next }))}</div>
<section aria-label="Change">${changeOf(shown)}</section></div>`,
  });
}

function eventOf({ id, status, baseId, sender }: HistoryRow): Html {
  switch (status) {
    case "saved":
      return html`${baseId === null ? "Created" : "Edited"}`;
    case "in_review":
      return html`<a href="${reviewAddress(id)}">In review</a>${sender !== null && html`, from ${nameView(sender)}`}`;
    default:
      return html`<a href="${reviewAddress(id)}">${status === "accepted" ? "Accepted" : "Rejected"}</a>${sender !== null && html`, from ${nameView(sender)}`}`;
  }
}

function changeOf({ text, before }: Texts): Html {
  if (text === null) return html`<p class="notice quiet">The content of this version is no longer stored.</p>`;
  if (before === null) {
    return html`<p class="notice quiet">The version before is no longer stored; this is the whole content.</p><pre class="text">${text}</pre>`;
  }
  return differenceOf({ text: before, label: "Before" }, { text, label: "After" });
}
