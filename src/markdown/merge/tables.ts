import { type FourVersions, hasNoNewFaults, mapVersions } from "./counts.ts";

type MarkdownTable = { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };

const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

/**
 * Reads the tables of a version. Tables in code fences count as well. This does no harm, because
 * all versions are read in the same way.
 */
function readTables(lines: readonly string[]): MarkdownTable[] {
  const tables: MarkdownTable[] = [];
  for (let index = 1; index < lines.length; index++) {
    const [above, rule] = [lines[index - 1] as string, lines[index] as string];
    if (!rule.includes("-") || !rule.includes("|") || !TABLE_RULE.test(rule) || !above.includes("|")) continue;
    const headerCells = readCells(above);
    if (readCells(rule).length !== headerCells.length) continue;
    const rows: string[][] = [];
    for (index++; (lines[index] ?? "").includes("|"); index++) rows.push(readCells(lines[index] as string));
    tables.push({ head: headerCells, rows });
  }
  return tables;
}

function readCells(row: string): string[] {
  const bare = row
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return bare.split(/(?<!\\)\|/).map((cell) => cell.trim());
}

/**
 * Returns false if a merge could put cells in wrong columns. Returns true if both sides have a
 * table with the same new columns. Otherwise each table of base must be unchanged on one side, or
 * have its columns on both sides. Columns are compared by their names. If a side renamed the
 * columns, but kept a row of the table unchanged, the columns count as kept.
 */
export function keepsColumns(texts: readonly (readonly string[])[]): boolean {
  const [base, ...sides] = texts.map((lines) => readTables(lines).map(writeTable)) as [
    WrittenTable[],
    ...WrittenTable[][],
  ];
  const heads = sides.map((tables) => new Set(tables.map(({ head }) => head)));
  const rows = sides.map((tables) => new Set(tables.flatMap((table) => table.rows)));
  const baseHeads = new Set(base.map(({ head }) => head));
  if (heads[0]?.values().some((head) => !baseHeads.has(head) && heads[1]?.has(head))) return true;
  return base.every(
    (table) =>
      sides.some((tables) => tables.some(({ whole }) => whole === table.whole)) ||
      sides.every((_, side) => heads[side]?.has(table.head) || table.rows.some((row) => rows[side]?.has(row))),
  );
}

type WrittenTable = { readonly head: string; readonly rows: readonly string[]; readonly whole: string };

function writeTable(table: MarkdownTable): WrittenTable {
  const [head = "", ...rows] = [table.head, ...table.rows].map((cells) => cells.join("|"));
  return { head, rows, whole: [head, ...rows].join("\n") };
}

/**
 * Returns true if the rows of the merged version are below their own column names. The sides must
 * explain the number of rows that have a wrong number of cells.
 */
export function keepsRowsInColumns(texts: FourVersions<readonly string[]>): boolean {
  const tables = mapVersions(texts, readTables);
  if (!hasNoNewFaults(mapVersions(tables, countMisfitRows))) return false;
  const [, l, r, m] = tables;
  const sides = [l, r].map(
    (tables) => new Map(tables.flatMap(({ head, rows }) => rows.map((row) => [row.join("|"), head]))),
  );
  return m.every(({ head, rows }) =>
    rows.every((row) => {
      const headersOnSides = sides.map((heads) => heads.get(row.join("|"))).filter((names) => names !== undefined);
      return (
        headersOnSides.length === 0 ||
        headersOnSides.some((names) => names.every((name, index) => name === head[index] || !head.includes(name)))
      );
    }),
  );
}

function countMisfitRows(tables: readonly MarkdownTable[]): number {
  return tables.reduce((sum, { head, rows }) => sum + rows.filter((row) => row.length !== head.length).length, 0);
}
