import { setImmediate } from "node:timers/promises";
import { count } from "../../common/quantities.ts";
import type { DocId } from "../../contract/ids.ts";
import { countLines } from "../../markdown/merge/line-diff.ts";
import { withQuery } from "../../page/addresses.ts";
import { type Html, html } from "../../page/html.ts";
import { renderActionForm, renderBadge, renderName } from "../../page/parts.ts";
import { renderComparison } from "../../page/side-by-side.ts";
import { putContent } from "../files/files.ts";
import { isRefused, refuse } from "../requests/answer.ts";
import type { RequestContext } from "../requests/context.ts";
import type { HistoryRow } from "../store/changes-table.ts";
import type { FileRow, WorkspaceRow } from "../store/rows.ts";
import { makeFilesAddress, makeItemAddress, REVIEWS_ADDRESS } from "./addresses.ts";
import { makePage, type PageResult } from "./answer.ts";
import type { PageCall } from "./call.ts";
import { changeDocument, renderTrail, runOnDocument, UNKNOWN_DOCUMENT } from "./documents.ts";
import { renderAgo, formatDayTime, renderListNav, formatMinute } from "./parts.ts";

/** LIMIT: number of changes on one page, because a comparison for each change takes time. */
const MAX_CHANGES = 20;

/**
 * A change, with the content after the change (`text`) and before the change (`before`). A pruned
 * content is null.
 */
type HistoryStep = HistoryRow & { readonly text: string | null; readonly before: string | null };

type DocumentHistory = {
  readonly workspace: WorkspaceRow;
  readonly row: FileRow;
  readonly steps: readonly HistoryStep[];
  /** Position at which the next page begins; null if this page is the last. */
  readonly next: string | null;
};

/**
 * Shows the changes of a document, and the difference that a selected change made. Only
 * administrators may see this page, because the API gives no key access to earlier versions.
 */
export async function showHistory(call: PageCall): Promise<PageResult> {
  const history = await runOnDocument(call, (context, row) =>
    readHistory(context, row, call.query.get("before") ?? ""),
  );
  if (history === null) return UNKNOWN_DOCUMENT;
  return isRefused(history) ? history : renderHistoryPage(history, call);
}

/** @param before the page shows changes before this row number; "" for the latest changes */
async function readHistory(
  { tables, workspace }: RequestContext,
  row: FileRow,
  before: string,
): Promise<DocumentHistory> {
  const beforeSeq = /^\d{1,15}$/.test(before) ? Number(before) : Number.MAX_SAFE_INTEGER;
  const rows = await tables.changes.ofFile(row.seq, beforeSeq, MAX_CHANGES + 1);
  const steps: HistoryStep[] = [];
  for (const change of rows.slice(0, MAX_CHANGES)) {
    const { text } = (await tables.changes.base(change.id, row.seq))!;
    const textBefore =
      change.baseId === null ? "" : ((await tables.changes.base(change.baseId, row.seq))?.text ?? null);
    steps.push({ ...change, text, before: textBefore });
  }
  return { workspace, row, steps, next: rows.length > MAX_CHANGES ? String(steps.at(-1)!.seq) : null };
}

async function renderHistoryPage(
  { workspace, row, steps, next }: DocumentHistory,
  call: PageCall,
): Promise<PageResult> {
  const { query, now, csrf } = call;
  const address = makeFilesAddress(workspace.id, row.path, "history");
  const beforeParameter = query.get("before");
  const shownStep = steps.find(({ id }) => id === query.get("change")) ?? steps[0];
  if (shownStep === undefined) return UNKNOWN_DOCUMENT;
  const links: Html[] = [];
  for (const step of steps) {
    const href = `${withQuery(address, { before: beforeParameter, change: step.id })}#change`;
    const isCurrent = step.id === row.changeId;
    links.push(html`<li class="step"${step.id === shownStep.id && html` aria-current="true"`}><p><a href="${href}">${formatVersion(step)}</a>${isCurrent && html` ${renderBadge("good", "current")}`} ${renderLineCounts(step)}</p>
<p class="faint">${renderEvent(step)}<br>${renderAgo(step.at, now)} · ${formatTime(step.at, now)}${step.status !== "saved" && html` <a href="${makeItemAddress(REVIEWS_ADDRESS, step.id)}">Review</a>`}</p></li>`);
    // Lets the service answer other requests between two comparisons, because a comparison takes
    // time.
    await setImmediate();
  }
  const restoreAddress = makeFilesAddress(workspace.id, row.path, "restore");
  const fields = { change: shownStep.id, live: row.changeId };
  const mayRestore = shownStep.id !== row.changeId && shownStep.text !== null;
  return makePage({
    title: `History of ${row.path}`,
    main: html`${renderTrail(workspace, row.path)}
<div class="title"><h1>History of ${renderName(row.name)}</h1><a class="button" href="${makeFilesAddress(workspace.id, row.path)}">Open document</a></div>
<div class="with-tree"><div><ol class="timeline">${links}</ol>${renderListNav(beforeParameter === null ? null : address, next === null ? null : withQuery(address, { before: next }))}</div>
<section id="change" aria-labelledby="event"><div class="title"><h2 id="event">${formatVersion(shownStep)}</h2>${
      mayRestore &&
      renderActionForm({ action: restoreAddress, csrf, fields }, html`<button>Restore this version</button>`)
    }</div><p class="faint">${renderEvent(shownStep)} · ${formatMinute(shownStep.at)} · ${renderAgo(shownStep.at, now)}</p>${renderChange(shownStep)}</section></div>`,
  });
}

const EVENT_NAMES = { in_review: "Edit in review", accepted: "Accepted edit", rejected: "Rejected edit" } as const;

function formatVersion({ version }: HistoryRow): string {
  return `Version ${count(version)}`;
}

/** Formats the time of a change in UTC: with seconds for today, otherwise with the date. */
function formatTime(time: number, now: number): string {
  const [day, today] = [time, now].map((each) => new Date(each).toISOString().slice(0, 10));
  return day === today ? new Date(time).toISOString().slice(11, 19) : formatDayTime(time);
}

function renderEvent({ status, baseId, sender }: HistoryRow): Html {
  if (status === "saved" && baseId === null) return html`Created`;
  const name = sender === null || sender === "" ? null : renderName(sender);
  if (status === "saved") return html`Edited${name !== null && html` by ${name}`}`;
  return html`${EVENT_NAMES[status]}${name !== null && html` of ${name}`}`;
}

function renderLineCounts({ text, before }: HistoryStep): Html | null {
  if (text === null || before === null) return null;
  const { added, removed } = countLines(before, text);
  return html`<span class="changed"><ins>+${count(added)}</ins> <del>−${count(removed)}</del></span>`;
}

function renderChange({ text, before }: HistoryStep): Html {
  if (text === null) return html`<p class="notice quiet">The content of this version is no longer stored.</p>`;
  if (before === null) {
    return html`<p class="notice quiet">The version before is no longer stored; this is the whole content.</p><pre class="text">${text}</pre>`;
  }
  return renderComparison({ text: before, label: "Before" }, { text, label: "After" });
}

/** Publishes the content of an earlier version by the rules for an edit through the API. */
export function restoreVersion(call: PageCall): Promise<PageResult> {
  const { form } = call;
  const publishVersion = async (context: RequestContext, row: FileRow) => {
    const version = await context.tables.changes.base(form.get("change") ?? "", row.seq);
    if (version === null || version.text === null)
      return refuse("not_found", "The content of this version is no longer stored.");
    if (row.changeId !== form.get("live"))
      return refuse("edit_conflict", "Somebody changed the published version since it was shown.");
    const body = { baseChangeId: row.changeId, content: version.text };
    return putContent({ context, id: row.id as DocId, query: null, body });
  };
  return changeDocument(call, "history", publishVersion, ({ status }) =>
    status === 202 ? "The earlier version is in review." : "The earlier version is published again.",
  );
}
