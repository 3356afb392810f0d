import type { CorpusName } from "./corpus.ts";

/** The results of the benchmark: one row for each figure, with its bound. */

type Unit = "×" | "ms" | "MB" | "requests";

/** Bound of a figure: at most (`most`) or at least (`least`) `must`. */
export type Bound = { readonly sense: "most" | "least"; readonly must: number; readonly aim: number | null };

export type Measured = {
  readonly kind: "measured";
  /** Name of the line, as for `--only`. With `what` and `size` it identifies the row. */
  readonly line: string;
  readonly what: string;
  readonly size: string;
  readonly unit: Unit;
  /** The figure that the bound applies to; for `×` the median of the pairs' ratios. */
  readonly figure: number;
  /** Number of pairs or samples. */
  readonly n: number;
  readonly bound: Bound | null;
  /** Medians of the two sides with their unit. `other` is null without another side. */
  readonly ours: string;
  readonly other: string | null;
  /** Lowest and highest figure of the pairs. */
  readonly spread: readonly [number, number];
  /** Ratio of processor time, of the two programs only, without the service. */
  readonly cpu: string;
  readonly note: string;
  /** Requests of one run of each side; undefined if they were not counted. */
  readonly requests?: string;
};

type Missing = {
  readonly kind: "skipped" | "failed";
  readonly line: string;
  readonly size: string;
  readonly why: string;
};

export type Row = Measured | Missing;

const sorted = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);

/** Returns the median; for an even number of values the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error("a median of nothing");
  const all = sorted(values);
  const middle = all.length >> 1;
  return all.length % 2 === 1 ? all[middle]! : (all[middle - 1]! + all[middle]!) / 2;
}

/**
 * Returns a percentile by the nearest rank.
 * @param share 0 to 1
 */
export function percentile(values: readonly number[], share: number): number {
  const all = sorted(values);
  return all[Math.min(all.length - 1, Math.max(0, Math.ceil(share * all.length) - 1))]!;
}

export const spreadOf = (values: readonly number[]): readonly [number, number] => [
  Math.min(...values),
  Math.max(...values),
];

export function isMet(row: Measured): boolean | null {
  if (row.bound === null) return null;
  return row.bound.sense === "most" ? row.figure <= row.bound.must : row.figure >= row.bound.must;
}

/** Returns a number with three digits at most, because more would be noise. */
export function figureText(value: number): string {
  if (Number.isInteger(value)) return String(value);
  const size = Math.abs(value);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 3);
}

export const secondsText = (ms: number): string =>
  ms < 1_000 ? `${ms.toFixed(0)} ms` : `${(ms / 1_000).toFixed(2)} s`;

/** Row of a figure that is no ratio: without another side, or with one that is only shown. */
type FigureRow = {
  readonly line: string;
  readonly what: string;
  readonly size: CorpusName;
  readonly unit: Unit;
  readonly bound: Bound | null;
  readonly ours?: string;
  readonly other?: string;
  readonly note?: string;
  /** Requests of one run. */
  readonly requests?: number;
  /** The figure, if it is not the median of the samples. */
  readonly figure?: number;
};

export function figureRow(row: FigureRow, samples: readonly number[]): Measured {
  const { line, what, size, unit, bound, ours = "", other = null, note = "" } = row;
  const figure = row.figure ?? median(samples);
  return {
    kind: "measured",
    line,
    what,
    size,
    unit,
    figure,
    n: samples.length,
    bound,
    ours,
    other,
    spread: spreadOf(samples),
    cpu: "",
    note,
    ...(row.requests === undefined ? {} : { requests: figureText(row.requests) }),
  };
}

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
