import { count } from "../common/count.ts";
import { ageText } from "../common/age.ts";
import type { Io } from "./command.ts";
import { cellsOf, padTo } from "./width.ts";

/** Formats ages, columns and long lists for people. */

/** Returns the age of a time, such as `3 h`. */
export function age(io: Io, since: number): string {
  return ageText(io.clock.now() - since);
}

/** Aligns columns with two spaces between them; the last column is not padded. */
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

/**
 * Returns the first lines of a long list, and how many were left out.
 * @param indent before the line that says how many
 * @param rest after it, such as the command that shows all of them
 */
export function firstLines(lines: readonly string[], most: number, indent: string, rest = ""): readonly string[] {
  const more = lines.length - most;
  return more <= 0 ? lines : [...lines.slice(0, most), `${indent}… and ${count(more)} more${rest}`];
}
