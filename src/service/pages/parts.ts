import { type Html, html } from "../../page/html.ts";
import { ageOf } from "../../page/parts.ts";
import type { Level } from "../store/rows.ts";

/** Parts that several pages of the service share. */

/** Levels of access, in words. */
export const LEVELS: Readonly<Record<Level, string>> = {
  full: "full access",
  edit: "can edit",
  read: "can read",
  none: "hidden",
};

/** @param at in milliseconds since the epoch, as `now` */
export function agoOf(at: number, now: number): Html {
  return html`<span class="ago">${ageOf(at, now)} ago</span>`;
}

/**
 * Leads through a list that has several pages.
 * @param first address of the first page; null if this is the first page
 * @param next address of the next page; null if this is the last page
 */
export function listNav(first: string | null, next: string | null): Html {
  return html`<nav aria-label="Parts of the list" class="row">${first !== null && html`<a class="button" href="${first}">First page</a>`}
${next !== null && html`<a class="button" href="${next}">Next page</a>`}</nav>`;
}
