import { ageText } from "../model/age.ts";
import type { Io } from "./command.ts";
import { count } from "../model/count.ts";
import { cellsOf, padTo } from "./width.ts";

/** Times and sizes in the form in which people read them. */

/** `2026-11-21 09:05:03`, in the time of this computer. @param at milliseconds since the epoch */
export function localTime(at: number): string {
  const date = new Date(at);
  const day = `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
  return `${day} ${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}:${twoDigits(date.getSeconds())}`;
}

function twoDigits(n: number): string {
  return String(n).padStart(2, "0");
}

/** `3 h`, since a time. */
export function age(io: Io, since: number): string {
  return ageText(io.clock.now() - since);
}

/** `1,204 bytes`, or a word for something that is missing. */
export function bytes(size: number | null, otherwise = "not there"): string {
  return size === null ? otherwise : size === 1 ? "1 byte" : `${count(size)} bytes`;
}

/** Aligned columns with two spaces between them; the last one is not padded. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cellsOf(cell));
  return rows.map((row) =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : padTo(cell, widths[at]!)))
      .join("  ")
      .trimEnd(),
  );
}
