import type { Row } from "./grid.ts";
import { diff, type Edit } from "./myers.ts";
import { afford, type Budget } from "./budget.ts";
import { Interner } from "./split.ts";

/**
 * For each row of the base the row of a side that it became, -1 where it is gone; header and rule,
 * the first two, stay what they are. `columns` tells for each column of the side its index in the
 * base, or its name. Undefined where rows are too much alike to be told apart.
 */
export function pairRows(
  base: readonly Row[],
  side: readonly Row[],
  columns: readonly (number | string)[],
  budget: Budget,
): number[] | undefined {
  if (!afford(budget, (base.length + side.length) * columns.length)) return undefined;
  const interner = new Interner();
  const shared = columns.flatMap((column, place) => (typeof column === "number" ? [{ column, place }] : []));
  const before = base.slice(2).map(({ cells }) => shared.map(({ column }) => (cells[column] as string).trim()));
  const after = side.slice(2).map(({ cells }) => shared.map(({ place }) => (cells[place] as string).trim()));
  const [b, s] = [before, after].map((rows) => rows.map((cells) => interner.id(cells.join("|")))) as [
    number[],
    number[],
  ];
  if (new Set(b).size < b.length || new Set(s).size < s.length) return undefined;
  const rows = [0, 1];
  let at = 0;
  for (const edit of [...diff(b, s, budget), { start: b.length, end: b.length, from: s.length, to: s.length }]) {
    const shift = edit.from - edit.start;
    for (; at < edit.start; at++) rows.push(at + shift + 2);
    const became = pairChanged(before, after, edit);
    for (; at < edit.end; at++) rows.push(became(at));
  }
  return rows;
}

/**
 * Which rows became which where some were replaced: one by one where there are as many and each has
 * a cell in common with its successor, else by the first cell.
 */
function pairChanged(
  before: readonly (readonly string[])[],
  after: readonly (readonly string[])[],
  { start, end, from, to }: Edit,
): (row: number) => number {
  const isOneByOne =
    end - start === to - from &&
    before.slice(start, end).every((cells, at) => shareCell(cells, after[from + at] as readonly string[]));
  if (isOneByOne) return (row) => row - start + from + 2;
  const heads = after.slice(from, to).map(([first]) => first);
  return (row) => {
    const found = heads.indexOf(before[row]?.[0]);
    return found < 0 || heads.lastIndexOf(before[row]?.[0]) !== found ? -1 : found + from + 2;
  };
}

function shareCell(one: readonly string[], other: readonly string[]): boolean {
  return one.some((cell, at) => cell !== "" && cell === other[at]);
}
