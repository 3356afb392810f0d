/** The table on the screen, and the exponents of growth. */
import { figureText, isMet, type Measured, type Row } from "./rows.ts";

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

/**
 * The slope of log(time) over log(documents), least squares, of each measure that has two sizes at
 * least; 1 is linear.
 */
export function exponentRows(rows: readonly Row[]): Measured[] {
  const growing = rows.filter(
    (row): row is Measured => row.kind === "measured" && row.grows !== null && row.grows > 0 && /^\d+$/.test(row.size),
  );
  const made: Measured[] = [];
  for (const [what, points] of Map.groupBy(growing, ({ what }) => what)) {
    if (points.length < 2) continue;
    const sizes = points.map(({ size }) => Number(size)).toSorted((a, b) => a - b);
    const slope = slopeOf(points.map(({ size, grows }) => [Number(size), grows!]));
    const others = points.flatMap(({ size, growsOther }) =>
      growsOther === null ? [] : [[Number(size), growsOther] as const],
    );
    made.push({
      kind: "measured",
      line: `growth-${points[0]!.line}`,
      what: `growth of ${what.split(" / ")[0]}`,
      size: `${sizes[0]}–${sizes.at(-1)}`,
      unit: "exponent",
      figure: slope,
      n: points.length,
      bound: null,
      ours: "",
      other: others.length === points.length ? figureText(slopeOf(others)) : null,
      spread: [slope, slope],
      cpu: "",
      note: "",
      grows: null,
      growsOther: null,
    });
  }
  return made;
}

/** @param points documents, and a time or an amount */
function slopeOf(points: readonly (readonly [number, number])[]): number {
  const logs = points.map(([size, amount]) => [Math.log(size), Math.log(amount)] as const);
  const mean = (axis: 0 | 1) => logs.reduce((sum, point) => sum + point[axis], 0) / logs.length;
  const [x, y] = [mean(0), mean(1)];
  const above = logs.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0);
  const below = logs.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
  return above / below;
}
