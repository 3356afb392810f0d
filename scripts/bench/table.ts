/** Prints the table. */
import { figureText, isMet, type Row } from "./rows.ts";

const HEADS = [
  "measure",
  "size",
  "figure",
  "spread",
  "must",
  "aim",
  "",
  "ours",
  "other",
  "CPU",
  "requests",
  "n",
] as const;

export function tableOf(rows: readonly Row[]): string[] {
  const cells = rows.map(cellsOf);
  const widths = HEADS.map((head, n) =>
    Math.max(head.length, ...cells.map((cell) => (cell.length === HEADS.length ? cell[n]!.length : 0))),
  );
  const show = (cell: readonly string[]) =>
    cell.length === HEADS.length
      ? cell
          .map((text, n) => (n === 0 || n === 6 ? text.padEnd(widths[n]!) : text.padStart(widths[n]!)))
          .join("  ")
          .trimEnd()
      : `${cell[0]!.padEnd(widths[0]!)}  ${cell[1]!.padStart(widths[1]!)}  ${cell[2]!}`;
  const lines = [show(HEADS)];
  rows.forEach((row, n) => {
    lines.push(show(cells[n]!));
    if (row.kind === "measured" && row.note !== "") lines.push(`  ${row.note}`);
  });
  return lines;
}

function cellsOf(row: Row): string[] {
  if (row.kind !== "measured") return [row.line, row.size, `${row.kind}: ${row.why}`];
  const { what, size, unit, figure, spread, bound, ours, other, n } = row;
  const sign = bound?.sense === "least" ? "≥" : "≤";
  const met = isMet(row);
  return [
    what,
    size,
    `${figureText(figure)} ${unit}`,
    n > 1 ? `${figureText(spread[0])}–${figureText(spread[1])}` : "",
    bound === null ? "" : `${sign} ${bound.must}`,
    bound === null || bound.aim === null ? "" : `${sign} ${bound.aim}`,
    met === null ? "" : met ? "met" : "MISSED",
    ours,
    other ?? "",
    row.cpu,
    row.requests ?? "",
    String(n),
  ];
}
