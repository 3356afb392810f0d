import { describe, expect, it } from "vitest";
import { mergeText } from "../../src/markdown/merge/merge.ts";
import { fc, runs, seed } from "../property.ts";

/** A table whose columns and rows have ids. Every cell and every name is unique. */
type Table = { readonly columns: readonly Column[]; readonly rows: readonly Row[] };
type Column = { readonly id: string; readonly name: string };
type Row = { readonly id: string; readonly cells: ReadonlyMap<string, string> };

const KINDS = ["add-column", "remove-column", "swap", "rename", "edit", "edit", "add-row", "add-row", "remove-row"];
const change = fc.record({ kind: fc.constantFrom(...KINDS), row: fc.nat(5), column: fc.nat(4) });
type Change = { readonly kind: string; readonly row: number; readonly column: number };

const changes = fc.array(change, { minLength: 1, maxLength: 3 });
const threeTables = fc
  .tuple(fc.integer({ min: 2, max: 4 }), fc.integer({ min: 1, max: 5 }), changes, changes)
  .map(([width, height, mine, theirs]): [Table, Table, Table] => {
    const columns = Array.from({ length: width }, (_, at) => ({ id: `c${at}`, name: `name${at}` }));
    const rows = Array.from({ length: height }, (_, row) => ({
      id: `r${row}`,
      cells: new Map(columns.map(({ id }, at) => [id, `b${row}x${at}`])),
    }));
    const base: Table = { columns, rows };
    return [base, mine.reduce(apply("l"), base), theirs.reduce(apply("r"), base)];
  });

function apply(side: string) {
  return ({ columns, rows }: Table, { kind, row, column }: Change, number: number): Table => {
    const fresh = `${side}${number}`;
    const at = column % columns.length;
    const id = columns[at]?.id as string;
    const place = row % (rows.length + 1);
    if (kind === "add-column") {
      return {
        columns: columns.toSpliced(at, 0, { id: fresh, name: `${fresh}name` }),
        rows: rows.map((one) => ({ ...one, cells: new Map([...one.cells, [fresh, `${fresh}${one.id}`]]) })),
      };
    }
    if (kind === "remove-column")
      return columns.length < 2 ? { columns, rows } : { columns: columns.toSpliced(at, 1), rows };
    if (kind === "swap") return { columns: [...columns.slice(at), ...columns.slice(0, at)], rows };
    if (kind === "rename") return { columns: columns.with(at, { id, name: `${fresh}name` }), rows };
    if (kind === "add-row") {
      const cells = new Map(columns.map((one) => [one.id, `${fresh}c${one.id}`]));
      return { columns, rows: rows.toSpliced(place, 0, { id: fresh, cells }) };
    }
    if (place === rows.length) return { columns, rows };
    if (kind === "remove-row") return { columns, rows: rows.toSpliced(place, 1) };
    const old = rows[place] as Row;
    return { columns, rows: rows.with(place, { ...old, cells: new Map([...old.cells, [id, `${fresh}e`]]) }) };
  };
}

const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |\n`;

function write({ columns, rows }: Table): string {
  const head = line(columns.map(({ name }) => name)) + line(columns.map(() => "---"));
  const body = rows.map(({ cells }) => line(columns.map(({ id }) => cells.get(id) as string)));
  return `# Title\n\n${head}${body.join("")}\nText below.\n`;
}

/** Returns the cells of the table, row by row, with the header but without the line below it. */
function read(text: string): string[][] {
  const lines = text.split("\n").filter((line) => line.startsWith("|") && !line.startsWith("| -"));
  return lines.map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
}

/**
 * Returns the column and row of each cell, by the cell's content. Names of columns are in row "".
 */
function homes(tables: readonly Table[]): Map<string, readonly [column: string, row: string]> {
  const found = new Map<string, readonly [string, string]>();
  for (const { columns, rows } of tables) {
    for (const { id, name } of columns) found.set(name, [id, ""]);
    for (const row of rows) for (const { id } of columns) found.set(row.cells.get(id) as string, [id, row.id]);
  }
  return found;
}

describe(`I28 tables merged by column (seed ${seed})`, () => {
  it("have each cell under its own column and in its own row, as many as the header, and lose none", () => {
    let [clean, reshaped] = [0, 0];
    fc.assert(
      fc.property(threeTables, (tables) => {
        const [base, local, remote] = tables.map(write) as [string, string, string];
        const merged = mergeText(base, local, remote);
        expect(mergeText(base, remote, local).kind).toBe(merged.kind);
        if (merged.kind === "conflict") return;
        clean++;
        if (![local, remote].includes(merged.text) && read(merged.text)[0]?.join() !== read(base)[0]?.join())
          reshaped++;
        const [header = [], ...rows] = read(merged.text);
        const known = homes(tables);
        for (const row of rows) {
          expect(row).toHaveLength(header.length);
          const said = row.filter((cell) => cell !== "");
          expect(new Set(said.map((cell) => known.get(cell)?.[1])).size).toBeLessThan(2);
          for (const [at, cell] of row.entries()) {
            if (cell !== "") expect([cell, known.get(cell)?.[0]]).toEqual([cell, known.get(header[at] as string)?.[0]]);
          }
        }
        const [b, l, r, m] = [base, local, remote, merged.text].map((text) => new Set(read(text).flat()));
        const isDue = (cell: string): boolean => !b?.has(cell) || (l?.has(cell) === true && r?.has(cell) === true);
        expect([...known.keys()].filter((cell) => m?.has(cell) !== isDue(cell))).toEqual([]);
      }),
      { seed, numRuns: runs(250) },
    );
    expect(clean).toBeGreaterThan(60);
    expect(reshaped).toBeGreaterThan(15);
  });
});
