import { count } from "../common/count.ts";
import { html, type Html } from "../page/html.ts";
import type { PageRequest } from "./page.ts";

/** Shows a long list in pages (`?page=N`). */

export type Part<T> = {
  readonly items: readonly T[];
  /** From 1. */
  readonly page: number;
  readonly pages: number;
  /** Length of the whole list. */
  readonly total: number;
};

/** Returns one page of a list. If the page number is out of range, returns the nearest page. */
export function partOf<T>(all: readonly T[], { query }: Pick<PageRequest, "query">, size: number): Part<T> {
  const pages = Math.max(1, Math.ceil(all.length / size));
  const page = Math.min(pages, requestedPage(query));
  return { items: all.slice((page - 1) * size, page * size), page, pages, total: all.length };
}

export function requestedPage(query: URLSearchParams): number {
  const text = query.get("page") ?? "1";
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 1;
}

/**
 * Returns links to the previous and next page; null if there is only one page.
 * @param addressOf returns the address of a page by its number
 */
export function pagerOf(
  { page, pages, total }: Pick<Part<unknown>, "page" | "pages" | "total">,
  what: string,
  addressOf: (page: number) => string,
): Html | null {
  if (pages === 1) return null;
  const link = (to: number, label: string) =>
    to >= 1 && to <= pages && to !== page && html`<a class="button" href="${addressOf(to)}">${label}</a>`;
  return html`<nav class="row pager" aria-label="${`Pages of ${what}`}">${link(1, "First")}${link(page - 1, "Previous")}
<span>Page ${count(page)} of ${count(pages)}, ${count(total)} ${what}</span>${link(page + 1, "Next")}${link(pages, "Last")}</nav>`;
}
