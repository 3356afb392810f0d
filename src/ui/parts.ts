/** Parts of pages about a linked folder. */

import { formatLocalTime } from "../mirror/operations/results/when.ts";
import type { MirrorEvent } from "../mirror/ports/state.ts";
import { count } from "../common/count.ts";
import { ancestorsOf, nameOf } from "../contract/path.ts";
import { toSentence } from "../common/sentence.ts";
import { html, type Html, type HtmlValue } from "../page/html.ts";
import {
  renderActionForm,
  renderAge,
  renderBreadcrumbs,
  renderDetails,
  renderName,
  renderNextStep,
  renderSegments,
  renderSentence,
} from "../page/parts.ts";
import { renderEvent } from "./activity.ts";
import { documentAddress, mirrorAddress } from "./addresses.ts";
import type { Folder, LinkedProblem } from "./folders.ts";
import type { PageRequest } from "./page.ts";
import { renderOutcomeBadge, problemBadge } from "./states.ts";
import { findHelpAddress } from "./user-docs.ts";

export function problemRows(needs: readonly LinkedProblem[]): Html {
  return html`<ul class="rows">${needs.map(renderProblem)}</ul>`;
}

function renderProblem({ path, kind, code, detail, next, address }: LinkedProblem): Html {
  const isStop = path === "" && address !== null;
  const name =
    path === "" ? null : address === null ? renderName(path) : html`<a href="${address}">${renderName(path)}</a>`;
  return html`<li><div class="main">${name} ${renderHelpLink(kind, problemBadge(kind))}<br><span class="faint">${renderSentence(toSentence(detail))}</span>${renderNextStep(next, renderOrigin(code))}</div>${address !== null && html`<a class="button" href="${address}">${isStop ? "Decide" : kind === "conflict" ? "Resolve" : "Open"}</a>`}</li>`;
}

/**
 * Returns a link to the documentation of a code. If the code has no documentation, returns `shown`
 * without a link.
 */
export function renderHelpLink(code: string, shown: HtmlValue): Html {
  const address = findHelpAddress(code);
  return address === null ? html`${shown}` : html`<a href="${address}">${shown}</a>`;
}

/** Shows an error code and a request id, which the user can report; null if there are none. */
export function renderOrigin(code: string | null, requestId: string | null = null): Html | null {
  if (code === null && requestId === null) return null;
  return html`<p>${code !== null && html`Code: ${renderHelpLink(code, renderSentence(code))} `}${requestId !== null && html`Request: ${renderSentence(requestId)}`}</p>`;
}

/**
 * Returns the form of an action on a linked folder. The form also sends the folder's path, because
 * another folder may get the name before the user sends the form. `path` is encoded already.
 */
export function renderFolderForm(
  { name, root }: Pick<Folder, "name" | "root">,
  { path, fields = {} }: { readonly path: string; readonly fields?: Readonly<Record<string, string>> },
  { csrf }: PageRequest,
  content: HtmlValue,
): Html {
  return renderActionForm({ action: mirrorAddress(name, path), csrf, fields: { ...fields, root } }, content);
}

/** Shows a time (milliseconds since the epoch) in the local time zone, and its age. */
export function renderTime(time: number, now: number): Html {
  if (time <= 0) return html`before the first known version`;
  return html`${renderClock(time, formatLocalTime(time))} · <span class="faint">${renderAge(time, now)} ago</span>`;
}

function renderClock(time: number, shown: string): Html {
  return html`<time datetime="${new Date(time).toISOString()}" title="${formatLocalTime(time)}">${shown}</time>`;
}

/** Shows the time of day of an event, because the page of a run shows the date once. */
export function renderTimeOfDay({ at }: MirrorEvent): Html {
  return renderClock(at, formatLocalTime(at).slice("2026-11-21 ".length));
}

export function renderEventItem(mirror: string, event: MirrorEvent, when: Html): Html {
  const { detail, outcome, code, requestId } = event;
  const origin = renderOrigin(code, requestId);
  return html`<li><div class="main">${renderEvent(mirror, event)} ${renderOutcomeBadge(outcome)}<br><span class="faint">${renderSentence(toSentence(detail))}</span>${origin !== null && renderDetails("Details", origin)}</div>
<span class="faint">${when}</span></li>`;
}

/** Returns the path of a document or folder from an address, without slashes at its end. */
export function readRequestedPath({ params }: PageRequest): string {
  return (params["*"] ?? "").replace(/\/+$/, "");
}

/** Parses a positive whole number from an address or a form; null if the text is not one. */
export function readNumber(text: string | null | undefined): number | null {
  return /^[1-9]\d{0,8}$/.test(text ?? "") ? Number(text) : null;
}

/** Returns links to the folders above a path and, if `isLinked`, to the path. */
export function renderCrumbs(mirror: string, path: string, isLinked = false): Html {
  const linkedPaths = path === "" ? [] : [...ancestorsOf(path), ...(isLinked ? [path] : [])];
  const links = ["", ...linkedPaths].map((place) => ({
    href: documentAddress(mirror, "docs", place),
    label: place === "" ? "All documents" : nameOf(place),
  }));
  return renderBreadcrumbs("Folders above", links);
}

const HISTORY_TABS = { "history/": "Documents", runs: "Log" } as const;

export function renderHistoryTabs(mirror: string, here: keyof typeof HISTORY_TABS): Html {
  const views = Object.entries(HISTORY_TABS).map(([part, label]) => {
    return { href: mirrorAddress(mirror, part), label, isShown: part === here };
  });
  return renderSegments("History", views);
}

/** One page of a long list. `page` counts from 1; `total` is the number of all items. */
type ListPage<T> = {
  readonly items: readonly T[];
  readonly page: number;
  readonly pages: number;
  readonly total: number;
};

/** Returns the page of a list that the address requests (`?page=N`), or the last page. */
export function cutListPage<T>(all: readonly T[], { query }: PageRequest, size: number): ListPage<T> {
  const pages = Math.max(1, Math.ceil(all.length / size));
  const page = Math.min(pages, readNumber(query.get("page")) ?? 1);
  return { items: all.slice((page - 1) * size, page * size), page, pages, total: all.length };
}

/**
 * Returns links to the other pages of a list; null if the list has only one page.
 * @param what plural noun for the items of the list
 */
export function renderPager(
  { page, pages, total }: Omit<ListPage<unknown>, "items">,
  what: string,
  addressOf: (page: number) => string,
): Html | null {
  if (pages === 1) return null;
  const renderLink = (to: number, label: string) =>
    to >= 1 && to <= pages && to !== page && html`<a class="button" href="${addressOf(to)}">${label}</a>`;
  return html`<nav class="row pager" aria-label="${`Pages of ${what}`}">${renderLink(1, "First")}${renderLink(page - 1, "Previous")}
<span>Page ${count(page)} of ${count(pages)}, ${count(total)} ${what}</span>${renderLink(page + 1, "Next")}${renderLink(pages, "Last")}</nav>`;
}
