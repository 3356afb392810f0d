import { type Grid, gridsOf, headersOf, pairGrids, type Row, writeRow } from "./grid.ts";
import { pairRows } from "./grid-rows.ts";
import type { Reading } from "./reading.ts";
import { splitLines } from "./split.ts";

/** Base, local and remote text. */
export type Three = readonly [base: string, local: string, remote: string];

/**
 * The three texts with the same columns in tables whose columns one side changed while the other
 * one changed something else in them: what is left are cells and rows, which lines and words
 * settle. Undefined where there is no such table; "apart" where the header of one does not tell.
 */
export function settleColumns(texts: Three, reading: Reading): Three | "apart" | undefined {
  if (!texts.every((text) => text.includes("-|") || text.includes("- |"))) return undefined;
  const lines = texts.map(splitLines) as [string[], string[], string[]];
  const [was, ...are] = lines.map(headersOf);
  if (are.every((headers) => headers === was)) return undefined;
  const [grids, mine, theirs] = lines.map(gridsOf) as unknown as [readonly Grid[], readonly Grid[], readonly Grid[]];
  const [locals, remotes] = [pairGrids(grids, mine), pairGrids(grids, theirs)];
  let found = false;
  for (const [at, base] of grids.entries()) {
    const [local, remote] = [locals[at], remotes[at]];
    if (local === undefined || remote === undefined) continue;
    const fitted = fitGrids({ base, local, remote }, reading);
    if (fitted === "apart") return "apart";
    if (fitted === undefined) continue;
    found = true;
    for (const [which, { first, rows }] of fitted.entries()) {
      (lines[which] as string[]).splice(first, rows.length, ...rows.map(writeRow));
    }
  }
  return found ? (lines.map((all) => all.join("")) as [string, string, string]) : undefined;
}

/** One table in the three texts. */
type Grids = { readonly base: Grid; readonly local: Grid; readonly remote: Grid };

/** A column: the index that it has in the base, or its name where it is new. */
type Column = number | string;

/** A side's columns, and for each row of the base the row that it became. */
type Side = { readonly grid: Grid; readonly columns: readonly Column[]; readonly rows: readonly number[] };

/** The table with the columns of both sides, in each of the texts. */
function fitGrids(grids: Grids, reading: Reading): readonly Grid[] | "apart" | undefined {
  const { base, local, remote } = grids;
  if (isSame(base, local) || isSame(base, remote)) return undefined;
  const [b, l, r] = [base, local, remote].map(({ names }) => names.join("|"));
  if (l === b && r === b) return undefined;
  return reshapeAll(grids, reading) ?? (l === r ? undefined : "apart");
}

function reshapeAll({ base, local, remote }: Grids, reading: Reading): readonly Grid[] | undefined {
  const [l, r] = [local, remote].map((grid) => readSide(base, grid, reading));
  if (l === undefined || r === undefined) return undefined;
  const own = base.names.map((_, at) => at);
  const target = mergeColumns(own, l.columns, r.columns);
  if (target === undefined || !mayGo(base, l, target) || !mayGo(base, r, target)) return undefined;
  if (!keepsNewCells(l, r) || !keepsNewCells(r, l) || !agree(l, r)) return undefined;
  const was: Side = { grid: base, columns: own, rows: base.rows.map((_, at) => at) };
  return [reshape(was, target, [l, r]), reshape(l, target, [r]), reshape(r, target, [l])];
}

function isSame(one: Grid, other: Grid): boolean {
  return one.rows.length === other.rows.length && one.rows.every((row, at) => isSameRow(row, other.rows[at] as Row));
}

function isSameRow({ cells }: Row, other: Row): boolean {
  return cells.length === other.cells.length && cells.every((cell, at) => cell.trim() === other.cells[at]?.trim());
}

function readSide(base: Grid, grid: Grid, reading: Reading): Side | undefined {
  const columns = columnsOf(base, grid);
  const rows = columns && pairRows(base.rows, grid.rows, columns, reading);
  return rows && { grid, columns, rows };
}

/**
 * Which columns of the base a side has, and which are new. A column is known by its name, one with
 * another name by its cells; undefined where some are gone and some new, and neither tells.
 */
function columnsOf(base: Grid, side: Grid): Column[] | undefined {
  const gone = base.names.flatMap((name, at) => (side.names.includes(name) ? [] : [at]));
  const columns = side.names.map((name, place): Column => {
    if (base.names.includes(name)) return base.names.indexOf(name);
    const renamed = gone.filter((column) => keepsCells(base, column, side, place));
    return renamed.length === 1 ? (renamed[0] as number) : name;
  });
  const isLeft = gone.some((column) => !columns.includes(column));
  return (isLeft && columns.some(isNew)) || new Set(columns).size < columns.length ? undefined : columns;
}

/**
 * Whether a column of another name has half of the cells of one of the base, or its place in a bare
 * header.
 */
function keepsCells(base: Grid, column: number, side: Grid, place: number): boolean {
  const cells = base.rows.slice(2).map((row) => (row.cells[column] as string).trim());
  if (cells.length === 0) return base.names.length === side.names.length && column === place;
  const there = new Set(side.rows.slice(2).map((row) => (row.cells[place] as string).trim()));
  return 2 * cells.filter((cell) => cell !== "" && there.has(cell)).length >= cells.length;
}

function isNew(column: Column): column is string {
  return typeof column === "string";
}

/** The columns of both sides; undefined where both added one at one place, or moved some. */
function mergeColumns(
  base: readonly number[],
  local: readonly Column[],
  remote: readonly Column[],
): Column[] | undefined {
  const [mine, theirs] = [local, remote].map((side) =>
    side.filter((one) => local.includes(one) && remote.includes(one)),
  );
  const isShared = local.some((column) => isNew(column) && remote.includes(column));
  if (isShared && mine?.join("|") !== theirs?.join("|")) return undefined;
  const [lead, follow] = keepsOrder(base, local) ? [remote, local] : [local, remote];
  if (!keepsOrder(base, follow)) return undefined;
  const order = lead.filter((column) => isNew(column) || follow.includes(column));
  for (const [at, column] of follow.entries()) {
    if (!isNew(column) || order.includes(column)) continue;
    const before = follow[at - 1];
    const place = before === undefined ? 0 : order.indexOf(before) + 1;
    const isClear = !isNewIn(order[place], follow) && (before === undefined || place > 0);
    if (!isClear) return undefined;
    order.splice(place, 0, column);
  }
  return order;
}

/** Whether a side has the columns of the base that it kept in their order. */
function keepsOrder(base: readonly number[], side: readonly Column[]): boolean {
  const kept = side.filter((column) => !isNew(column));
  return base.filter((column) => kept.includes(column)).every((column, at) => column === kept[at]);
}

/** Whether a column is one that the other side added. */
function isNewIn(column: Column | undefined, follow: readonly Column[]): boolean {
  return column !== undefined && isNew(column) && !follow.includes(column);
}

/** Whether a side put nothing into the columns that go. */
function mayGo(base: Grid, { grid, columns, rows }: Side, target: readonly Column[]): boolean {
  const known = new Map(rows.map((row, at) => [row, base.rows[at] as Row]));
  return columns.every(
    (column, place) =>
      isNew(column) ||
      target.includes(column) ||
      grid.rows.every(
        ({ cells }, row) => (cells[place] as string).trim() === (known.get(row)?.cells[column] ?? "").trim(),
      ),
  );
}

/** Whether a side filled no new cell of a row that the other one took away. */
function keepsNewCells(side: Side, other: Side): boolean {
  return side.rows.every((row, at) => {
    const cells = side.grid.rows[row]?.cells ?? [];
    return (other.rows[at] as number) >= 0 || side.columns.every((one, place) => !isNew(one) || !cells[place]?.trim());
  });
}

/** Whether what both sides put into a new column of one name is the same in each row. */
function agree(one: Side, other: Side): boolean {
  const cellIn = ({ grid, rows, columns }: Side, at: number, column: Column): string | undefined =>
    grid.rows[rows[at] as number]?.cells[columns.indexOf(column)]?.trim();
  const shared = one.columns.filter((column) => isNew(column) && other.columns.includes(column));
  return one.rows.every((_, at) =>
    shared.every((column) => {
      const [mine, theirs] = [cellIn(one, at, column), cellIn(other, at, column)];
      return mine === undefined || theirs === undefined || mine === theirs || at === 1;
    }),
  );
}

/** A text's table with the columns of both sides: new ones from the sides that added them. */
function reshape({ grid, columns, rows }: Side, target: readonly Column[], others: readonly Side[]): Grid {
  const toBase = new Map(rows.map((row, at) => [row, at]));
  const cellOf = (row: number, column: Column): string => {
    const own = columns.indexOf(column);
    if (own >= 0) return grid.rows[row]?.cells[own] as string;
    const from = others.filter((other) => other.columns.includes(column));
    const cells = from.map((other) => {
      const there = other.grid.rows[other.rows[toBase.get(row) ?? -1] ?? -1];
      return there?.cells[other.columns.indexOf(column)];
    });
    return cells.find((cell) => cell !== undefined) ?? blankOf(from[0] as Side, column);
  };
  const made = grid.rows.map((row, at) => ({ ...row, cells: target.map((column) => cellOf(at, column)) }));
  return { ...grid, rows: made };
}

/** An empty cell as wide as the head of its column. */
function blankOf({ grid, columns }: Side, column: Column): string {
  const head = (grid.rows[0] as Row).cells[columns.indexOf(column)] as string;
  return head.replaceAll(/./gsu, " ");
}
