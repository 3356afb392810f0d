/** `Retry-After` of RFC 9110, 10.2.3: seconds, or an HTTP date. */

// Only IMF-fixdate: the two obsolete forms have not been generated for decades, and `Date.parse`
// would accept far more than a date.
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * @param header the header's value, if there is one
 * @param date the answer's own `Date` header: a date is compared with the clock that made it, if it
 * is shown
 * @param now milliseconds since the epoch, if it is not
 * @returns milliseconds to wait, 0 or more; null if there is no header or it cannot be read
 */
export function retryAfterMs(header: string | undefined, date: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  const value = header.trim();
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const until = parseDate(value);
  if (until === null) return null;
  return Math.max(0, until - (parseDate(date?.trim() ?? "") ?? now));
}

function parseDate(value: string): number | null {
  if (!HTTP_DATE.test(value)) return null;
  const time = Date.parse(value);
  return Number.isNaN(time) ? null : time;
}
