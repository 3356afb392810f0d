import { plural } from "../../../common/count.ts";

/**
 * Returns a time in the local time zone, such as `2026-11-21 09:05:03`.
 * @param ms milliseconds since the epoch
 */
export function formatLocalTime(ms: number): string {
  const date = new Date(ms);
  const day = `${date.getFullYear()}-${formatTwoDigits(date.getMonth() + 1)}-${formatTwoDigits(date.getDate())}`;
  return `${day} ${formatTwoDigits(date.getHours())}:${formatTwoDigits(date.getMinutes())}:${formatTwoDigits(date.getSeconds())}`;
}

function formatTwoDigits(n: number): string {
  return String(n).padStart(2, "0");
}

/** Returns a size such as `1,204 bytes`. For a null size, returns the word in `otherwise`. */
export function bytes(size: number | null, otherwise = "missing"): string {
  return size === null ? otherwise : plural(size, "byte");
}
