import { plural } from "../../../common/quantities.ts";
import type { Clock } from "../../../common/clock.ts";
import { ok, refusal, type Result } from "../../../common/trouble.ts";

/**
 * Returns a time in the local time zone, such as `2026-11-21 09:05:03`.
 * @param ms milliseconds since the epoch
 */
export function formatLocalTime(ms: number): string {
  const date = new Date(ms);
  const day = `${date.getFullYear()}-${formatTwoDigits(date.getMonth() + 1)}-${formatTwoDigits(date.getDate())}`;
  return `${day} ${formatTwoDigits(date.getHours())}:${formatTwoDigits(date.getMinutes())}:${formatTwoDigits(date.getSeconds())}`;
}

/** Returns the time of day in the local time zone, such as `09:05:30`. */
export function formatTimeOfDay(ms: number): string {
  return formatLocalTime(ms).slice("2026-11-21 ".length);
}

function formatTwoDigits(n: number): string {
  return String(n).padStart(2, "0");
}

/** Returns a size such as `1,204 bytes`. For a null size, returns the word in `otherwise`. */
export function formatByteCount(size: number | null, otherwise = "missing"): string {
  return size === null ? otherwise : plural(size, "byte");
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const ISO_TIME = /^(\d{4}-\d{2}-(\d{2}))(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?))?(Z|[+-]\d{2}:\d{2})?$/;

/**
 * Reads a past time: `2h` (two hours ago), or `2026-11-22 09:30`. A date and time without `Z` or an
 * offset is in local time. A date alone means the beginning of the day.
 * @returns milliseconds since the epoch; null for any other text, a future time or a day that does
 * not exist
 */
function readMoment(text: string, now: number): number | null {
  const agoMatch = /^(\d{1,5})([smhdw])$/.exec(text);
  if (agoMatch !== null) return now - Number(agoMatch[1]) * UNITS[agoMatch[2]!]!;
  const ms = readIso(text);
  return ms === null || ms > now ? null : ms;
}

export function readPastTime(text: string | undefined, clock: Pick<Clock, "now">): Result<number | null> {
  const ms = text === undefined ? null : readMoment(text, clock.now());
  if (text === undefined || ms !== null) return ok(ms);
  return refusal(`${text} is not a past time`, "give a time such as 2h, 3d or 2026-11-22T09:30");
}

/**
 * Reads a day, with or without a time.
 * @returns milliseconds since the epoch; null for any other text, or a day that does not exist
 */
export function readIso(text: string): number | null {
  const isoMatch = ISO_TIME.exec(text);
  if (isoMatch === null) return null;
  const [, date, day, time = "00:00", zone = ""] = isoMatch;
  const ms = Date.parse(`${date}T${time}${zone}`);
  // `Date` reads 31 April as 1 May, so the day in the result is compared with the day in `text`.
  const isDay = new Date(Date.parse(`${date}T00:00Z`)).getUTCDate() === Number(day);
  return Number.isNaN(ms) || !isDay ? null : ms;
}
