/** A table: the cells of its header and of its rows. */
type Table = { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };

const RULE = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

/**
 * The tables of a text, outside code fences or not: what looks like one in code is judged alike on
 * all sides.
 */
function tablesOf(lines: readonly string[]): Table[] {
  const tables: Table[] = [];
  for (let at = 1; at < lines.length; at++) {
    const [above, rule] = [lines[at - 1] as string, lines[at] as string];
    if (!rule.includes("-") || !rule.includes("|") || !RULE.test(rule) || !above.includes("|")) continue;
    const head = cellsOf(above);
    if (cellsOf(rule).length !== head.length) continue;
    const rows: string[][] = [];
    for (at++; (lines[at] ?? "").includes("|"); at++) rows.push(cellsOf(lines[at] as string));
    tables.push({ head, rows });
  }
  return tables;
}

/** The cells of a row, without the space around them. */
function cellsOf(row: string): string[] {
  const bare = row
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return bare.split(/(?<!\\)\|/).map((cell) => cell.trim());
}

/**
 * Whether the rows of the merged text, the last of four, have as many cells as their header, as far
 * as the sides' had, and stand under their own columns.
 */
export function rowsFit(texts: readonly (readonly string[])[]): boolean {
  const [b, l, r, m] = texts.map(tablesOf) as [Table[], Table[], Table[], Table[]];
  const [base, local, remote, merged] = [b, l, r, m].map(misfits) as [number, number, number, number];
  if (merged > Math.max(local, remote, local + remote - base)) return false;
  const sides = [l, r].map(
    (tables) => new Map(tables.flatMap(({ head, rows }) => rows.map((row) => [row.join("|"), head]))),
  );
  return m.every(({ head, rows }) =>
    rows.every((row) => {
      const written = sides.map((heads) => heads.get(row.join("|"))).filter((one) => one !== undefined);
      return (
        written.length === 0 ||
        written.some((was) => was.every((name, at) => name === head[at] || !head.includes(name)))
      );
    }),
  );
}

/** How many rows have more or fewer cells than the header. */
function misfits(tables: readonly Table[]): number {
  return tables.reduce((sum, { head, rows }) => sum + rows.filter((row) => row.length !== head.length).length, 0);
}
