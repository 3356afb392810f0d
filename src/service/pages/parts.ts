import { type Html, html } from "../../page/html.ts";
import { renderAge } from "../../page/parts.ts";
import type { Level } from "../store/rows.ts";

/** Names of the levels of access that the pages show. */
export const LEVEL_LABELS: Readonly<Record<Level, string>> = {
  full: "full access",
  edit: "can edit",
  read: "can read",
  none: "hidden",
};

/** Milliseconds after which an open page loads its content again. */
export const REFRESH_MS = 10_000;

/**
 * @param time milliseconds since the epoch
 * @param now milliseconds since the epoch
 */
export function renderAgo(time: number, now: number): Html {
  return html`<span>${renderAge(time, now)} ago</span>`;
}

const DAY_FORMAT = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

/** Formats a time in UTC, such as `29 Nov 2026, 13:33 UTC`: the user's time zone is unknown. */
export function formatMinute(time: number): string {
  return `${DAY_FORMAT.format(time)} ${new Date(time).getUTCFullYear()}, ${formatClock(time)} UTC`;
}

/** Formats a time without its year, such as `29 Nov, 13:33`, in UTC. */
export function formatDayTime(time: number): string {
  return `${DAY_FORMAT.format(time)}, ${formatClock(time)}`;
}

/** Formats a time of day, such as `13:33`, in UTC. */
export function formatClock(time: number): string {
  // Counted from the end, because a year after 9999 has more characters.
  return new Date(time).toISOString().slice(-13, -8);
}

/**
 * @param first address of the first page; null if the first page is shown
 * @param next address of the next page; null if the last page is shown
 */
export function renderListNav(first: string | null, next: string | null): Html {
  return html`<nav aria-label="Parts of the list" class="row">${first !== null && html`<a class="button" href="${first}">First page</a>`}
${next !== null && html`<a class="button" href="${next}">Next page</a>`}</nav>`;
}
