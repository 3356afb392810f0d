import { hasCode, openFences } from "../outline/fences.ts";

/**
 * A table whose rows all have outer bars and as many cells as the header, whose names are told
 * apart: `rows` begins with the header and the rule under it.
 */
export type Grid = {
  /** The first line, 0-based. */
  readonly first: number;
  readonly names: readonly string[];
  readonly rows: readonly Row[];
};

/** A row: what stands before the first bar and after the last, and the cells with their space. */
export type Row = { readonly lead: string; readonly cells: readonly string[]; readonly end: string };

const ROW = /^(?<lead>\s*)\|(?<cells>.*)(?<!\\)\|(?<end>\s*)$/s;
const RULE = /^\s*:?-+:?\s*$/;

/** The plain tables of a text, outside of code. A table of any other form is left out. */
export function gridsOf(lines: readonly string[]): Grid[] {
  const grids: Grid[] = [];
  const open = openFences(lines);
  for (let first = 0; first + 1 < lines.length; first++) {
    if (hasCode(open, first, first + 1) || !isRule(lines[first + 1] as string)) continue;
    let end = first;
    while (end < lines.length && (lines[end] as string).includes("|")) end++;
    const rows = lines.slice(first, end).map(rowOf);
    const grid = gridOf(first, rows);
    if (grid !== undefined) grids.push(grid);
    first = end;
  }
  return grids;
}

/** The lines above what looks like the rule of a table: the cheap test for other columns. */
export function headersOf(lines: readonly string[]): string {
  return lines.filter((_, at) => lines[at + 1]?.includes("|") && isRuled(lines[at + 1] as string)).join("");
}

function isRuled(line: string): boolean {
  return /^\s*\|[ :|-]+$/.test(line.trimEnd());
}

function isRule(line: string): boolean {
  return rowOf(line)?.cells.every((cell) => RULE.test(cell)) === true;
}

function gridOf(first: number, rows: readonly (Row | undefined)[]): Grid | undefined {
  const width = rows[0]?.cells.length;
  const whole = rows.filter((row) => row !== undefined && row.cells.length === width);
  const names = whole[0]?.cells.map((cell) => cell.trim()) ?? [];
  const isTold = names.every((name, at) => name !== "" && names.indexOf(name) === at);
  return isTold && whole.length === rows.length && rows.length > 1 ? { first, names, rows: whole as Row[] } : undefined;
}

function rowOf(line: string): Row | undefined {
  const { lead, cells, end } = ROW.exec(line)?.groups ?? {};
  if (lead === undefined || cells === undefined || end === undefined) return undefined;
  return { lead, cells: cells.split(/(?<!\\)\|/), end };
}

/** A row as its line. */
export function writeRow({ lead, cells, end }: Row): string {
  return `${lead}|${cells.join("|")}|${end}`;
}

/**
 * For each grid the one of another text that it became, by their order: where there are more or
 * fewer, from the top and from the bottom as long as they have most names in common.
 */
export function pairGrids(before: readonly Grid[], after: readonly Grid[]): (Grid | undefined)[] {
  const pairs = new Array<Grid | undefined>(before.length).fill(undefined);
  const shift = after.length - before.length;
  if (shift === 0) return [...after];
  let [top, end] = [0, before.length];
  for (; top < end && areLike(before[top], after[top]); top++) pairs[top] = after[top];
  for (; end > top && end + shift > top && areLike(before[end - 1], after[end - 1 + shift]); end--) {
    pairs[end - 1] = after[end - 1 + shift];
  }
  return pairs;
}

function areLike(one: Grid | undefined, other: Grid | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  const shared = one.names.filter((name) => other.names.includes(name)).length;
  return 2 * shared >= Math.min(one.names.length, other.names.length);
}
