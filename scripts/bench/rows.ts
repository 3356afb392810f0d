/** The results of the benchmark: one row for each figure, with its bound. */

export type Unit = "×" | "ms" | "MB" | "requests";

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
