import type { DiffHunk } from "./line-diff.ts";
import type { MeetingRow } from "./origins.ts";

/** The rows around what changed, with the lines of base and of the result that they are. */
export type OriginHunk = Pick<DiffHunk, "before" | "after"> & { readonly rows: readonly MeetingRow[] };

const CONTEXT = 3;

/**
 * As the hunks of a unified diff: what is far from any change is left out. Lines that do not merge
 * stand for those of base.
 */
export function originHunks(rows: readonly MeetingRow[]): OriginHunk[] {
  const shown = rows.map(() => false);
  for (const [at, { kind }] of rows.entries())
    if (kind !== "kept") shown.fill(true, Math.max(0, at - CONTEXT), at + CONTEXT + 1);
  const hunks: OriginHunk[] = [];
  let [before, after] = [0, 0];
  let from = { at: 0, before: 0, after: 0 };
  for (let at = 0; at <= rows.length; at++) {
    if (shown[at] === true && shown[at - 1] !== true) from = { at, before, after };
    if (shown[at] !== true && shown[at - 1] === true)
      hunks.push({
        before: range(from.before, before - from.before),
        after: range(from.after, after - from.after),
        rows: rows.slice(from.at, at),
      });
    const row = rows[at];
    if (row !== undefined && isOfBase(row)) before++;
    if (row !== undefined && isOfResult(row)) after++;
  }
  return hunks;
}

function isOfBase(row: MeetingRow): boolean {
  return row.kind === "conflict" ? row.of === "base" : row.kind !== "added";
}

function isOfResult(row: MeetingRow): boolean {
  return row.kind === "conflict" ? row.of !== "base" : row.kind !== "removed";
}

/** @param first lines before it */
function range(first: number, count: number): { readonly line: number; readonly count: number } {
  return { line: count === 0 ? first : first + 1, count };
}
