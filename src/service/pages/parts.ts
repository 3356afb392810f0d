/** Parts that several pages of the service share. */

import { type Html, html } from "../../page/html.ts";
import { ageOf } from "../../page/parts.ts";
import type { Level } from "../store/rows.ts";

/** Levels of access, in words. */
export const LEVELS: Readonly<Record<Level, string>> = {
  full: "full access",
  edit: "can edit",
  read: "can read",
  none: "hidden",
};

/** Milliseconds after which an open page is read again. */
export const REFRESH_MS = 10_000;

/** @param time in milliseconds since the epoch, as `now` */
export function agoOf(time: number, now: number): Html {
  return html`<span>${ageOf(time, now)} ago</span>`;
}

const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

/** Returns a minute, as `29 Nov 2026, 13:33 UTC`, as the user's time zone is not known. */
export function minuteText(time: number): string {
  return `${DAY.format(time)} ${new Date(time).getUTCFullYear()}, ${clockText(time)} UTC`;
}

/** Returns a time of a day, as `29 Nov, 13:33`, in UTC. */
export function dayTimeText(time: number): string {
  return `${DAY.format(time)}, ${clockText(time)}`;
}

/** Returns a time of day, as `13:33`, in UTC. */
export function clockText(time: number): string {
  return new Date(time).toISOString().slice(11, 16);
}

/**
 * Returns the links between the pages of a list.
 * @param first address of the first page; null if this is the first page
 * @param next address of the next page; null if this is the last page
 */
export function listNav(first: string | null, next: string | null): Html {
  return html`<nav aria-label="Parts of the list" class="row">${first !== null && html`<a class="button" href="${first}">First page</a>`}
${next !== null && html`<a class="button" href="${next}">Next page</a>`}</nav>`;
}
