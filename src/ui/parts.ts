/** Shows parts of a linked folder that several pages share. */

import { localTime } from "../mirror/operations/results/when.ts";
import type { MirrorEvent } from "../mirror/ports/state.ts";
import { count } from "../common/count.ts";
import { ancestorsOf, nameOf } from "../contract/path.ts";
import { sentenceOf } from "../common/sentence.ts";
import { html, type Html, type Shown } from "../page/html.ts";
import { actionForm, ageOf, crumbsView, detailsOf, nameView, nextOf, segmentsOf, sentenceView } from "../page/parts.ts";
import { eventSentence } from "./activity.ts";
import { documentAddress, mirrorAddress } from "./addresses.ts";
import type { Folder, Need } from "./folders.ts";
import type { PageRequest } from "./page.ts";
import { outcomeBadge, problemBadge } from "./states.ts";
import { helpAddress } from "./user-docs.ts";

/** Lists problems, each with a button that leads to the page on which it can be solved. */
export function problemRows(needs: readonly Need[]): Html {
  return html`<ul class="rows">${needs.map(problemRow)}</ul>`;
}

function problemRow({ path, kind, code, detail, next, address }: Need): Html {
  const isStop = path === "" && address !== null;
  const name =
    path === "" ? null : address === null ? nameView(path) : html`<a href="${address}">${nameView(path)}</a>`;
  return html`<li><div class="main">${name} ${explained(kind, problemBadge(kind))}<br><span class="faint">${sentenceView(sentenceOf(detail))}</span>${nextOf(next, originOf(code))}</div>${address !== null && html`<a class="button" href="${address}">${isStop ? "Decide" : kind === "conflict" ? "Resolve" : "Open"}</a>`}</li>`;
}

/** Returns a link from a code, or from text that shows it, to the document that explains it. */
export function explained(code: string, shown: Shown): Html {
  const address = helpAddress(code);
  return address === null ? html`${shown}` : html`<a href="${address}">${shown}</a>`;
}

/** Shows the code of an error and the id of its request, for a report; null if there are none. */
export function originOf(code: string | null, requestId: string | null = null): Html | null {
  if (code === null && requestId === null) return null;
  return html`<p>${code !== null && html`Code: ${explained(code, sentenceView(code))} `}${requestId !== null && html`Request: ${sentenceView(requestId)}`}</p>`;
}

/**
 * Returns the form of an action. The form also sends the folder's path, because the name may belong
 * to another folder when the form is sent.
 * @param path the action's path, with its parts filled in and encoded
 */
export function folderForm(
  { name, root }: Pick<Folder, "name" | "root">,
  { path, fields = {} }: { readonly path: string; readonly fields?: Readonly<Record<string, string>> },
  { csrf }: PageRequest,
  content: Shown,
): Html {
  return actionForm({ action: mirrorAddress(name, path), csrf, fields: { ...fields, root } }, content);
}

/**
 * Shows a local time and its age.
 * @param time milliseconds since the epoch
 */
export function timeOf(time: number, now: number): Html {
  if (time <= 0) return html`before the first known version`;
  return html`${clockOf(time, localTime(time))} · <span class="faint">${ageOf(time, now)} ago</span>`;
}

function clockOf(time: number, shown: string): Html {
  return html`<time datetime="${new Date(time).toISOString()}" title="${localTime(time)}">${shown}</time>`;
}

/** Shows the local time of an event of a run: the page of the run has the date. */
export function timeInRun({ at }: MirrorEvent): Html {
  return clockOf(at, localTime(at).slice("2026-11-21 ".length));
}

/**
 * Returns the row of an event.
 * @param when the text at its end
 */
export function eventItem(mirror: string, event: MirrorEvent, when: Html): Html {
  const { detail, outcome, code, requestId } = event;
  const origin = originOf(code, requestId);
  return html`<li><div class="main">${eventSentence(mirror, event)} ${outcomeBadge(outcome)}<br><span class="faint">${sentenceView(sentenceOf(detail))}</span>${origin !== null && detailsOf("Details", origin)}</div>
<span class="faint">${when}</span></li>`;
}

/** Returns the path in an address, without a slash at its end. */
export function requestedPath({ params }: PageRequest): string {
  return (params["*"] ?? "").replace(/\/+$/, "");
}

/** Returns the number of a version, a run or a page; null if the text is not a number. */
export function numberIn(text: string | null | undefined): number | null {
  return /^[1-9]\d{0,8}$/.test(text ?? "") ? Number(text) : null;
}

/** Returns links from the linked folder down to `path`, without `path` itself unless `isLinked`. */
export function crumbsOf(mirror: string, path: string, isLinked = false): Html {
  const linked = path === "" ? [] : [...ancestorsOf(path), ...(isLinked ? [path] : [])];
  const links = ["", ...linked].map((place) => ({
    href: documentAddress(mirror, "docs", place),
    label: place === "" ? "All documents" : nameOf(place),
  }));
  return crumbsView("Folders above", links);
}

/** Pages of the history of a folder, by their part of the address. */
const HISTORY_TABS = { "history/": "Documents", runs: "Log" } as const;

/** Returns links among the pages of the history. */
export function historyTabs(mirror: string, here: keyof typeof HISTORY_TABS): Html {
  const views = Object.entries(HISTORY_TABS).map(([part, label]) => {
    return { href: mirrorAddress(mirror, part), label, isShown: part === here };
  });
  return segmentsOf("History", views);
}

/** One page of a long list (`?page=N`). */
type Part<T> = { readonly items: readonly T[]; readonly page: number; readonly pages: number; readonly total: number };

/** Returns one page of a list. If the page number is out of range, returns the nearest page. */
export function partOf<T>(all: readonly T[], { query }: PageRequest, size: number): Part<T> {
  const pages = Math.max(1, Math.ceil(all.length / size));
  const page = Math.min(pages, numberIn(query.get("page")) ?? 1);
  return { items: all.slice((page - 1) * size, page * size), page, pages, total: all.length };
}

/**
 * Returns links to the previous and next page; null if there is only one page.
 * @param addressOf returns the address of a page by its number
 */
export function pagerOf(
  { page, pages, total }: Omit<Part<unknown>, "items">,
  what: string,
  addressOf: (page: number) => string,
): Html | null {
  if (pages === 1) return null;
  const link = (to: number, label: string) =>
    to >= 1 && to <= pages && to !== page && html`<a class="button" href="${addressOf(to)}">${label}</a>`;
  return html`<nav class="row pager" aria-label="${`Pages of ${what}`}">${link(1, "First")}${link(page - 1, "Previous")}
<span>Page ${count(page)} of ${count(pages)}, ${count(total)} ${what}</span>${link(page + 1, "Next")}${link(pages, "Last")}</nav>`;
}
